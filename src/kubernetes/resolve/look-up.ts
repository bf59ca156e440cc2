import { z } from 'zod';
import type { ReadContext } from '../../app/ports.ts';
import { valueAt } from '../../model/json-patch.ts';
import type { KubeFailure } from '../api/failure.ts';
import type { JsonAnswer, KubeHttp, KubeRequest } from '../api/http.ts';
import { itemsOf } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import { selectorText } from '../api/selector.ts';
import { type PodRow, type PodTable, parsePodTable, TABLE, worstFirst } from './pod-table.ts';

/** A namespace to search, or with undefined the whole cluster. */
export type Place = string | undefined;

export type Found<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: KubeFailure };

export type WorkloadPlural = 'deployments' | 'statefulsets' | 'replicasets';
/** `failure` is why it cannot create its pods, in the words of the API server, where its status has it. */
export type WorkloadRef = {
  readonly namespace: string;
  readonly selector: string | undefined;
  readonly replicas: number | undefined;
  readonly failure: string | undefined;
};

export type LookUp = {
  pod(place: Place, name: string): Promise<Found<PodTable>>;
  pods(place: Place, select: Select): Promise<Found<PodTable>>;
  /** Pods by their names and states alone, ten thousand at most. */
  states(namespace: string, labels?: string): Promise<Found<PodTable>>;
  /** Workloads of this name; at most one where the namespace is given. */
  workloads(place: Place, plural: WorkloadPlural, name: string): Promise<Found<readonly WorkloadRef[]>>;
  /** Why an object of this kind cannot create its pods, by its events. */
  failedCreate(namespace: string, kind: string, name: string): Promise<string | undefined>;
};

type Select = { readonly labels?: string; readonly fields?: string; readonly limit: number };

const SAME_NAME_LIMIT = 50;
// A row without its object takes about 250 bytes.
const STATES_PAGE = { limit: 5000, maxBytes: 2_000_000 };
const STATES_PAGES = 2;

export function createLookUp(http: KubeHttp, context: ReadContext): LookUp {
  const pods = async (request: KubeRequest): Promise<Found<PodTable>> =>
    parsed(await http.getJson({ ...request, accept: TABLE }, context), parsePodTable);
  const list = (place: Place, { labels, fields, limit }: Select) =>
    pods({
      ...requestFor('list', { resource: 'pods', namespace: place }),
      query: { labelSelector: labels, fieldSelector: fields, limit },
    });
  const states = async (namespace: string, labels?: string): Promise<Found<PodTable>> => {
    const rows: PodRow[] = [];
    let next: string | undefined;
    for (let page = 0; page < STATES_PAGES; page++) {
      const query = { labelSelector: labels, limit: STATES_PAGE.limit, includeObject: 'None', continue: next };
      const request = { ...requestFor('list', { resource: 'pods', namespace }), query, accept: TABLE };
      const answer = await http.getJson({ ...request, maxBytes: STATES_PAGE.maxBytes }, context);
      const read = parsed(answer, (body) => parsePodTable(body, namespace));
      if (read.kind === 'failed') return rows.length === 0 ? read : { kind: 'ok', value: { rows, next } };
      rows.push(...read.value.rows);
      next = read.value.next;
      if (next === undefined) break;
    }
    return { kind: 'ok', value: { rows, next } };
  };
  return {
    pods: list,
    states,
    pod: (place, name) =>
      place === undefined
        ? list(undefined, { fields: `metadata.name=${name}`, limit: SAME_NAME_LIMIT })
        : pods(requestFor('get', { resource: 'pods', namespace: place, name })),
    async workloads(place, plural, name) {
      const asked = { apiVersion: 'apps/v1', resource: plural, namespace: place };
      const query = { fieldSelector: `metadata.name=${name}`, limit: SAME_NAME_LIMIT };
      const answer = await http.getJson(
        place === undefined ? { ...requestFor('list', asked), query } : requestFor('get', { ...asked, name }),
        context,
      );
      return parsed(answer, parseWorkloads);
    },
    async failedCreate(namespace, kind, name) {
      const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name},reason=FailedCreate`;
      const query = { fieldSelector, limit: SAME_NAME_LIMIT };
      const answer = await http.getJson({ ...requestFor('list', { resource: 'events', namespace }), query }, context);
      const events = answer.kind === 'ok' ? itemsOf(answer.body) : [];
      const messages = events.map((event) => valueAt(event, '/message'));
      return messages.findLast((message) => typeof message === 'string');
    },
  };
}

const Workload = z
  .looseObject({
    metadata: z.looseObject({ namespace: z.string() }),
    spec: z.looseObject({ selector: z.unknown().optional(), replicas: z.number().optional() }).optional(),
    status: z.unknown().optional(),
  })
  .transform(
    ({ metadata, spec, status }): WorkloadRef => ({
      namespace: metadata.namespace,
      selector: selectorText(spec?.selector),
      replicas: spec?.replicas,
      failure: replicaFailure(status),
    }),
  );

const Conditions = z.looseObject({
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string(), message: z.string().default('') })),
});

function replicaFailure(status: unknown): string | undefined {
  const conditions = Conditions.safeParse(status).data?.conditions ?? [];
  return conditions.find((one) => one.type === 'ReplicaFailure' && one.status === 'True')?.message;
}

const Workloads = z.union([
  z.looseObject({ items: z.array(Workload) }).transform(({ items }) => items),
  Workload.transform((one) => [one]),
]);

function parseWorkloads(body: unknown): readonly WorkloadRef[] | undefined {
  return Workloads.safeParse(body).data;
}

function parsed<T>(answer: JsonAnswer, parse: (body: unknown) => T | undefined): Found<T> {
  if (answer.kind === 'failed') return answer;
  const value = parse(answer.body);
  if (value !== undefined) return { kind: 'ok', value };
  const detail = 'the answer is not what an API server gives';
  return { kind: 'failed', failure: { reason: 'failed', code: 'cluster-refused', detail } };
}

/** Pods with a label: the first of them, and where these are not all, the worst of all by their states. */
export async function podsWith(
  look: LookUp,
  place: Place,
  select: Select & { readonly labels: string },
): Promise<Found<PodTable>> {
  const first = await look.pods(place, select);
  if (first.kind === 'failed' || first.value.next === undefined) return first;
  const [namespace, ...others] = new Set(first.value.rows.map((row) => row.namespace));
  if (namespace === undefined || others.length > 0) return first;
  const states = await look.states(namespace, select.labels);
  const [worst] = states.kind === 'ok' ? worstFirst(states.value.rows) : [];
  const read = worst && (await look.pod(namespace, worst.name));
  return read?.kind === 'ok' && read.value.rows.length > 0 ? read : first;
}

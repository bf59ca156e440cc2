import type {
  ActingCluster,
  KubeObject,
  ObjectRead,
  WorkloadPod,
  Write,
  WriteOutcome,
} from '../../src/app/acting-ports.ts';
import { valueAt } from '../../src/model/json-patch.ts';
import type { ObjectRef } from '../../src/model/plan.ts';
import { answerRequest } from '../../src/standins/api-server/api.ts';
import { type ClusterInMemory, createClusterInMemory } from '../../src/standins/api-server/cluster-in-memory.ts';
import { apiVersionOf, RESOURCES } from '../../src/standins/api-server/objects/resources.ts';
import type { Cause } from '../../src/standins/api-server/objects/status.ts';
import type { ApiWorld } from '../../src/standins/api-server/objects/world.ts';

/** What the next write meets: the answer given instead of the true one; `after` leaves the write its effect. */
export type FakeFault = { readonly answer: WriteOutcome; readonly after?: boolean };

export type FakeActingCluster = ActingCluster & {
  /** Time, controllers, crashes and other writers. */
  readonly memory: ClusterInMemory;
  /** Writes that were sent, dry runs too, with what the cluster made of them. */
  readonly writes: readonly { readonly write: Write; readonly outcome: WriteOutcome; readonly agent: string }[];
  /** Faults of the next writes, dry runs left out, in order; undefined is none. */
  readonly faults: (FakeFault | undefined)[];
  /** While it is away nothing is answered and nothing done. */
  away: boolean;
};

/** An acting cluster in memory: the same cluster as behind the API server's stand-in, without the wire. */
export function createFakeActingCluster(
  world: ApiWorld,
  {
    name = 'prod',
    memory = createClusterInMemory(world),
    impersonate,
  }: { name?: string; memory?: ClusterInMemory; impersonate?: string } = {},
): FakeActingCluster {
  const writes: { write: Write; outcome: WriteOutcome; agent: string }[] = [];
  const isOut = ({ signal }: { signal: AbortSignal }): boolean => fake.away || signal.aborted;
  const ask = (request: Asked) => answer(memory, { ...request, as: impersonate });
  const fake: FakeActingCluster = {
    name,
    memory,
    writes,
    faults: [],
    away: false,
    async read(ref, context) {
      if (isOut(context)) return { kind: 'unavailable', why: WHY };
      return readOf(ask({ method: 'GET', ref }), ref, 'get');
    },
    async mayWrite(write, context) {
      if (isOut(context)) return { kind: 'could-not-tell', why: WHY };
      const { object, subresource, body } = write;
      const [group, plural] = [resourceOf(object)?.group ?? '', resourceOf(object)?.plural ?? ''];
      const verb = body.kind === 'create' ? 'create' : 'patch';
      const attributes = { verb, group, resource: plural, namespace: object.namespace };
      const spec = { resourceAttributes: { ...attributes, ...(subresource === 'scale' && { subresource }) } };
      const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const review = post(memory, reviews, { spec }, impersonate);
      if (valueAt(review.body, '/status/allowed') === true) return { kind: 'yes' };
      return { kind: 'no', rule: ruleOf(object, subresource === 'scale' ? `${plural}/scale` : plural, verb) };
    },
    async write(write, context) {
      if (isOut(context)) return { kind: 'unavailable', why: WHY, retryAfterMs: null };
      const fault = write.dryRun ? undefined : fake.faults.shift();
      const outcome =
        fault !== undefined && fault.after !== true ? fault.answer : outcomeOf(ask(toAsked(write)), write);
      writes.push({ write, outcome, agent: context.agent });
      return fault?.answer ?? outcome;
    },
    async pods({ object, container }, context) {
      if (isOut(context)) return { kind: 'could-not-tell', why: WHY };
      const owner = ask({ method: 'GET', ref: object });
      if (owner.status !== 200) return { kind: 'could-not-tell', why: 'the workload is not there' };
      const labels = (valueAt(owner.body, '/spec/selector/matchLabels') ?? {}) as Record<string, string>;
      const found = world.objects.filter(
        ({ kind, metadata }) =>
          kind === 'Pod' &&
          metadata.namespace === object.namespace &&
          Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
      );
      if (found.length > 500) return { kind: 'could-not-tell', why: 'there are more than 500 pods' };
      return { kind: 'read', pods: found.map((pod) => toPod(pod, container)) };
    },
    async surroundings(target, context) {
      if (isOut(context)) return { objects: [], notRead: [`${target.kind}/${target.name}: ${WHY}`] };
      const read = ask({ method: 'GET', ref: target });
      if (read.status !== 200) return { objects: [], notRead: [`${target.kind}/${target.name}: it is not there`] };
      const labels = (valueAt(read.body, '/spec/template/metadata/labels') ?? {}) as Record<string, string>;
      const beside = world.objects.filter(
        (one) => one.metadata.namespace === target.namespace && (isAimedAt(one, target) || covers(one, labels)),
      );
      return { objects: [read.body as KubeObject, ...structuredClone(beside)], notRead: [] };
    },
  };
  return fake;
}

const WHY = 'the API server can not be reached: nothing listens there';

type Asked = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly ref: Pick<ObjectRef, 'apiVersion' | 'kind' | 'namespace' | 'name'>;
  readonly scale?: boolean;
  readonly dryRun?: boolean;
  readonly body?: unknown;
  readonly as?: string | undefined;
};
type Answered = { readonly status: number; readonly body: unknown; readonly warnings: readonly string[] };

function resourceOf({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>) {
  return RESOURCES.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
}

function answer(memory: ClusterInMemory, { method, ref, scale, dryRun, body, as }: Asked): Answered {
  const resource = resourceOf(ref);
  if (resource === undefined) return { status: 404, body: {}, warnings: [] };
  const api = resource.group === '' ? '/api' : '/apis';
  const base = `${api}/${ref.apiVersion}/namespaces/${ref.namespace}/${resource.plural}`;
  const path = method === 'POST' ? base : `${base}/${ref.name}${scale ? '/scale' : ''}`;
  return request(memory, { method, path, dryRun, body, as });
}

function post(memory: ClusterInMemory, path: string, body: unknown, as: string | undefined): Answered {
  return request(memory, { method: 'POST', path, dryRun: false, body, as });
}

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly dryRun: boolean | undefined;
  readonly body: unknown;
  readonly as: string | undefined;
};

function request(memory: ClusterInMemory, { method, path, dryRun, body, as }: Sent): Answered {
  const query = { fieldManager: 'oombot', fieldValidation: 'Strict', ...(dryRun && { dryRun: 'All' }) };
  const headers = {
    'content-type': 'application/json-patch+json',
    ...(as !== undefined && { 'impersonate-user': as }),
  };
  const { answer: given } = answerRequest(
    memory,
    { method, path, query: method === 'GET' ? {} : query, headers, userAgent: 'oombot', status: 0, bytes: 0 },
    structuredClone(body),
  );
  if (given.kind !== 'json') return { status: given.status, body: undefined, warnings: [] };
  const warnings = [given.headers?.warning ?? []]
    .flat()
    .map((text) => text.replace(/^299 - "(.*)"$/, '$1').replace(/\\(.)/g, '$1'));
  return { status: given.status, body: structuredClone(given.body), warnings };
}

function toAsked({ object, subresource, body, dryRun }: Write): Asked {
  if (body.kind === 'create') return { method: 'POST', ref: object, body: body.manifest, dryRun };
  return { method: 'PATCH', ref: object, scale: subresource === 'scale', body: body.patch, dryRun };
}

function outcomeOf({ status, body, warnings }: Answered, { body: { kind }, object }: Write): WriteOutcome {
  if (status < 300) return { kind: 'written', object: body as KubeObject, warnings };
  const causes = (valueAt(body, '/details/causes') ?? []) as readonly Cause[];
  const message = String(valueAt(body, '/message') ?? status);
  if (status === 403) return { kind: 'forbidden', rule: ruleOf(object, resourceOf(object)?.plural ?? '', 'patch') };
  if (status === 409) return { kind: kind === 'create' ? 'stale' : 'conflict', message };
  return { kind: status === 422 && causes.length === 0 ? 'stale' : 'refused', message };
}

function readOf({ status, body }: Answered, ref: Omit<ObjectRef, 'uid'>, verb: string): ObjectRead {
  if (status === 403) return { kind: 'forbidden', rule: ruleOf(ref, resourceOf(ref)?.plural ?? '', verb) };
  return status === 200 ? { kind: 'found', object: body as KubeObject } : { kind: 'gone' };
}

function ruleOf(ref: Omit<ObjectRef, 'uid'>, resource: string, verb: string): string {
  const group = resourceOf(ref)?.group ?? '';
  return `${resource}${group === '' ? '' : `.${group}`} ${verb} in namespace ${ref.namespace}`;
}

function isAimedAt(object: unknown, { kind, name }: Pick<ObjectRef, 'kind' | 'name'>): boolean {
  const at = (key: string): unknown => valueAt(object, `/spec/scaleTargetRef/${key}`);
  return at('name') === name && (at('kind') ?? 'Deployment') === kind;
}

function covers(object: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (valueAt(object, '/kind') !== 'PodDisruptionBudget') return false;
  const wanted = (valueAt(object, '/spec/selector/matchLabels') ?? {}) as Record<string, string>;
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function toPod(pod: unknown, container: string | null): WorkloadPod {
  const at = (pointer: string): unknown => valueAt(pod, pointer);
  const statuses = (at('/status/containerStatuses') ?? []) as { name: string }[];
  const main = statuses.find(({ name }) => name === container) ?? statuses[0];
  const conditions = (at('/status/conditions') ?? []) as { type: string; status: string; reason?: string }[];
  const ended = valueAt(main, '/state/terminated') ?? valueAt(main, '/lastState/terminated');
  const time = (value: unknown): number | null => (typeof value === 'string' ? Date.parse(value) : null);
  const scheduled = at('/spec/nodeName') !== undefined;
  return {
    name: String(at('/metadata/name')),
    uid: String(at('/metadata/uid')),
    createdAt: time(at('/metadata/creationTimestamp')) ?? 0,
    ready: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    terminating: at('/metadata/deletionTimestamp') !== undefined,
    scheduled,
    restarts: Number(valueAt(main, '/restartCount') ?? 0),
    startedAt: time(valueAt(main, '/state/running/startedAt')),
    lastDeath:
      ended === undefined
        ? null
        : {
            reason: String(valueAt(ended, '/reason')),
            exitCode: Number(valueAt(ended, '/exitCode')),
            at: time(valueAt(ended, '/finishedAt')),
          },
    why: scheduled ? ((valueAt(main, '/state/waiting/reason') as string | undefined) ?? null) : 'Unschedulable',
    ip: (at('/status/podIP') as string | undefined) ?? null,
    ports: portsOf((at('/spec/containers') ?? []) as readonly Spec[], container),
  };
}

type Spec = { readonly name: string; readonly ports?: readonly { readonly containerPort: number }[] };

function portsOf(specs: readonly Spec[], container: string | null): readonly number[] {
  const main = specs.find(({ name }) => name === container) ?? specs[0];
  return (main?.ports ?? []).map(({ containerPort }) => containerPort);
}

import type { IdleWorkload } from '../../model/unresolved.ts';
import { createRedactor } from '../../snapshot/redact.ts';
import { toError } from '../api/failure.ts';
import { type Found, type LookUp, type Place, podsWith, type WorkloadPlural, type WorkloadRef } from './look-up.ts';
import { formOf } from './pod-name.ts';
import type { PodRow, PodTable } from './pod-table.ts';

/** What a search by workload gave: its pods, a workload without pods, or nothing. */
export type ByWorkload =
  | { readonly kind: 'pods'; readonly rows: readonly PodRow[]; readonly replaced: boolean }
  | { readonly kind: 'no-pods'; readonly workload: IdleWorkload }
  | { readonly kind: 'none' };

const LIMIT = 50;
const GROUP_LABEL = 'leaderworkerset.sigs.k8s.io/name';

/** The pods of the workload whose name, or one of whose pods' names, this is. At most two calls, four where it has many. */
export async function findByWorkload(
  look: LookUp,
  place: Place,
  name: string,
  allowed: (namespace: string) => boolean,
): Promise<ByWorkload> {
  const form = formOf(name);
  const replaced = form.kind !== 'bare';
  if (form.kind === 'group') {
    const answer = await podsWith(look, place, { labels: `${GROUP_LABEL}=${form.base}`, limit: LIMIT });
    const rows = rowsOf(answer).filter(({ namespace }) => allowed(namespace));
    return rows.length > 0 ? { kind: 'pods', rows, replaced } : { kind: 'none' };
  }
  const plural: WorkloadPlural = form.kind === 'set' ? 'statefulsets' : 'deployments';
  const workload = onlyOne(await look.workloads(place, plural, form.base), allowed);
  if (workload?.selector === undefined) return { kind: 'none' };
  const answer = await podsWith(look, workload.namespace, { labels: workload.selector, limit: LIMIT });
  const rows = rowsOf(answer);
  if (rows.length > 0) return { kind: 'pods', rows, replaced };
  if (answer.kind === 'failed') return { kind: 'none' };
  return { kind: 'no-pods', workload: await idle(look, plural, form.base, workload) };
}

/** A StatefulSet or a ReplicaSet of this name that has no pods. At most three calls. */
export async function findIdle(
  look: LookUp,
  place: Place,
  name: string,
  allowed: (namespace: string) => boolean,
): Promise<IdleWorkload | undefined> {
  for (const plural of ['statefulsets', 'replicasets'] as const) {
    const workload = onlyOne(await look.workloads(place, plural, name), allowed);
    if (workload !== undefined) return idle(look, plural, name, workload);
  }
  return undefined;
}

const KINDS: Readonly<Record<WorkloadPlural, string>> = {
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  replicasets: 'ReplicaSet',
};
const MOST_WORDS = 600;

// A ReplicaSet says in its status that it cannot create pods, and its Deployment after it; a StatefulSet only in events.
async function idle(look: LookUp, plural: WorkloadPlural, name: string, workload: WorkloadRef): Promise<IdleWorkload> {
  const { namespace, replicas, failure } = workload;
  const kind = KINDS[plural];
  const why = failure ?? (replicas === 0 ? undefined : await look.failedCreate(namespace, kind, name));
  const words = why === undefined ? undefined : createRedactor().redact(why).slice(0, MOST_WORDS);
  return { namespace, workload: `${kind}/${name}`, replicas, why: words };
}

// Several of one name are told apart by their pods, in the list that is read next.
function onlyOne(answer: Found<readonly WorkloadRef[]>, allowed: (namespace: string) => boolean) {
  if (answer.kind === 'failed') return passOver(answer);
  const own = answer.value.filter(({ namespace }) => allowed(namespace));
  return own.length === 1 ? own[0] : undefined;
}

function rowsOf(answer: Found<PodTable>): readonly PodRow[] {
  return answer.kind === 'ok' ? answer.value.rows : (passOver(answer) ?? []);
}

// Without the right to see workloads the pods alone may do; an API server that fails is a fault.
function passOver(answer: Extract<Found<unknown>, { kind: 'failed' }>): undefined {
  const { code, reason } = answer.failure;
  if (code !== 'forbidden' && reason !== 'gone') throw toError(answer.failure);
  return undefined;
}

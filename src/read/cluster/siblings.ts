import type { Citation } from '../../model/citation.ts';
import type { Placed } from '../../model/json-file.ts';
import type { ContainerState, ContainerStatus, Pod } from '../../model/kubernetes.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { CLOCK_SKEW_MS, parseTime } from '../text/when.ts';
import { fieldOf } from './read-pod-json.ts';

export type SiblingsReading = {
  readonly total: number;
  readonly dead: number;
  readonly deadShare: Reading<number>;
  /** Those of the dead that were killed for want of RAM. */
  readonly oomKilled: Reading<number>;
};

const field = fieldOf('siblings.json');
/** How long before an end another pod’s end may belong to it. */
export const WINDOW_MS = 20 * 60_000;

/**
 * Share of the other replicas of which a container died in the 20 minutes before `until` (epoch ms, the death or the
 * capture). `own` is the name of the pod that is looked at, which stands in the list as well.
 */
export function readSiblings(siblings: readonly Placed<Pod>[], until: number, own?: string): SiblingsReading {
  const pods = siblings.filter(
    ({ value }) => value.status !== undefined && (own === undefined || value.metadata?.name !== own),
  );
  if (pods.length === 0) {
    const none = unknown('empty', 'no other replica with a status is in the snapshot');
    return { total: 0, dead: 0, deadShare: none, oomKilled: none };
  }
  const deaths = pods.flatMap((pod) => deathIn(pod, until) ?? []);
  const killed = deaths.flatMap(({ killed: from }) => from ?? []);
  const proof = deaths.length > 0 ? deaths.map(({ from }) => from) : pods.flatMap(nameOf);
  const [first, ...more] = proof.slice(0, 12);
  const deadShare =
    first === undefined
      ? unknown('failed', 'the sibling pods have no names')
      : known(deaths.length / pods.length, first, ...more);
  const oomKilled =
    killed.length === 0 ? unknown('empty', 'none of them was') : known(killed.length, ...killed.slice(0, 12));
  return { total: pods.length, dead: deaths.length, deadShare, oomKilled };
}

type Death = { readonly from: Citation; readonly killed: Citation | undefined };

function nameOf({ value, path }: Placed<Pod>): readonly Citation[] {
  const cited =
    field(value.metadata?.name, `${path}/metadata/name`) ?? field(value.status?.phase, `${path}/status/phase`);
  return cited === undefined ? [] : [cited.from];
}

function deathIn({ value, path }: Placed<Pod>, until: number): Death | undefined {
  const statuses: readonly ContainerStatus[] = value.status?.containerStatuses ?? [];
  for (const [i, status] of statuses.entries()) {
    for (const place of ['state', 'lastState'] as const) {
      const finished = finishedAt(status[place]);
      const at = parseTime(finished);
      if (at === undefined || at > until + CLOCK_SKEW_MS || at < until - WINDOW_MS) continue;
      const p = `${path}/status/containerStatuses/${i}/${place}/terminated`;
      const from = field(finished, `${p}/finishedAt`)?.from;
      const reason = status[place]?.terminated?.reason;
      const killed = reason === 'OOMKilled' ? field(reason, `${p}/reason`)?.from : undefined;
      return from && { from, killed };
    }
  }
  return undefined;
}

function finishedAt(state: ContainerState | undefined): string | undefined {
  return state?.terminated?.finishedAt;
}

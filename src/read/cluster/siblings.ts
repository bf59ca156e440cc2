import type { Citation } from '../../model/citation.ts';
import type { Placed } from '../../model/json-file.ts';
import type { ContainerState, ContainerStatus, Pod } from '../../model/kubernetes.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { CLOCK_SKEW_MS, parseTime } from '../text/when.ts';
import { fieldOf } from './read-pod-json.ts';

const field = fieldOf('siblings.json');
/** How long before an end another pod’s end may belong to it. */
export const WINDOW_MS = 20 * 60_000;

/**
 * Share of the other replicas of which a container died in the 20 minutes before `until` (epoch ms, the death or the
 * capture). `own` is the name of the pod that is looked at, which stands in the list as well.
 */
export function readSiblings(siblings: readonly Placed<Pod>[], until: number, own?: string): Reading<number> {
  const pods = siblings.filter(
    ({ value }) => value.status !== undefined && (own === undefined || value.metadata?.name !== own),
  );
  if (pods.length === 0) {
    return unknown('empty', 'no other replica with a status is in the snapshot');
  }
  const deaths = pods.flatMap((pod) => deathIn(pod, until) ?? []);
  const proof = deaths.length > 0 ? deaths : pods.flatMap(nameOf);
  const [first, ...more] = proof.slice(0, 12);
  return first === undefined
    ? unknown('failed', 'the sibling pods have no names')
    : known(deaths.length / pods.length, first, ...more);
}

function nameOf({ value, path }: Placed<Pod>): readonly Citation[] {
  const cited =
    field(value.metadata?.name, `${path}/metadata/name`) ?? field(value.status?.phase, `${path}/status/phase`);
  return cited === undefined ? [] : [cited.from];
}

function deathIn({ value, path }: Placed<Pod>, until: number): Citation | undefined {
  const statuses: readonly ContainerStatus[] = value.status?.containerStatuses ?? [];
  for (const [i, status] of statuses.entries()) {
    for (const place of ['state', 'lastState'] as const) {
      const finished = finishedAt(status[place]);
      const at = parseTime(finished);
      if (at === undefined || at > until + CLOCK_SKEW_MS || at < until - WINDOW_MS) continue;
      return field(finished, `${path}/status/containerStatuses/${i}/${place}/terminated/finishedAt`)?.from;
    }
  }
  return undefined;
}

function finishedAt(state: ContainerState | undefined): string | undefined {
  return state?.terminated?.finishedAt;
}

import { known, type Reading, unknown } from '../reading.ts';
import type { EventView } from './container-states.ts';
import type { ContainerDeath } from './death.ts';
import type { PodEvidence } from './gather.ts';
import { eventsNear, isFailedProbe } from './probe-kill.ts';

/** How a probe failed; `not-found` is a path or a service that the server does not have, `unwell` an answer that says so. */
export const PROBE_ANSWERS = ['not-found', 'unwell', 'refused', 'timeout', 'other'] as const;
export type ProbeAnswer = (typeof PROBE_ANSWERS)[number];

// kubernetes/kubernetes pkg/probe/http/http.go, pkg/probe/tcp/tcp.go, pkg/probe/grpc/grpc.go, pkg/probe/exec/exec.go; net of Go.
const WORDS: readonly (readonly [ProbeAnswer, RegExp])[] = [
  ['not-found', /\bstatus ?code: 404\b|does not implement the grpc health protocol|rpc error: code = Unimplemented/i],
  ['unwell', /\bstatus ?code: 5\d\d\b|service unhealthy \(responded with/i],
  ['refused', /\bconnection refused\b|\bconnect: no route to host\b/i],
  ['timeout', /\bdeadline exceeded\b|\bClient\.Timeout\b|\btimed? ?out\b|\brequest canceled\b/i],
];

/** What the failing probe of the container got for an answer, by the last event that tells. */
export function readProbeAnswer(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  takenAt?: number,
): Reading<ProbeAnswer> {
  const failed = eventsNear(evidence, death, takenAt).filter(isFailedProbe).toSorted(byTime);
  const last = failed.at(-1);
  if (last?.message === undefined) {
    return unknown('not-in-snapshot', 'no event of a liveness or startup probe that failed is in the snapshot');
  }
  const { value, from } = last.message;
  return known(WORDS.find(([, words]) => words.test(value))?.[0] ?? 'other', from);
}

function byTime(one: EventView, other: EventView): number {
  return (one.lastAt ?? 0) - (other.lastAt ?? 0) || (other.agoSec ?? 0) - (one.agoSec ?? 0);
}

import { known, type Reading } from '../../read/reading.ts';
import { CLOCK_SKEW_MS, isOfOtherZone } from '../../read/text/when.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { hasFailedAgain } from '../evidence/kill-or-own-error.ts';
import type { Life } from '../evidence/line-cause.ts';
import { runOfLog } from '../log/run-of-log.ts';
import { loadsOnDemand } from './on-demand.ts';

// What ships with a start-up probe gives a start two hours at the most, downloads and compilation included (NVIDIA Dynamo,
// docs/kubernetes/operations/health-probes: 720 times 10 s; Rebellions' chart: 240 times 30 s): twice that is none.
const LONGER_THAN_A_START_MS = 4 * 3_600_000;

/**
 * By a life that is far longer than any start. The first part of a log, bars or a quiet log level show no more than the
 * start, however long the engine served: where the log is silent for all that time, its last step is not what it did last.
 */
export function fromLongLife(evidence: Evidence): Reading<Life> | undefined {
  const { death, kubernetes } = evidence;
  if (death.kind === 'none' || death.isOpen || loadsOnDemand(evidence) || hasFailedAgain(evidence)) return undefined;
  const { uptime } = death.death;
  const neverReady = kubernetes.readiness.kind === 'known' && kubernetes.readiness.value === 'before-ready';
  if (uptime.kind === 'unknown' || neverReady) return undefined;
  const silent = silenceBefore(evidence, uptime.value * 1000);
  return silent !== undefined && silent >= LONGER_THAN_A_START_MS ? known('serving', ...uptime.from) : undefined;
}

/** From the last line with a time to the death; the whole life where no line has one, undefined where the clocks do not fit. */
function silenceBefore({ death, kernel, log: { main } }: Evidence, lived: number): number | undefined {
  if (death.kind === 'none' || death.death.at.kind === 'unknown' || main === undefined) return lived;
  const { instance, moment } = runOfLog({ death, kernel }, main);
  // The log of the run after it tells nothing of this one.
  if (instance === 1 && death.death.place === 'lastState') return lived;
  const began = death.death.at.value - lived;
  const [first, last] = [moment(1).to, moment(main.lines).from];
  if (!Number.isFinite(last) || last === began) return lived;
  const silent = death.death.at.value - last;
  // The log begins with the container: how long it goes on needs no time zone.
  if (isOfOtherZone(first - began)) return lived - (last - first);
  return isOfOtherZone(silent) || silent > lived + CLOCK_SKEW_MS ? undefined : silent;
}

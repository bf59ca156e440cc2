import type { Citation } from '../../model/citation.ts';
import type { Cause } from '../../model/taxonomy.ts';
import { BY_SIGNAL_9, exitCodeOf } from '../../read/cluster/death.ts';
import { endsNothing } from '../../read/log/signs-of-work.ts';
import { CLOCK_SKEW_MS } from '../../read/text/when.ts';
import { areApart, instanceOf, type Moment, ONE_INCIDENT_MS, runOfLog } from '../log/run-of-log.ts';
import type { Evidence } from './evidence.ts';
import { ownErrorOf } from './exception.ts';

/**
 * What a kill for lack of RAM is to what the log says that the engine ended on: `older`, another incident; `open`, where
 * nothing tells which of the two was the end; undefined where the log says nothing of its own, or the kill was the end.
 */
export type Standing = 'older' | 'open' | undefined;

/** By the times of both, by the run that wrote the log, and by how the container ended. */
export function standingOfKill(evidence: Evidence, kill: Moment): Standing {
  const line = ownFailure(evidence);
  const { death } = evidence;
  const { main } = evidence.log;
  if (line === undefined || main === undefined) return undefined;
  const failed = runOfLog(evidence, main).moment(line);
  if (areApart(failed, kill)) return failed.from > kill.to ? 'older' : undefined;
  // Without a status nothing tells that the process which the kernel killed was the first of the container.
  if (death.kind === 'none') return 'open';
  // containerd sets OOMKilled when any process of the container is killed; how the container ended its exit code tells
  // (internal/cri/server/events.go).
  const code = exitCodeOf(death);
  return isOfLaterRun(evidence) || isAfter(failed, kill) || (code !== undefined && code !== BY_SIGNAL_9)
    ? 'open'
    : undefined;
}

/** Whether the log reports the failure of a run that began after the death that the status reports. */
export function hasFailedAgain(evidence: Evidence): boolean {
  const { decisive } = evidence.weighing;
  const isTold =
    decisive !== undefined && decisive.file === evidence.log.main?.file && !endsNothing(decisive.signature);
  return isOfLaterRun(evidence) && (isTold || ownErrorOf(evidence) !== undefined);
}

function isOfLaterRun({ log: { main }, death }: Evidence): boolean {
  if (main === undefined || death.kind === 'none') return false;
  return death.death.place === 'lastState' && instanceOf(main.file, death) === 1;
}

function isAfter(failed: Moment, kill: Moment): boolean {
  const after = failed.from - kill.to;
  return after > CLOCK_SKEW_MS && after <= ONE_INCIDENT_MS;
}

// Whoever loses a process that was killed says that it is not reached any more.
const ECHO: ReadonlySet<Cause | undefined> = new Set<Cause | undefined>(['none.comm']);

/** The line on which the engine ended by its own account, where that is no lack of RAM and no echo of another's end. */
function ownFailure(evidence: Evidence): number | undefined {
  const { decisive } = evidence.weighing;
  const { main } = evidence.log;
  if (decisive !== undefined && decisive.file === main?.file && !endsNothing(decisive.signature)) {
    const { plane, causes } = decisive.signature;
    return plane === 'host' || ECHO.has(causes[0]) ? undefined : decisive.hit.line;
  }
  return lineOf(ownErrorOf(evidence));
}

function lineOf(from: Citation | undefined): number | undefined {
  return from?.kind === 'line' ? from.line : undefined;
}

import type { Citation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import type { StateView } from '../../read/cluster/container-states.ts';
import { BY_SIGNAL_9, isEnd } from '../../read/cluster/death.ts';
import { type Evidence, evidenceOfRun } from '../evidence/evidence.ts';
import { citeHit, isSameReport, type Weighed, withSignatures } from '../evidence/weigh.ts';
import {
  ANY_TIME,
  instanceOf,
  lifeOf,
  type Moment,
  momentAt,
  type Run,
  type RunOfLog,
  runOfLog,
} from '../log/run-of-log.ts';
import { runsOf, runsOfKills } from './container-runs.ts';

/**
 * A failure with its place in time: the run of the container, `line` its place in that run's log (infinite for the end of the
 * run), `at` epoch ms. Each is undefined where nothing tells it.
 */
export type MemoryFailure = {
  readonly plane: 'gpu' | 'host';
  readonly instance: Run | undefined;
  readonly line: number | undefined;
  readonly at: number | undefined;
  readonly moment: Moment;
  readonly from: readonly Citation[];
  /** The run whose log reports it, where that is not the log that is looked at. */
  readonly run?: LogReading;
};

const END = Number.POSITIVE_INFINITY;

/** The failures of memory that the logs, the status and the kernel prove. */
export function readMemoryFailures(evidence: Evidence): readonly MemoryFailure[] {
  return [...fromLogs(evidence), ...fromStatus(evidence), ...fromKernel(evidence)];
}

function fromLogs(evidence: Evidence): readonly MemoryFailure[] {
  const { log } = evidence;
  const own = log.whole === undefined ? [] : runsOf(log.whole, log.main);
  const ended = [...(log.before === undefined ? [] : [log.before]), ...own.slice(0, -1)];
  const last = [...own.slice(-1), ...(log.next === undefined ? [] : [log.next])];
  return [
    ...ended.flatMap((run) =>
      [
        ...failuresIn(run, runOfLog(evidence, run)),
        ...endedOn(evidenceOfRun(evidence, run), run, runOfLog(evidence, run)),
      ].map((failure) => ({ ...failure, run })),
    ),
    ...last.flatMap((run) =>
      failuresIn(run, runOfLog(evidence, run)).map((failure) => (run === log.next ? { ...failure, run } : failure)),
    ),
  ];
}

// CUDA has the same words for page-locked RAM, so that its line is no proof; where it decides how its run ended it counts.
function endedOn(
  { weighing: { decisive }, log }: Evidence,
  run: LogReading,
  wrote: RunOfLog,
): readonly MemoryFailure[] {
  if (decisive?.signature.plane !== 'gpu' || decisive.signature.weight !== 'strong' || decisive.file !== log.main?.file)
    return [];
  return [{ ...failureAt(decisive, 'gpu', wrote), run }];
}

function failureAt(weighed: Weighed, plane: MemoryFailure['plane'], { instance, moment }: RunOfLog): MemoryFailure {
  const { line, at } = weighed.hit;
  return { plane, instance, line, at, moment: moment(line), from: [citeHit(weighed)] };
}

function failuresIn(run: LogReading, wrote: RunOfLog): readonly MemoryFailure[] {
  const proofs = withSignatures([run]).filter(
    ({ signature }) => signature.weight === 'proof' && (signature.plane === 'gpu' || signature.plane === 'host'),
  );
  return proofs.flatMap((weighed, i) => {
    const { plane } = weighed.signature;
    const other = proofs.slice(0, i).find((before) => before.signature.plane !== plane && isOneReport(before, weighed));
    if (other !== undefined || (plane !== 'gpu' && plane !== 'host')) return [];
    return [failureAt(weighed, plane, wrote)];
  });
}

const MINUTE_MS = 60_000;

// An engine goes on in the words of its layers: RAM that its allocator did not get is the buffer that the next one misses.
function isOneReport(before: Weighed, after: Weighed): boolean {
  if (before.hit.line === after.hit.line) return true;
  const [a, b] = [before.hit.at, after.hit.at];
  const atOnce = a === undefined || b === undefined || b - a < MINUTE_MS;
  return atOnce && before.signature.engine === after.signature.engine && isSameReport(before, after);
}

function fromStatus({ death: reading }: Evidence): readonly MemoryFailure[] {
  if (reading.kind === 'none' || reading.isOpen || reading.death.role !== 'engine') return [];
  const { state, lastState } = reading.death.view;
  return [...killedIn(lastState, 0), ...killedIn(state, 1)];
}

function killedIn(state: StateView | undefined, instance: 0 | 1): readonly MemoryFailure[] {
  if (!isEnd(state) || state.reason?.value !== 'OOMKilled') return [];
  const { startedAt, finishedAt, exitCode } = state;
  const from = [state.reason.from];
  const isEndOfRun = exitCode === undefined || exitCode.value === BY_SIGNAL_9;
  if (isEndOfRun) {
    const at = finishedAt?.value;
    return [{ plane: 'host', instance, line: END, at, moment: momentAt(at), from }];
  }
  // containerd sets OOMKilled when a process of the container is killed; the container may live on and end by another
  // cause hours later (internal/cri/server/events.go). With another exit code the kill may be older than the line.
  const moment = { from: startedAt?.value ?? ANY_TIME.from, to: finishedAt?.value ?? ANY_TIME.to };
  return [{ plane: 'host', instance, line: undefined, at: undefined, moment, from }];
}

// What the kernel of the node tells, by itself or through a detector of problems.
function fromKernel(evidence: Evidence): readonly MemoryFailure[] {
  const { kernel, nodeKills, death, pod, log } = evidence;
  const ofEvents = [...nodeKills.ofNode, ...nodeKills.ofContainer].map(({ at, from }) => ({ at, from: [from] }));
  const kills = [...(kernel?.kills ?? []), ...ofEvents];
  const runs = runsOfKills(kills, death, pod);
  return kills.map((kill, i): MemoryFailure => {
    // Without a status a kill is of the run whose log is there.
    const instance = runs[i] ?? (death.kind === 'none' ? instanceOf(log.main?.file ?? '', death) : undefined);
    const moment = kill.at === undefined ? lifeOf(death, instance) : momentAt(kill.at);
    const line = endedItsRun(evidence, instance) ? END : undefined;
    return { plane: 'host', instance, line, at: kill.at, moment, from: kill.from };
  });
}

// A run that ended by signal 9 ended by the kill; one without a status, where its log names no failure of the device.
function endedItsRun(evidence: Evidence, instance: Run | undefined): boolean {
  const { death, log } = evidence;
  if (death.kind === 'none') {
    const last = log.whole && runsOf(log.whole, log.main).at(-1);
    return last === undefined || !failuresIn(last, runOfLog(evidence, last)).some(({ plane }) => plane === 'gpu');
  }
  const { state, lastState } = death.death.view;
  const end = instance === 1 ? state : instance === 0 ? lastState : undefined;
  return isEnd(end) && end.exitCode?.value === BY_SIGNAL_9;
}

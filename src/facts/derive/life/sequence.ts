import type { Citation } from '../../../model/citation.ts';
import type { LogReading } from '../../../model/log-reading.ts';
import { isEnd } from '../../pod/death.ts';
import { known } from '../../pod/finding.ts';
import type { StateView } from '../../pod/view.ts';
import { fact, type Group } from '../draft.ts';
import { type Evidence, evidenceOfRun } from '../evidence.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit, isBeside, type Weighed, withPhrases } from '../weigh/weigh.ts';
import { runsOf } from './ended-runs.ts';
import { causeInLife, lastMilestone, readLife } from './life.ts';

/**
 * A failure with its place in time: `instance` counts container runs (0 before the one that is looked at, 1 that one,
 * 2 the next), `line` its place in that run's log (infinite for the end of the run), `at` epoch ms where known.
 */
type Failure = {
  readonly plane: 'gpu' | 'host';
  readonly instance: number;
  readonly line: number;
  readonly at: number | undefined;
  readonly from: readonly Citation[];
  /** The run whose log tells of it. */
  readonly run?: LogReading;
};

const END = Number.POSITIVE_INFINITY;

/**
 * Whether both memories are seen to have failed, and which one first. Only proofs count on either side, and a line of the
 * device that its own run ended with: a later run failed for something else.
 */
export function deriveSequence(evidence: Evidence): Group {
  const failures = [...fromLogs(evidence), ...fromStatus(evidence), ...fromKernel(evidence)];
  const gpu = first(failures.filter(({ plane }) => plane === 'gpu'));
  const host = first(failures.filter(({ plane }) => plane === 'host'));
  if (gpu === undefined || host === undefined) return { 'sequence.order': onePlane(evidence, gpu ?? host) };
  const from = [...gpu.from.slice(0, 1), ...host.from.slice(0, 1)];
  const times = { 'sequence.gpu-at': fact(gpu.at, gpu.from), 'sequence.host-at': fact(host.at, host.from) };
  if (isSticky(evidence, gpu, host)) return { 'sequence.order': known('unordered', ...from) };
  const order = compare(gpu, host);
  if (order === 0) return { 'sequence.order': known('unordered', ...from), ...times };
  return {
    ...times,
    'sequence.order': known(order < 0 ? 'gpu-then-host' : 'host-then-gpu', ...from),
    ...ofFirst(evidence, order < 0 ? gpu : host),
  };
}

// Phase and cause of a sequence are those of the failure that came first, which may stand in the log of another run.
function ofFirst(evidence: Evidence, failure: Failure): Group {
  const of = failure.run === undefined ? evidence : evidenceOfRun(evidence, failure.run);
  const life = readLife(of);
  const { decisive } = of.weighing;
  const cause = decisive && causeInLife(decisive, life.kind === 'known' ? life.value : undefined);
  const loading = failure.plane === 'gpu' && lastMilestone(of)?.milestone === 'load-begin';
  return {
    'sequence.first-life': life,
    'sequence.first-cause':
      decisive && fact(cause ?? (loading ? 'gpu.startup.weights' : undefined), [citeHit(decisive)]),
  };
}

function onePlane({ weighing, log }: Evidence, failure: Failure | undefined) {
  if (failure !== undefined) return fact('one-plane', failure.from);
  const { decisive } = weighing;
  const last = lastLine(log.main);
  if (decisive === undefined) return last && fact('nothing-seen', [last]);
  return fact('one-plane', [{ kind: 'line', file: decisive.file, line: decisive.hit.line, text: decisive.hit.text }]);
}

function first(failures: readonly Failure[]): Failure | undefined {
  return failures.toSorted(compare)[0];
}

function compare(a: Failure, b: Failure): number {
  if (a.at !== undefined && b.at !== undefined && a.at !== b.at) return a.at - b.at;
  if (a.instance !== b.instance) return a.instance - b.instance;
  return a.line === b.line ? 0 : a.line - b.line;
}

// containerd sets OOMKilled when a process of the container is killed; the container may live on and end by another
// cause hours later (internal/cri/server/events.go). With an exit code other than 137 the kill may be older than the line.
function isSticky({ death }: Evidence, gpu: Failure, host: Failure): boolean {
  if (death.kind === 'none' || host.line !== END || gpu.instance !== host.instance) return false;
  const code = death.death.end.exitCode?.value;
  return code !== undefined && code !== 137;
}

function fromLogs(evidence: Evidence): readonly Failure[] {
  const { log, readings } = evidence;
  const own = log.whole === undefined ? [] : runsOf(log.whole, log.main);
  const ended = [
    ...(log.before === undefined ? [] : [{ run: log.before, instance: 0 }]),
    ...inInstance(own.slice(0, -1), 1),
  ];
  const last = [...inInstance(own.slice(-1), 1), ...inInstance(log.next === undefined ? [] : [log.next], 2)];
  return [
    ...ended.flatMap(({ run, instance }) =>
      [...failuresIn(run, instance, readings), ...endedOn(evidenceOfRun(evidence, run), run, instance)].map(
        (failure) => ({ ...failure, run }),
      ),
    ),
    ...last.flatMap(({ run, instance }) => failuresIn(run, instance, readings)),
  ];
}

function inInstance(runs: readonly LogReading[], instance: number) {
  return runs.map((run) => ({ run, instance }));
}

// CUDA has the same words for page-locked RAM, so that its line is no proof; where it decides how its run ended it counts.
function endedOn({ weighing: { decisive }, log }: Evidence, run: LogReading, instance: number): readonly Failure[] {
  if (decisive?.phrase.plane !== 'gpu' || decisive.phrase.weight !== 'strong' || decisive.file !== log.main?.file)
    return [];
  return [{ plane: 'gpu', instance, line: decisive.hit.line, at: decisive.hit.at, from: [citeHit(decisive)], run }];
}

function failuresIn(run: LogReading, instance: number, { phrases }: Evidence['readings']): readonly Failure[] {
  const proofs = withPhrases([run], phrases.byId).filter(
    ({ phrase }) => phrase.weight === 'proof' && (phrase.plane === 'gpu' || phrase.plane === 'host'),
  );
  return proofs.flatMap((weighed, i) => {
    const { plane } = weighed.phrase;
    const other = proofs.slice(0, i).find((before) => before.phrase.plane !== plane && isOneReport(before, weighed));
    if (other !== undefined || (plane !== 'gpu' && plane !== 'host')) return [];
    return [{ plane, instance, line: weighed.hit.line, at: weighed.hit.at, from: [citeHit(weighed)] }];
  });
}

const MINUTE_MS = 60_000;

// An engine goes on in the words of its layers: RAM that its allocator did not get is the buffer that the next one misses.
function isOneReport(before: Weighed, after: Weighed): boolean {
  if (before.hit.line === after.hit.line) return true;
  const [a, b] = [before.hit.at, after.hit.at];
  const atOnce = a === undefined || b === undefined || b - a < MINUTE_MS;
  return atOnce && before.phrase.engine === after.phrase.engine && isBeside(before, after);
}

function fromStatus({ death: reading }: Evidence): readonly Failure[] {
  if (reading.kind === 'none' || reading.death.role !== 'engine') return [];
  const { death } = reading;
  const other = death.place === 'state' ? death.view.lastState : death.view.state;
  return [...killedIn(death.end, 1), ...killedIn(other, death.place === 'state' ? 0 : 2)];
}

function killedIn(state: StateView | undefined, instance: number): readonly Failure[] {
  if (!isEnd(state) || state.reason?.value !== 'OOMKilled') return [];
  return [{ plane: 'host', instance, line: END, at: state.finishedAt?.value, from: [state.reason.from] }];
}

function fromKernel({ kernel }: Evidence): readonly Failure[] {
  return (kernel?.kills ?? []).map(({ at, from }) => ({ plane: 'host', instance: 1, line: END, at, from }));
}

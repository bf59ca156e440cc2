import type { Citation } from '../../../model/citation.ts';
import type { LogReading } from '../../../model/log-reading.ts';
import { isEnd } from '../../pod/death.ts';
import { known } from '../../pod/finding.ts';
import type { StateView } from '../../pod/view.ts';
import { fact, type Group } from '../draft.ts';
import { type Evidence, evidenceOfRun } from '../evidence.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit, isBeside, type Weighed, withPhrases } from '../weigh/weigh.ts';
import { causeBeside } from './cause-beside.ts';
import { runsOf } from './ended-runs.ts';
import { killedInNextRun } from './killed-next.ts';
import { causeInLife, lastMilestone, readLife } from './life.ts';
import { areApart, type Moment, momentAt, ONE_INCIDENT_MS } from './moment.ts';
import { instanceOf, type RunOfLog, runOfLog } from './run-of-log.ts';
import { readSecondWhen } from './second-when.ts';

/**
 * A failure with its place in time: `instance` counts container runs (0 the previous one, 1 the current one), `line` its
 * place in that run's log (infinite for the end of the run), `at` epoch ms where known.
 */
type Failure = {
  readonly plane: 'gpu' | 'host';
  readonly instance: number;
  readonly line: number;
  readonly at: number | undefined;
  readonly moment: Moment;
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
  const failures = ofLastIncident([...fromLogs(evidence), ...fromStatus(evidence), ...fromKernel(evidence)]);
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
    'sequence.second-run': secondRun(evidence),
    'sequence.order': known(order < 0 ? 'gpu-then-host' : 'host-then-gpu', ...from),
    ...ofFirst(evidence, order < 0 ? gpu : host),
    'sequence.second-when':
      gpu.instance === host.instance ? undefined : readSecondWhen(runOf(evidence, order < 0 ? host : gpu)),
  };
}

// Phase and cause of a sequence are those of the failure that came first, which may stand in the log of another run.
function ofFirst(evidence: Evidence, failure: Failure): Group {
  const of = runOf(evidence, failure);
  const life = readLife(of);
  const { decisive } = of.weighing;
  const when = life.kind === 'known' ? life.value : undefined;
  const cause = decisive && (causeInLife(decisive, when) ?? causeBeside(of.weighing, decisive, when));
  const loading = failure.plane === 'gpu' && lastMilestone(of)?.milestone === 'load-begin';
  return {
    'sequence.first-life': life,
    'sequence.first-cause':
      decisive && fact(cause ?? (loading ? 'gpu.startup.weights' : undefined), [citeHit(decisive)]),
  };
}

function runOf(evidence: Evidence, { run }: Failure): Evidence {
  return run === undefined ? evidence : evidenceOfRun(evidence, run);
}

function onePlane({ weighing, log }: Evidence, failure: Failure | undefined) {
  if (failure !== undefined) return fact('one-plane', failure.from);
  const { decisive } = weighing;
  const last = lastLine(log.main);
  if (decisive === undefined) return last && fact('nothing-seen', [last]);
  return fact('one-plane', [{ kind: 'line', file: decisive.file, line: decisive.hit.line, text: decisive.hit.text }]);
}

/** The newest failure with those that it follows in turn: what failed hours before is another incident. */
function ofLastIncident(failures: readonly Failure[]): readonly Failure[] {
  const [newest, ...older] = failures.toSorted((a, b) => b.moment.from - a.moment.from);
  if (newest === undefined) return [];
  let [kept, left] = [[newest], older];
  for (let before = 0; before < kept.length; ) {
    before = kept.length;
    const near = (one: Failure) => kept.some((other) => !areApart(one.moment, other.moment));
    [kept, left] = [[...kept, ...left.filter(near)], left.filter((one) => !near(one))];
  }
  return kept;
}

function first(failures: readonly Failure[]): Failure | undefined {
  return failures.toSorted(compare)[0];
}

function compare(a: Failure, b: Failure): number {
  const between = (a.at ?? Number.NaN) - (b.at ?? Number.NaN);
  // Further from each other than one incident lasts, one of them is told in another time zone.
  if (between !== 0 && Math.abs(between) <= ONE_INCIDENT_MS) return between;
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
  const ended = [...(log.before === undefined ? [] : [log.before]), ...own.slice(0, -1)];
  const last = [...own.slice(-1), ...(log.next === undefined ? [] : [log.next])];
  return [
    ...ended.flatMap((run) =>
      [
        ...failuresIn(run, runOfLog(evidence, run), readings),
        ...endedOn(evidenceOfRun(evidence, run), run, runOfLog(evidence, run)),
      ].map((failure) => ({ ...failure, run })),
    ),
    ...last.flatMap((run) => failuresIn(run, runOfLog(evidence, run), readings)),
    ...(log.main === undefined ? [] : killedAgain(evidence, log.main)),
  ];
}

function killedAgain(evidence: Evidence, main: LogReading): readonly Failure[] {
  const next = killedInNextRun(evidence);
  return next === undefined ? [] : [failureAt(next.killed, 'host', runOfLog(evidence, main))];
}

function secondRun(evidence: Evidence) {
  const next = killedInNextRun(evidence);
  return next && known(next.again, citeHit(next.killed));
}

// CUDA has the same words for page-locked RAM, so that its line is no proof; where it decides how its run ended it counts.
function endedOn({ weighing: { decisive }, log }: Evidence, run: LogReading, wrote: RunOfLog): readonly Failure[] {
  if (decisive?.phrase.plane !== 'gpu' || decisive.phrase.weight !== 'strong' || decisive.file !== log.main?.file)
    return [];
  return [{ ...failureAt(decisive, 'gpu', wrote), run }];
}

function failureAt(weighed: Weighed, plane: Failure['plane'], { instance, moment }: RunOfLog): Failure {
  const { line, at } = weighed.hit;
  return { plane, instance, line, at, moment: moment(line), from: [citeHit(weighed)] };
}

function failuresIn(run: LogReading, wrote: RunOfLog, { phrases }: Evidence['readings']): readonly Failure[] {
  const proofs = withPhrases([run], phrases.byId).filter(
    ({ phrase }) => phrase.weight === 'proof' && (phrase.plane === 'gpu' || phrase.plane === 'host'),
  );
  return proofs.flatMap((weighed, i) => {
    const { plane } = weighed.phrase;
    const other = proofs.slice(0, i).find((before) => before.phrase.plane !== plane && isOneReport(before, weighed));
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
  return atOnce && before.phrase.engine === after.phrase.engine && isBeside(before, after);
}

function fromStatus({ death: reading }: Evidence): readonly Failure[] {
  if (reading.kind === 'none' || reading.isOpen || reading.death.role !== 'engine') return [];
  const { state, lastState } = reading.death.view;
  return [...killedIn(lastState, 0), ...killedIn(state, 1)];
}

function killedIn(state: StateView | undefined, instance: number): readonly Failure[] {
  if (!isEnd(state) || state.reason?.value !== 'OOMKilled') return [];
  const at = state.finishedAt?.value;
  return [{ plane: 'host', instance, line: END, at, moment: momentAt(at), from: [state.reason.from] }];
}

// dmesg does not tell of which run: of the one whose log is looked at.
function fromKernel({ kernel, log, death }: Evidence): readonly Failure[] {
  const instance = instanceOf(log.main?.file ?? '', death);
  return (kernel?.kills ?? []).map(({ at, from }) => ({
    plane: 'host',
    instance,
    line: END,
    at,
    moment: momentAt(at),
    from,
  }));
}

import type { Citation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { Cause } from '../../model/taxonomy.ts';
import type { StateView } from '../../read/cluster/container-states.ts';
import { BY_SIGNAL_9, isEnd } from '../../read/cluster/death.ts';
import { known } from '../../read/reading.ts';
import { defineFacts } from '../define.ts';
import type { Group } from '../draft.ts';
import { fact } from '../draft.ts';
import { type Evidence, evidenceOfRun } from '../evidence/evidence.ts';
import { causeBeside, causeInLife } from '../evidence/line-cause.ts';
import { citeHit, isBeside, type Weighed, withPhrases } from '../evidence/weigh.ts';
import { ANY_TIME, areApart, type Moment, momentAt, tellsOrder } from '../log/moment.ts';
import { instanceOf, lifeOf, type Run, type RunOfLog, runOfLog } from '../log/run-of-log.ts';
import { lastLine } from '../log/tail-lines.ts';
import { runsOf } from './ended-runs.ts';
import { lastMilestone, readLife } from './life.ts';
import { runsOfKills } from './run-of-kill.ts';

/**
 * A failure with its place in time: the run of the container, `line` its place in that run's log (infinite for the end of the
 * run), `at` epoch ms. Each is undefined where nothing tells it.
 */
type Failure = {
  readonly plane: 'gpu' | 'host';
  readonly instance: Run | undefined;
  readonly line: number | undefined;
  readonly at: number | undefined;
  readonly moment: Moment;
  readonly from: readonly Citation[];
  /** The run whose log tells of it, where that is not the log that is looked at. */
  readonly run?: LogReading;
};

const END = Number.POSITIVE_INFINITY;

const FIRST_LOG = 'the log of the run that failed first';

/**
 * Whether both memories are seen to have failed, and which one first. Only proofs count on either side, and a line of the
 * device that its own run ended with: a later run failed for something else.
 */
export const SEQUENCE_FACTS = defineFacts(
  {
    'sequence.order': {
      unit: 'choice',
      values: ['gpu-then-host', 'host-then-gpu', 'unordered', 'one-plane', 'nothing-seen'],
      says: 'the memories that failed, in their order',
      needs: 'the log and the pod status, for the times of both failures',
    },
    'sequence.gpu-at': {
      unit: 'time',
      says: 'when GPU memory first ran out, where both did',
      needs: 'the time of that line',
    },
    'sequence.host-at': {
      unit: 'time',
      says: 'when RAM first ran out, where both did',
      needs: 'the time of that death or line',
    },
    'sequence.first-life': {
      unit: 'choice',
      values: ['starting', 'serving'],
      says: 'what the engine was doing at the first of two failures',
      needs: FIRST_LOG,
    },
    'sequence.first-cause': {
      unit: 'choice',
      values: [...Cause.options],
      says: 'cause that the line of the first of two failures names',
      needs: FIRST_LOG,
    },
  },
  (evidence) => {
    const failures = ofLastIncident([...fromLogs(evidence), ...fromStatus(evidence), ...fromKernel(evidence)]);
    const gpu = first(failures.filter(({ plane }) => plane === 'gpu'));
    const host = first(failures.filter(({ plane }) => plane === 'host'));
    if (gpu === undefined || host === undefined) return { 'sequence.order': onePlane(evidence, gpu ?? host) };
    const from = [...gpu.from.slice(0, 1), ...host.from.slice(0, 1)];
    const times = { 'sequence.gpu-at': fact(gpu.at, gpu.from), 'sequence.host-at': fact(host.at, host.from) };
    const order = compare(gpu, host);
    if (order === 0) return { 'sequence.order': known('unordered', ...from), ...times };
    return {
      ...times,
      'sequence.order': known(order < 0 ? 'gpu-then-host' : 'host-then-gpu', ...from),
      ...ofFirst(evidence, order < 0 ? gpu : host),
    };
  },
);

// Phase and cause of a sequence are those of the failure that came first, which may stand in the log of another run.
function ofFirst(evidence: Evidence, failure: Failure) {
  const of = runOf(evidence, failure);
  if (of === undefined) return undefined;
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

/** The evidence as the run of a failure shows it; undefined where no log of that run is there. */
function runOf(evidence: Evidence, { run, instance }: Failure): Evidence | undefined {
  if (run !== undefined) return evidenceOfRun(evidence, run);
  const { main, whole, before, next } = evidence.log;
  if (main === undefined || instance === undefined || runOfLog(evidence, main).instance === instance) return evidence;
  const other = [before, next, whole].find((log) => log && runOfLog(evidence, log).instance === instance);
  return other && evidenceOfRun(evidence, other);
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
  return failures.reduce<Failure | undefined>(
    (best, one) => (best === undefined || compare(one, best) < 0 ? one : best),
    undefined,
  );
}

function compare(a: Failure, b: Failure): number {
  const isKnown = a.instance !== undefined && b.instance !== undefined;
  // Clocks may differ by minutes; that one run came after the other does not.
  if (isKnown && a.instance !== b.instance) return (a.instance ?? 0) - (b.instance ?? 0);
  const between = (a.at ?? Number.NaN) - (b.at ?? Number.NaN);
  if (tellsOrder(between)) return between;
  if (!isKnown) return 0;
  return a.line === undefined || b.line === undefined || a.line === b.line ? 0 : a.line - b.line;
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
    ...last.flatMap((run) =>
      failuresIn(run, runOfLog(evidence, run), readings).map((failure) =>
        run === log.next ? { ...failure, run } : failure,
      ),
    ),
  ];
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

function killedIn(state: StateView | undefined, instance: 0 | 1): readonly Failure[] {
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
function fromKernel(evidence: Evidence): readonly Failure[] {
  const { kernel, nodeKills, death, pod, log } = evidence;
  const ofEvents = [...nodeKills.ofNode, ...nodeKills.ofContainer].map(({ at, from }) => ({ at, from: [from] }));
  const kills = [...(kernel?.kills ?? []), ...ofEvents];
  const runs = runsOfKills(kills, death, pod);
  return kills.map((kill, i): Failure => {
    // Without a status a kill is of the run whose log is there.
    const instance = runs[i] ?? (death.kind === 'none' ? instanceOf(log.main?.file ?? '', death) : undefined);
    const moment = kill.at === undefined ? lifeOf(death, instance) : momentAt(kill.at);
    const line = endedItsRun(evidence, instance) ? END : undefined;
    return { plane: 'host', instance, line, at: kill.at, moment, from: kill.from };
  });
}

// A run that ended by signal 9 ended by the kill; one without a status, where its log names no failure of the device.
function endedItsRun(evidence: Evidence, instance: Run | undefined): boolean {
  const { death, log, readings } = evidence;
  if (death.kind === 'none') {
    const last = log.whole && runsOf(log.whole, log.main).at(-1);
    return (
      last === undefined || !failuresIn(last, runOfLog(evidence, last), readings).some(({ plane }) => plane === 'gpu')
    );
  }
  const { state, lastState } = death.death.view;
  const end = instance === 1 ? state : instance === 0 ? lastState : undefined;
  return isEnd(end) && end.exitCode?.value === BY_SIGNAL_9;
}

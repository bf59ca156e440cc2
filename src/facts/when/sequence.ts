import { Cause } from '../../model/taxonomy.ts';
import { known } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import { type Evidence, evidenceOfRun } from '../evidence/evidence.ts';
import { causeInLife, causeInReport } from '../evidence/line-cause.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact } from '../log/draft.ts';
import { areApart, runOfLog, tellsOrder } from '../log/run-of-log.ts';
import { lastLine } from '../log/tail-lines.ts';
import { lastMilestone, readLife } from './life.ts';
import { type MemoryFailure, readMemoryFailures } from './memory-failures.ts';

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
    const { gpu, host } = firstFailures(evidence);
    if (gpu === undefined || host === undefined) return { 'sequence.order': onePlane(evidence, gpu ?? host) };
    const from = [...gpu.from.slice(0, 1), ...host.from.slice(0, 1)];
    const times = { 'sequence.host-at': fact(host.at, host.from) };
    const order = compare(gpu, host);
    if (order === 0) return { 'sequence.order': known('unordered', ...from), ...times };
    return {
      ...times,
      'sequence.order': known(order < 0 ? 'gpu-then-host' : 'host-then-gpu', ...from),
      ...ofFirst(evidence, order < 0 ? gpu : host),
    };
  },
);

/** Of the last incident the first failure of each memory. */
export function firstFailures(evidence: Evidence): Readonly<Record<'gpu' | 'host', MemoryFailure | undefined>> {
  const failures = ofLastIncident(readMemoryFailures(evidence));
  const of = (wanted: MemoryFailure['plane']) => first(failures.filter(({ plane }) => plane === wanted));
  return { gpu: of('gpu'), host: of('host') };
}

// Phase and cause of a sequence are those of the failure that came first, which may stand in the log of another run.
function ofFirst(evidence: Evidence, failure: MemoryFailure) {
  const of = runOf(evidence, failure);
  if (of === undefined) return undefined;
  const life = readLife(of);
  const { decisive } = of.weighing;
  const when = life.kind === 'known' ? life.value : undefined;
  const cause = decisive && (causeInLife(decisive, when) ?? causeInReport(of.weighing, decisive, when));
  const loading = failure.plane === 'gpu' && lastMilestone(of)?.milestone === 'load-begin';
  return {
    'sequence.first-life': life,
    'sequence.first-cause':
      decisive && fact(cause ?? (loading ? 'gpu.startup.weights' : undefined), [citeHit(decisive)]),
  };
}

/** The evidence as the run of a failure shows it; undefined where no log of that run is there. */
function runOf(evidence: Evidence, { run, instance }: MemoryFailure): Evidence | undefined {
  if (run !== undefined) return evidenceOfRun(evidence, run);
  const { main, whole, before, next } = evidence.log;
  if (main === undefined || instance === undefined || runOfLog(evidence, main).instance === instance) return evidence;
  const other = [before, next, whole].find((log) => log && runOfLog(evidence, log).instance === instance);
  return other && evidenceOfRun(evidence, other);
}

function onePlane({ weighing, log }: Evidence, failure: MemoryFailure | undefined) {
  if (failure !== undefined) return fact('one-plane', failure.from);
  const { decisive } = weighing;
  const last = lastLine(log.main);
  if (decisive === undefined) return last && fact('nothing-seen', [last]);
  return fact('one-plane', [{ kind: 'line', file: decisive.file, line: decisive.hit.line, text: decisive.hit.text }]);
}

/** The newest failure with those that it follows in turn: what failed hours before is another incident. */
function ofLastIncident(failures: readonly MemoryFailure[]): readonly MemoryFailure[] {
  const [newest, ...older] = failures.toSorted((a, b) => b.moment.from - a.moment.from);
  if (newest === undefined) return [];
  let [kept, left] = [[newest], older];
  for (let before = 0; before < kept.length; ) {
    before = kept.length;
    const near = (one: MemoryFailure) => kept.some((other) => !areApart(one.moment, other.moment));
    [kept, left] = [[...kept, ...left.filter(near)], left.filter((one) => !near(one))];
  }
  return kept;
}

function first(failures: readonly MemoryFailure[]): MemoryFailure | undefined {
  return failures.reduce<MemoryFailure | undefined>(
    (best, one) => (best === undefined || compare(one, best) < 0 ? one : best),
    undefined,
  );
}

function compare(a: MemoryFailure, b: MemoryFailure): number {
  const isKnown = a.instance !== undefined && b.instance !== undefined;
  // Clocks may differ by minutes; that one run came after the other does not.
  if (isKnown && a.instance !== b.instance) return (a.instance ?? 0) - (b.instance ?? 0);
  const between = (a.at ?? Number.NaN) - (b.at ?? Number.NaN);
  if (tellsOrder(between)) return between;
  if (!isKnown) return 0;
  return a.line === undefined || b.line === undefined || a.line === b.line ? 0 : a.line - b.line;
}

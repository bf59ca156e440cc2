import type { Facts, FactValue, Unit } from '../../model/fact.ts';
import { formatFact } from '../../model/format-value.ts';
import type { Block, Mark } from '../../model/message.ts';
import type { Diagnosis, Verdict } from '../../model/verdict.ts';
import { knownValue } from '../words/report-input.ts';
import { clip } from '../words/sentence.ts';
import { milestoneWords } from '../words/verdict-words.ts';

type RowSpec = {
  readonly fact: string;
  readonly name: string;
  readonly unit: Unit;
  /** The fact it is held against, with words before its value. */
  readonly limit?: { readonly fact: string; readonly words: string };
  readonly judge: (value: FactValue, limit: FactValue | undefined, verdict: Verdict) => readonly [Mark, string];
};

const AS_SET = 'as configured';
// From here on a pool is called full of work, and from there on full, as in the playbook.
const KV_BUSY = 0.9;
const KV_FULL = 0.95;

const isAbove = (value: FactValue, mark: number): boolean => typeof value === 'number' && value >= mark;
const info = (words: string) => (): readonly [Mark, string] => ['info', words];
const over =
  (mark: number, bad: string, ok: string) =>
  (value: FactValue): readonly [Mark, string] =>
    typeof value === 'number' && value >= mark ? ['bad', bad] : ['ok', ok];

const SHAPES: Readonly<Record<string, readonly [Mark, string]>> = {
  climb: ['bad', 'grows without end'],
  spike: ['warn', 'one sudden rise'],
  'flat-high': ['warn', 'high all along'],
  'flat-low': ['ok', 'low all along'],
  plateau: ['info', 'rose, then stayed'],
  irregular: ['info', 'up and down'],
};
const KILLS: Readonly<Record<string, readonly [Mark, string]>> = {
  container: ['bad', 'for the limit of the container'],
  pod: ['bad', 'for the limit of the whole pod'],
  node: ['bad', 'the node itself was short'],
  'numa-nodes': ['bad', 'NUMA nodes were short'],
  unstated: ['bad', 'whose limit is not stated'],
  no: ['ok', 'none seen'],
};

// In the order of weight within a plane; those that prove the finding come first whatever their place.
const SPECS: readonly RowSpec[] = [
  {
    fact: 'death.reason',
    name: 'ended with',
    unit: 'text',
    limit: { fact: 'death.exit-code', words: 'exit code' },
    judge: (v) => (v === 'OOMKilled' ? ['bad', 'RAM limit'] : ['info', 'no RAM kill by itself']),
  },
  {
    fact: 'gpu.want',
    name: 'one allocation',
    unit: 'bytes',
    limit: { fact: 'gpu.free', words: 'free' },
    judge: (v, l) =>
      typeof v === 'number' && typeof l === 'number' && v <= l
        ? ['warn', 'refused although free']
        : ['bad', 'did not fit'],
  },
  {
    fact: 'engine.kv-needed',
    name: 'KV cache for one sequence',
    unit: 'bytes',
    limit: { fact: 'engine.kv-available', words: 'there is' },
    judge: (v, l) =>
      typeof v === 'number' && typeof l === 'number' && v > l ? ['bad', 'does not fit'] : ['ok', 'fits'],
  },
  {
    fact: 'engine.max-model-len',
    name: 'maximum length',
    unit: 'tokens',
    limit: { fact: 'engine.estimated-max-len', words: 'fits' },
    judge: (v, l) => (typeof v === 'number' && typeof l === 'number' && v > l ? ['bad', 'too long'] : ['info', AS_SET]),
  },
  { fact: 'gpu.unmanaged', name: 'GPU memory outside PyTorch', unit: 'bytes', judge: info('context, graphs, others') },
  {
    fact: 'gpu.reserved-unallocated',
    name: 'reserved, not allocated',
    unit: 'bytes',
    limit: { fact: 'gpu.want', words: 'wanted' },
    judge: judgeSlack,
  },
  {
    fact: 'engine.weights',
    name: 'weights per GPU',
    unit: 'bytes',
    limit: { fact: 'gpu.total', words: 'of' },
    judge: info('by the engine'),
  },
  { fact: 'gpu.used-share', name: 'GPU memory in use', unit: 'share', judge: info('engines fill it by design') },
  {
    fact: 'ram.used-share',
    name: 'RAM in use',
    unit: 'share',
    limit: { fact: 'ram.limit', words: 'limit' },
    judge: over(0.95, 'at the limit', 'below the limit'),
  },
  {
    fact: 'ram.shape',
    name: 'RAM over time',
    unit: 'choice',
    judge: (v) => SHAPES[String(v)] ?? ['info', 'as measured'],
  },
  {
    fact: 'kv-cache.used-share',
    name: 'KV cache in use',
    unit: 'share',
    judge: (v) =>
      isAbove(v, KV_BUSY) && !isAbove(v, KV_FULL) ? ['warn', 'nearly full'] : over(KV_FULL, 'full', 'has room')(v),
  },
  {
    fact: 'requests.waiting',
    name: 'requests waiting',
    unit: 'count',
    limit: { fact: 'requests.running', words: 'running' },
    judge: info('load at the time'),
  },
  { fact: 'engine.last-milestone', name: 'start-up reached', unit: 'choice', judge: info('last milestone seen') },
  { fact: 'engine.utilization', name: 'memory fraction', unit: 'share', judge: info(AS_SET) },
  {
    fact: 'death.uptime',
    name: 'lived for',
    unit: 'duration',
    limit: { fact: 'death.restarts', words: 'restarts' },
    judge: info('until the end'),
  },
  {
    fact: 'kernel.oom-kill',
    name: 'kernel oom-kill',
    unit: 'choice',
    judge: (v) => KILLS[String(v)] ?? ['info', 'by the kernel'],
  },
];

// Whether pieces are the cause the playbook has weighed; by themselves they are on every full card.
function judgeSlack(value: FactValue, want: FactValue | undefined, verdict: Verdict): readonly [Mark, string] {
  if (verdict.cause === PIECES) return [verdict.causeCertain ? 'bad' : 'warn', 'in pieces'];
  if (verdict.alternatives.includes(PIECES)) return ['warn', 'perhaps in pieces'];
  if (typeof value !== 'number' || typeof want !== 'number') return ['info', 'kept for reuse'];
  return value < want ? ['info', 'less than was wanted'] : ['info', 'no piece was large enough'];
}

const PIECES = 'gpu.chronic.fragmentation';

const MOST = 6;

/** At most six rows of what was seen, the limit and what it means; undefined where nothing is known. */
export function rowsBlock({ verdict }: Diagnosis, facts: Facts): Block | undefined {
  const proof = new Set(verdict.evidence.map(({ fact }) => fact));
  const known = SPECS.filter(({ fact }) => tells(knownValue(facts, fact)));
  const ranked = [
    ...known.filter(({ fact }) => proof.has(fact)),
    ...known.filter(({ fact }) => !proof.has(fact) && fits(fact, verdict.plane)),
  ];
  const rows = ranked.slice(0, MOST).map((spec) => toRow(spec, verdict, facts));
  return rows.length === 0 ? undefined : { kind: 'rows', rows };
}

// `none` is how a choice says that nothing was seen: a row of it would tell a reader nothing.
function tells(value: FactValue | undefined): boolean {
  return value !== undefined && value !== 'none' && value !== '';
}

function fits(fact: string, plane: string): boolean {
  if (plane === 'host') return !/^(gpu|kv-cache|engine\.(kv|weights|max|util)|requests)/.test(fact);
  if (plane === 'none') return /^(death|engine\.last|kernel)/.test(fact);
  return plane !== 'gpu' || !/^(ram|kernel)/.test(fact);
}

function toRow({ fact, name, unit, limit, judge }: RowSpec, about: Verdict, facts: Facts) {
  const value = knownValue(facts, fact) ?? '';
  const against = limit === undefined ? undefined : knownValue(facts, limit.fact);
  const [mark, verdict] = judge(value, against, about);
  const limitUnit =
    limit?.fact === 'death.exit-code' || limit?.fact === 'death.restarts' || limit?.fact === 'requests.running'
      ? 'count'
      : limit?.fact.startsWith('ram.limit')
        ? 'bytes'
        : unit;
  const found = facts.get(fact);
  const isDefault = found?.kind === 'known' && found.byDefault === true;
  return {
    name,
    seen: clip(milestoneWords(String(value)) ?? formatFact(unit, found), 60),
    limit:
      against === undefined ? '-' : clip(`${limit?.words} ${formatFact(limitUnit, facts.get(limit?.fact ?? ''))}`, 60),
    verdict: isDefault && verdict === AS_SET ? 'by default' : verdict,
    mark,
  };
}

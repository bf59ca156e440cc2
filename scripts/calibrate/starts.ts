import { stateOfRecord } from '../../src/app/budget/start-records.ts';
import { outcomeOf } from '../../src/budget/outcome.ts';
import { deviceClassOf } from '../../src/budget/startup-error.ts';
import type { BudgetOutcome } from '../../src/model/budget.ts';
import { GIB } from '../../src/model/quantity.ts';
import type { StartRecord } from '../../src/model/start-record.ts';

type Stage = 'before load' | 'after load';

/** A start, and the budget that its settings lead to before anything of its pool is printed. */
export type Compared = {
  readonly record: StartRecord;
  readonly stage: Stage;
  readonly outcome: BudgetOutcome;
  readonly device: string;
  readonly isNew: boolean;
  /** Estimate minus printed figure, in GiB; undefined where one of them is not there. */
  readonly error: number | undefined;
  readonly inside: boolean | undefined;
};

export function compareStarts(records: readonly StartRecord[]): readonly Compared[] {
  return records.flatMap((record) => {
    // A fraction that nobody saw makes no sum.
    if (/util\w*[^;.]{0,20}\bnot\b/i.test(record.notes ?? '')) return [];
    const state = stateOfRecord(record);
    const unloaded = { ...state, figures: { ...state.figures, weightsBytes: undefined } };
    const stages: readonly (readonly [Stage, typeof state])[] =
      state.figures.weightsBytes === undefined
        ? [['before load', unloaded]]
        : [
            ['before load', unloaded],
            ['after load', state],
          ];
    return stages.map(([stage, of]) => compare(record, stage, of));
  });
}

function compare(record: StartRecord, stage: Stage, state: ReturnType<typeof stateOfRecord>): Compared {
  const outcome = outcomeOf(state);
  const { pool, interval } = outcome;
  const printed = record.kv_gib;
  const error = pool.kind === 'known' && printed != null ? pool.value / GIB - printed : undefined;
  const inside =
    interval === undefined || printed == null
      ? undefined
      : printed * GIB >= interval.low && printed * GIB <= interval.high;
  return {
    record,
    stage,
    outcome,
    device: `${state.engine} ${deviceClassOf(record.gpu, state.figures.totalBytes)}`,
    isNew: !(state.version !== undefined && /^0\.(?:\d|1\d|20)(?:\.|$)/.test(state.version)),
    error,
    inside,
  };
}

const quantile = (sorted: readonly number[], share: number) => {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
};

type Summary = {
  readonly n: number;
  readonly median: number;
  readonly p90: number;
  readonly inside: number;
  readonly says: string;
};

function summary(name: string, all: readonly Compared[]): Summary {
  const errors = all.flatMap(({ error }) => error ?? []).toSorted((a, b) => a - b);
  const sizes = errors.map(Math.abs).toSorted((a, b) => a - b);
  const within = all.filter(({ inside }) => inside === true).length;
  const inside = errors.length === 0 ? Number.NaN : within / errors.length;
  const [median, p90] = [quantile(sizes, 0.5), quantile(sizes, 0.9)];
  const figures = [quantile(errors, 0.05), quantile(errors, 0.95), median, p90].map((value) =>
    value.toFixed(2).padStart(6),
  );
  const says = [
    name.padEnd(34),
    String(errors.length).padStart(4),
    ...figures,
    `${(100 * inside).toFixed(0)}%`.padStart(7),
  ];
  return { n: errors.length, median, p90, inside, says: says.join('  ') };
}

const HEAD = ['class'.padEnd(34), '   n', '    p5', '   p95', 'median', '   p90', ' inside'].join('  ');

export function drawClasses(compared: readonly Compared[]): string {
  const classes = Map.groupBy(
    compared,
    ({ stage, device, isNew }) =>
      `${device}${device.startsWith('vllm') ? (isNew ? ' >=0.21' : ' <0.21') : ''}, ${stage}`,
  );
  const lines = [...classes].map(([name, all]) => summary(name, all)).filter(({ n }) => n > 0);
  const wrong = compared.flatMap(wrongStart);
  return [
    'Error of the KV pool in GiB (estimate minus printed; median and p90 of its size)',
    HEAD,
    ...lines.map(({ says }) => says).toSorted(),
    ...STAGES.map((stage) => summary(`vllm discrete, ${stage}`, discrete(compared, stage)).says),
    ...STAGES.map((stage) => `Leave one model out, discrete, ${stage}: ${held(discrete(compared, stage))} inside`),
    `Starts judged wrongly: ${wrong.length === 0 ? 'none' : wrong.join('; ')}`,
    judgedWords(compared),
  ].join('\n');
}

const STAGES = ['before load', 'after load'] as const;

function discrete(compared: readonly Compared[], stage: Stage): readonly Compared[] {
  return compared.filter((one) => one.stage === stage && one.device === 'vllm discrete');
}

// In GiB on both sides, as the tables have it for classes of few starts.
const SPARE = 0.3;

// The interval of a class without a model, for the starts of that model.
function held(all: readonly Compared[]): string {
  const known = all.filter(({ error }) => error !== undefined);
  const inside = known.filter((one) => {
    const others = known.filter((other) => other.record.model !== one.record.model && other.isNew === one.isNew);
    const errors = others.flatMap(({ error }) => error ?? []).toSorted((a, b) => a - b);
    const error = one.error ?? Number.NaN;
    return error >= quantile(errors, 0.05) - SPARE && error <= quantile(errors, 0.95) + SPARE;
  });
  return `${inside.length} of ${known.length}`;
}

function judgedWords(compared: readonly Compared[]): string {
  const kinds = Map.groupBy(compared, ({ outcome: { start } }) =>
    start.kind === 'refuses' ? 'will not start' : start.proven ? 'will start' : 'may not start',
  );
  return `Judged: ${[...kinds].map(([kind, all]) => `${all.length} ${kind}`).join(', ')}`;
}

// What is refused for something other than the pool, or hangs, no sum tells.
const OF_THE_POOL = /^kv-/;

function wrongStart({ record, stage, outcome: { start } }: Compared): readonly string[] {
  const refused = record.started === false && OF_THE_POOL.test(record.refusal?.kind ?? '');
  if (refused && start.kind === 'starts' && start.proven) return [`${record.id} (${stage}) was refused`];
  if (record.started === true && start.kind === 'refuses') return [`${record.id} (${stage}) started: ${start.why}`];
  return [];
}

export function drawMisses(compared: readonly Compared[]): string {
  return compared
    .filter(({ error }) => error !== undefined)
    .map(({ record, stage, device, isNew, error = Number.NaN, inside }) =>
      [
        record.id.padEnd(24),
        stage,
        device,
        isNew ? 'new' : 'old',
        error.toFixed(2),
        inside ? '' : 'OUTSIDE',
        record.model ?? '',
      ].join('  '),
    )
    .join('\n');
}

// GiB, and the least share of the printed figures inside their interval.
const MOST = { 'before load': { median: 0.5, p90: 1.5 }, 'after load': { median: 0.35, p90: 1.5 } } as const;
const LEAST_INSIDE = 0.85;
// On few starts one more or less says nothing.
const FEWEST = 10;

export function startsBelowLimits(compared: readonly Compared[]): readonly string[] {
  const wrong = compared.flatMap(wrongStart).map((says) => `judged wrongly: ${says}`);
  return [
    ...wrong,
    ...STAGES.flatMap((stage) => {
      const { n, median, p90, inside } = summary(stage, discrete(compared, stage));
      if (n < FEWEST) return [];
      const most = MOST[stage];
      return [
        ...(median > most.median
          ? [`${stage}: median error ${median.toFixed(2)} GiB, at most ${most.median} is due`]
          : []),
        ...(p90 > most.p90 ? [`${stage}: p90 of the error ${p90.toFixed(2)} GiB, at most ${most.p90} is due`] : []),
        ...(inside < LEAST_INSIDE ? [`${stage}: ${(100 * inside).toFixed(0)}% inside the interval, 85% are due`] : []),
      ];
    }),
  ];
}

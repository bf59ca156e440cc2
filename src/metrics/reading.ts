import type { MetricsEvidence, MetricsTarget, ReadContext } from '../app/ports.ts';
import { COMMON_IDS, METRIC_IDS, type MetricId } from '../model/metric-table.ts';
import type { NotRead, Series, SeriesFile } from '../model/snapshot.ts';
import type { Reason } from './prometheus-answer.ts';

export type Missing = { readonly reason: Reason; readonly detail: string };
/** Times are epoch ms, the step is ms. */
export type Window = { readonly from: number; readonly to: number; readonly stepMs: number };

/**
 * What one source of metrics gave. Every metric id is either known (a series or lines of it are there) or stands in
 * `missing`; one that is stale has both. `lines` are Prometheus text, `notes` what else the reader should know.
 */
export type Reading = {
  readonly window: Window;
  readonly series: readonly Series[];
  readonly lines: readonly string[];
  readonly missing: ReadonlyMap<MetricId, Missing>;
  readonly notes: readonly NotRead[];
};

/** Tells how many of the metrics that engines have in common were read. */
export function tellRead({ missing }: Reading, { progress }: ReadContext): void {
  const known = COMMON_IDS.filter((id) => !missing.has(id)).length;
  progress('read-metrics', known > 0 ? 'done' : 'failed', `${known} of ${COMMON_IDS.length} metrics`);
}

/** All metrics missing for one reason. */
export function allMissing(window: Window, missing: Missing, ids: readonly MetricId[] = METRIC_IDS): Reading {
  return { window, series: [], lines: [], missing: new Map(ids.map((id) => [id, missing])), notes: [] };
}

/** `more` fills what `first` lacks; of what both lack, both reasons are told. */
export function fillWith(first: Reading, more: Reading): Reading {
  const filled = new Set([...first.missing.keys()].filter((id) => !more.missing.has(id)));
  const missing = new Map<MetricId, Missing>();
  for (const [id, why] of first.missing) {
    const other = more.missing.get(id);
    if (filled.has(id)) continue;
    missing.set(id, other === undefined || other.detail === why.detail ? why : join(why, other));
  }
  return {
    window: first.window,
    series: [
      ...first.series.filter(({ id }) => !filled.has(id as MetricId)),
      ...more.series.filter(({ id }) => filled.has(id as MetricId)),
    ],
    lines: [...first.lines, ...more.lines],
    missing,
    notes: [...first.notes, ...more.notes],
  };
}

function join(first: Missing, more: Missing): Missing {
  return { reason: first.reason, detail: `${first.detail}; ${more.detail}` };
}

/** The files of a reading, and what it lacks, one line for each reason. */
export function evidenceOf(reading: Reading): MetricsEvidence {
  const { window, series, lines, missing, notes } = reading;
  const unknown = METRIC_IDS.flatMap((item) => {
    const why = missing.get(item);
    return why === undefined ? [] : [{ item, ...why }];
  });
  const file: SeriesFile = { ...window, series: [...series], unknown: [...unknown] };
  return {
    files: {
      'series.json': `${JSON.stringify(file, null, 1)}\n`,
      ...(lines.length > 0 && { 'metrics.txt': `${lines.join('\n')}\n` }),
    },
    notRead: [...grouped(unknown.filter(({ item }) => COMMON_IDS.includes(item))), ...notes],
  };
}

// Two dozen metrics fail for one reason more often than not: a person reads it once.
function grouped(unknown: readonly NotRead[]): readonly NotRead[] {
  const groups = Map.groupBy(unknown, ({ reason, detail }) => `${reason}\n${detail}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const items = group.map(({ item }) => item);
    const item = items.length === COMMON_IDS.length ? 'metrics' : `metrics: ${items.join(', ')}`;
    return [{ ...first, item }];
  });
}

/** A source of metrics that can be put together with others. Never throws. */
export type MetricsSource = {
  read(target: MetricsTarget, context: ReadContext): Promise<Reading>;
};

const BEFORE_MS = 60 * 60_000;
const AFTER_MS = 2 * 60_000;
const STEP_MS = 15_000;

/** An hour before the death (or now) to two minutes after it: 249 points at most. */
export function windowOf(diedAt: number | null, now: number): Window {
  const at = momentOf(diedAt, now);
  // Whole steps before the moment, so that the moment itself is a point.
  return { from: at - BEFORE_MS, to: diedAt === null ? at : at + AFTER_MS, stepMs: STEP_MS };
}

/** The moment looked at, epoch ms. */
export function momentOf(diedAt: number | null, now: number): number {
  return Math.round(diedAt ?? now);
}

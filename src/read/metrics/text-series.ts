import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';

/** A series read from text: repeated blocks, monitor output or a table with a time column. Points are in the order of the text. */
export type TextSeries = {
  /** Id of the metric table where the column is known, else the column's own name. */
  readonly id: string;
  readonly unit: string;
  readonly labels: Readonly<Record<string, string>>;
  /** False where the text bears no times: `at` is then the place in the row, from 0. */
  readonly timed: boolean;
  /** `at` is epoch ms, or ms of the day where the text has no date. */
  readonly points: readonly { readonly at: number; readonly value: number; readonly from: Citation }[];
};

/** The points as `shapeOf` takes them. */
export function pointsOf(series: TextSeries): readonly (readonly [number, number])[] {
  return series.points.map((point) => [point.at, point.value] as const);
}

type Reading = { readonly at: number | undefined; readonly sample: Cited<number> | undefined };

/** A series of the readings that have a value; none where there are fewer than two. */
export function seriesFrom(
  what: Pick<TextSeries, 'id' | 'unit' | 'labels'>,
  readings: readonly Reading[],
): readonly TextSeries[] {
  const known = readings.flatMap(({ at, sample }) => (sample === undefined ? [] : [{ at, sample }]));
  if (known.length < 2) return [];
  // Times that are missing or run backwards are no times: the order of the lines is what is left.
  const timed = known.every(({ at }, i) => at !== undefined && at >= (known[i - 1]?.at ?? at));
  const moves = timed && known[0]?.at !== known.at(-1)?.at;
  const points = known.map(({ at, sample }, i) => ({
    at: moves ? (at ?? i) : i,
    value: sample.value,
    from: sample.from,
  }));
  return [{ ...what, timed: moves, points }];
}

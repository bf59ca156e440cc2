import type { Citation } from '../../model/citation.ts';

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

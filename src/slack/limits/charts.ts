import { z } from 'zod';
import { id, text } from './texts.ts';

const Point = z.strictObject({ label: text(20), value: z.number() });
const Axes = z.strictObject({
  categories: z.array(text(20)).min(1).max(20),
  x_label: text(50).optional(),
  y_label: text(50).optional(),
});
const Series = z.strictObject({ name: text(20), data: z.array(Point).min(1).max(20) });

const LineChart = z
  .strictObject({ type: z.literal('line'), series: z.array(Series).min(1).max(6), axis_config: Axes })
  .refine((chart) => isUnique(chart.series.map((s) => s.name)), { error: 'series names must be unique' })
  .refine((chart) => isUnique(chart.axis_config.categories), { error: 'categories must be unique' })
  .refine((chart) => chart.series.every((s) => hasEach(s.data, chart.axis_config.categories)), {
    error: 'each series must have one data point per category',
  });

/** Not in @slack/types yet. Other clients list larger numbers; the smaller ones hold everywhere. */
export const DataVisualization = z.strictObject({
  type: z.literal('data_visualization'),
  block_id: id().optional(),
  title: text(50),
  chart: LineChart,
});
export type DataVisualization = z.infer<typeof DataVisualization>;

function isUnique(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

function hasEach(points: readonly { readonly label: string }[], categories: readonly string[]): boolean {
  const labels = new Set(points.map((p) => p.label));
  return points.length === categories.length && categories.every((c) => labels.has(c));
}

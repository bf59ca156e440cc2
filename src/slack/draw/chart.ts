import type { Block } from '../../model/message.ts';
import { timeOf } from '../../report/words/span-words.ts';
import type { DataVisualization } from '../limits/charts.ts';
import { CAPS } from '../limits/message-limits.ts';
import { clip, oneLine } from './text.ts';

type Chart = Extract<Block, { kind: 'chart' }>;
type Points = readonly (readonly [number, number])[];
type Named = { readonly name: string; readonly points: Points };

/** A line chart of at most 20 points a series; undefined where the series share too little time to stand in one picture. */
export function drawChart(chart: Chart): DataVisualization | undefined {
  const series = readable(chart);
  const times = series.flatMap((s) => s.points.map(([at]) => at));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  if (series.length === 0 || !(to > from)) return undefined;

  const peaks = series.map((s) => bucketPeaks(s.points, from, to));
  // Slack wants a point of every series in every category, and a value that was not measured must not be made up.
  const slots = slotsOf(from, to).filter((slot) => peaks.every((p) => p[slot.index] !== undefined));
  const labels = labelsOf(slots.map((slot) => slot.at));
  if (slots.length < 2 || new Set(labels).size < labels.length) return undefined;

  const scale = scaleOf(chart.unit);
  return {
    type: 'data_visualization',
    title: oneLine(chart.title, CAPS.chartTitle),
    chart: {
      type: 'line',
      series: uniqueNames(series).map((name, i) => ({
        name,
        data: slots.map((slot, j) => ({
          label: labels[j] ?? '',
          value: round((peaks[i]?.[slot.index] ?? 0) * scale.factor),
        })),
      })),
      axis_config: { categories: labels, x_label: 'time (UTC)', y_label: oneLine(scale.unit, CAPS.chartTitle) },
    },
  };
}

const BARS = '▁▂▃▄▅▆▇█';

/** A chart as lines of text: one bar per twentieth of the time, the highest value of it, with least and greatest. */
export function sparklines(chart: Chart): string[] {
  const scale = scaleOf(chart.unit);
  return readable(chart).map((series) => {
    const times = series.points.map(([at]) => at);
    const values = series.points.map(([, value]) => value * scale.factor);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const bars = bucketPeaks(series.points, Math.min(...times), Math.max(...times)).map((peak) =>
      peak === undefined ? ' ' : BARS[Math.round(((peak * scale.factor - low) / (high - low || 1)) * 7)],
    );
    return `${oneLine(series.name, 40)}  ${bars.join('')}  ${round(low)} to ${round(high)} ${oneLine(scale.unit, 20)}`;
  });
}

function readable(chart: Chart): Named[] {
  return chart.series
    .map(({ name, points }) => ({
      name,
      points: points.filter(([at, value]) => timeOf(at) !== undefined && Math.abs(value) < 1e30).slice(-5000),
    }))
    .filter((s) => s.points.length > 0);
}

function bucketPeaks(points: Points, from: number, to: number): (number | undefined)[] {
  const peaks = new Array<number | undefined>(CAPS.chartPoints).fill(undefined);
  for (const [at, value] of points) {
    const share = to > from ? (at - from) / (to - from) : 0;
    const index = Math.min(CAPS.chartPoints - 1, Math.max(0, Math.floor(share * CAPS.chartPoints)));
    peaks[index] = Math.max(peaks[index] ?? value, value);
  }
  return peaks;
}

function slotsOf(from: number, to: number): { index: number; at: number }[] {
  const width = (to - from) / CAPS.chartPoints;
  return Array.from({ length: CAPS.chartPoints }, (_, index) => ({ index, at: from + width * index }));
}

// The shortest clock that still tells the points apart.
function labelsOf(times: readonly number[]): string[] {
  const stamps = times.map((at) => timeOf(at)?.words ?? '');
  const days = new Set(stamps.map((s) => s.slice(0, 10)));
  const forms: ((stamp: string) => string)[] = [(s) => s.slice(11, 16), (s) => s.slice(11, 19)];
  const longer: ((stamp: string) => string)[] = [(s) => s.slice(5, 16), (s) => s.slice(5, 19)];
  for (const form of days.size > 1 ? longer : forms) {
    const labels = stamps.map((s) => clip(form(s), CAPS.chartLabel));
    if (new Set(labels).size === labels.length) return labels;
  }
  return stamps.map((s) => clip(s, CAPS.chartLabel));
}

function uniqueNames(series: readonly Named[]): string[] {
  const names: string[] = [];
  for (const { name } of series) {
    const short = oneLine(name, CAPS.chartLabel);
    names.push(names.includes(short) ? `${clip(short, CAPS.chartLabel - 3)} ${names.length + 1}` : short);
  }
  return names;
}

function scaleOf(unit: string): { factor: number; unit: string } {
  if (unit === 'bytes') return { factor: 2 ** -30, unit: 'GiB' };
  if (unit === 'share') return { factor: 100, unit: '%' };
  return { factor: 1, unit: unit === '' ? 'value' : unit };
}

function round(value: number): number {
  return Math.abs(value) >= 1e15 ? value : Math.round(value * 1000) / 1000;
}

import { visible, widthOf, wrap } from './text-width.ts';

const BARS = '▁▂▃▄▅▆▇█';
const ASCII = '_.-=+*#@';
const MOST = 40;

type Options = { readonly unit: string; readonly unicode: boolean; readonly width: number };

/** One series in one line, or where that is too wide in some: its name, its shape from zero, its least and greatest value and the time it covers. */
export function sparkline(
  series: { readonly name: string; readonly points: readonly (readonly [number, number])[] },
  options: Options,
): string {
  const points = series.points.filter(([, value]) => Number.isFinite(value));
  if (points.length === 0) return `  ${visible(series.name)}: no samples`;
  const values = squeeze(
    points.map(([, value]) => value),
    Math.min(MOST, options.width - 2),
  );
  const most = Math.max(...values, 0);
  const bars = options.unicode ? BARS : ASCII;
  const shape = values
    .map((v) => bars[most === 0 ? 0 : Math.round((Math.max(0, v) / most) * (bars.length - 1))] ?? ' ')
    .join('');
  const clock = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString().slice(11, 16));
  const span = `${clock(points[0]?.[0])}-${clock(points.at(-1)?.[0])}`;
  const least = Math.min(...points.map(([, v]) => v));
  const greatest = Math.max(...points.map(([, v]) => v));
  const told = `${visible(series.name)} ${round(least)} to ${round(greatest)} ${options.unit}, ${span} UTC`;
  const line = `  ${shape}  ${told}`;
  if (widthOf(line) <= options.width) return line;
  return [`  ${shape}`, ...wrap(told, options.width - 4).map((part) => `    ${part}`)].join('\n');
}

// Each bar is the greatest of its points, so that a spike stays.
function squeeze(values: readonly number[], most: number): number[] {
  if (values.length <= most) return [...values];
  return Array.from({ length: most }, (_, i) => {
    const from = Math.floor((i * values.length) / most);
    const to = Math.max(from + 1, Math.floor(((i + 1) * values.length) / most));
    return Math.max(...values.slice(from, to));
  });
}

function round(value: number): string {
  return Number(value.toFixed(1)).toString();
}

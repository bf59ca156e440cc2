import type { LineCitation } from '../../model/citation.ts';
import { type MetricId, metricMeaning } from '../../model/metric-table.ts';
import { parseSize } from '../../model/quantity.ts';
import { citeLine, type TextLine } from '../text/lines.ts';
import { parseTime, parseTimeOfDay } from '../text/when.ts';
import { needsSize, wordsMeaning } from './metric-meaning.ts';
import { METRICS_FILE } from './prometheus.ts';

/** A figure as people write it: `GPU memory 78.9 GiB of 79.1`. `value` and `limit` in `unit`; `at` as in TextSeries. */
export type Figure = {
  readonly label: string;
  readonly id: MetricId | undefined;
  readonly value: number;
  readonly limit: number | undefined;
  readonly unit: 'bytes' | 'share' | 'count';
  readonly at: number | undefined;
  readonly from: LineCitation;
};

const STAMP =
  /^\[?((?:\d{4}[-/]\d{2}[-/]\d{2}[T ])?\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)\]?[\s,|]+(?=\S)/;
const UNIT = String.raw`%|[KMGT]i?B?\b|kB\b|bytes?\b|B\b`;
const NUMBER = String.raw`\d[\d,]{0,20}(?:\.\d{1,12})?`;
// A label, then a number that is no part of a word nor of a date or a time; `a -> b` and `used / total`, `used of total`.
const FIGURE = new RegExp(
  String.raw`^(\D[^|]{0,60}?)(?:\s*[:=]\s*|\s+)[~≈]?(${NUMBER})\s?(${UNIT})?(?:\s*(?:->|→)\s*(${NUMBER})\s?(${UNIT})?)?(?:\s*(?:/|of|out of)\s*(${NUMBER})\s?(${UNIT})?)?(?![\w.]|[-/:]\d)(.*)$`,
);
const LABEL = /^[\w .,:%/-]{1,48}$/;

/** A line of a figure with a label in words; undefined for prose and for lines of more than one meaning. */
export function parseFigure(line: TextLine): Figure | undefined {
  const text = line.text.trim();
  const stamp = STAMP.exec(text);
  const at = stamp === null ? undefined : (parseTime(stamp[1]) ?? parseTimeOfDay(stamp[1] ?? ''));
  const match = FIGURE.exec(stamp === null ? text : text.slice(stamp[0].length));
  if (match === null) return undefined;
  const [, label = '', first, firstUnit, second, secondUnit, bound, boundUnit] = match;
  // A label of many words is a sentence that happens to hold a number.
  if (!LABEL.test(label) || label.split(/\s+/).length > 6) return undefined;
  const unit =
    (second === undefined ? firstUnit : secondUnit) ??
    (bound === undefined ? undefined : boundUnit) ??
    suffixUnit(label);
  const limit = bound === undefined ? undefined : scale(bound, boundUnit ?? unit).value;
  return figure({ label, value: scale(second ?? first ?? '', unit), limit, at, line });
}

type Scaled = { readonly value: number; readonly unit: Figure['unit'] };
type Raw = {
  readonly label: string;
  readonly value: Scaled;
  readonly limit: number | undefined;
  readonly at: number | undefined;
  readonly line: TextLine;
};

function figure({ label, value, limit, at, line }: Raw): Figure | undefined {
  const id = wordsMeaning(label);
  // A size without a unit, or a count where a size belongs, is another quantity than the label makes believe.
  const fits = id === undefined ? value.unit === 'bytes' : needsSize(id) === (value.unit === 'bytes');
  if (!fits || !Number.isFinite(value.value)) return undefined;
  const isShare = id !== undefined && metricMeaning(id).unit === 'share';
  return {
    label: label.trim(),
    id,
    value: isShare ? asShare(value) : value.value,
    limit,
    unit: isShare ? 'share' : value.unit,
    at,
    from: citeLine(METRICS_FILE, line),
  };
}

// `99` and `99.3` are percent although nothing says so; some engines run a little above 1.
function asShare({ value, unit }: Scaled): number {
  return unit === 'count' && value > 2 ? value / 100 : value;
}

function scale(digits: string, unit: string | undefined): Scaled {
  const number = Number(digits.replaceAll(',', ''));
  if (unit === '%') return { value: number / 100, unit: 'share' };
  if (unit === undefined) return { value: number, unit: 'count' };
  const bytes = parseSize(`${number} ${unit}`);
  return bytes === undefined ? { value: number, unit: 'count' } : { value: bytes, unit: 'bytes' };
}

// `worker_rss_kb 280032560`, `memory_bytes 123`.
function suffixUnit(label: string): string | undefined {
  return /_(kb|mb|gb|kib|mib|gib|bytes)\s*$/i.exec(label)?.[1];
}

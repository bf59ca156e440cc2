import type { LineCitation } from '../../model/citation.ts';
import { citeLine, type TextLine } from '../text/lines.ts';

export const METRICS_FILE = 'metrics.txt';

/** A sample of the Prometheus text form. `value` as exposed (NaN and infinities too); `at` epoch ms where the line has a timestamp. */
export type MetricSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly at: number | undefined;
  readonly from: LineCitation;
};

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
// Value, then a timestamp in ms; OpenMetrics writes it in seconds with a fraction, and may add an exemplar after ` # `.
const REST =
  /^\s+([+-]?(?:Inf|NaN|\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|\.\d+))(?:\s+(\d{1,16}(?:\.\d{1,9})?))?(?:\s+#\s.*)?$/i;

/** A sample of metrics.txt with its citation; undefined for any other line. */
export function readSample(line: TextLine): MetricSample | undefined {
  const sample = parseSample(line.text);
  return sample && { ...sample, from: citeLine(METRICS_FILE, line) };
}

/** A line of the Prometheus or OpenMetrics text form; undefined for HELP, TYPE and any other line. */
export function parseSample(line: string): Omit<MetricSample, 'from'> | undefined {
  const text = line.trim();
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  const block = text[name.length] === '{' ? parseLabels(text, name.length + 1) : { labels: {}, end: name.length };
  const [, value, time] = (block && REST.exec(text.slice(block.end))) ?? [];
  if (block === undefined || value === undefined) return undefined;
  return { name, labels: block.labels, value: numberOf(value), at: time === undefined ? undefined : timeOf(time) };
}

function numberOf(text: string): number {
  if (/inf/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

function timeOf(text: string): number {
  return text.includes('.') || text.length <= 10 ? Math.round(Number(text) * 1000) : Number(text);
}

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|\})\s*/y;

function parseLabels(text: string, start: number): { labels: Record<string, string>; end: number } | undefined {
  const labels: [string, string][] = [];
  if (text[start] === '}') return { labels: {}, end: start + 1 };
  LABEL.lastIndex = start;
  for (let match = LABEL.exec(text); match !== null; match = LABEL.exec(text)) {
    labels.push([match[1] ?? '', unescapeLabel(match[2] ?? '')]);
    const end = LABEL.lastIndex;
    // The blanks behind the brace separate the labels from the value.
    if (match[3] === '}') return { labels: Object.fromEntries(labels), end: text.lastIndexOf('}', end - 1) + 1 };
    if (text[end] === '}') return { labels: Object.fromEntries(labels), end: end + 1 };
    LABEL.lastIndex = end;
  }
  return undefined;
}

function unescapeLabel(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
}

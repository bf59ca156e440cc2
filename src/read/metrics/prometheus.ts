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

/** A line of the Prometheus text form; undefined for any other line. */
export function parseSample(line: TextLine): MetricSample | undefined {
  const named = parseName(line.text);
  const rest = named && REST.exec(named.rest);
  if (named === undefined || rest === undefined || rest === null) return undefined;
  const { name, labels } = named;
  const at = rest[2] === undefined ? undefined : timeOf(rest[2]);
  return { name, labels, value: numberOf(rest[1] ?? ''), at, from: citeLine(METRICS_FILE, line) };
}

type Named = Pick<MetricSample, 'name' | 'labels'> & { readonly rest: string };

/** The name of a metric at the head of a line, its labels, and what stands behind them. */
export function parseName(line: string): Named | undefined {
  const text = line.trim().replaceAll(LEFT_OUT, '');
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  const block = text[name.length] === '{' ? parseLabels(text, name.length + 1) : { labels: {}, end: name.length };
  return block && { name, labels: block.labels, rest: text.slice(block.end) };
}

function numberOf(text: string): number {
  if (/inf/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

function timeOf(text: string): number {
  return text.includes('.') || text.length <= 10 ? Math.round(Number(text) * 1000) : Number(text);
}

// Labels that people left out of what they pasted: `name{...} 6`, `name{..., reason="capacity"} 6`.
const LEFT_OUT = /(?<=[{,]\s{0,3})(?:\.{2,3}|…),?\s{0,3}(?=[}\w])/g;

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|\})\s*/y;

function parseLabels(text: string, start: number): { labels: Record<string, string>; end: number } | undefined {
  const labels: [string, string][] = [];
  if (text[start] === '}') return { labels: {}, end: start + 1 };
  LABEL.lastIndex = start;
  for (let match = LABEL.exec(text); match !== null; match = LABEL.exec(text)) {
    labels.push([match[1] ?? '', unescapeLabel(match[2] ?? '')]);
    const end = LABEL.lastIndex;
    // The blanks behind the brace part the labels from the value.
    if (match[3] === '}') return { labels: Object.fromEntries(labels), end: text.lastIndexOf('}', end - 1) + 1 };
    if (text[end] === '}') return { labels: Object.fromEntries(labels), end: end + 1 };
    LABEL.lastIndex = end;
  }
  return undefined;
}

function unescapeLabel(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
}

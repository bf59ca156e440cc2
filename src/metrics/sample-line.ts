/** One line of the Prometheus text form: `name{label="value"} 1.5 1760000000000`. Time in epoch ms. */
export function sampleLine(
  name: string,
  labels: Readonly<Record<string, string>>,
  sample: { readonly at: number; readonly value: number },
): string {
  const inner = Object.entries(labels)
    .filter(([label]) => label !== '__name__')
    .map(([label, value]) => `${label}="${escapeLabel(value)}"`)
    .join(',');
  return `${name}${inner === '' ? '' : `{${inner}}`} ${sample.value} ${sample.at}`;
}

function escapeLabel(value: string): string {
  // Other line ends would break the line for those who read it, and are no escapes of this form.
  return value
    .replace(/[\r\u2028\u2029\u0085]/g, ' ')
    .replace(/[\\"]/g, '\\$&')
    .replace(/\n/g, '\\n');
}

export type SampleHead = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly timed: boolean;
};

const HEAD =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?[ \t]+(?:[+-]?(?:\d[\d.eE+-]*|\.\d+|Inf)|NaN)([ \t]+-?\d+)?[ \t]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

// Longer lines are none of ours, and the label pattern is quadratic in a run of letters.
const MAX_LINE = 8192;

/** Name and labels of a line of that form; undefined for remarks and for what is none. `timed` where it has a time. */
export function readSampleHead(line: string): SampleHead | undefined {
  const match = line.length > MAX_LINE ? null : HEAD.exec(line);
  if (match === null) return undefined;
  const labels: Record<string, string> = {};
  for (const [, label, value] of (match[2] ?? '').matchAll(LABEL)) {
    if (label !== undefined && value !== undefined) labels[label] = unescapeLabel(value);
  }
  return { name: match[1] ?? '', labels, timed: match[3] !== undefined };
}

function unescapeLabel(value: string): string {
  return value.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
}

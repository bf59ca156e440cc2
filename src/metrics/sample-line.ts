import { type MetricSample, parseSample } from '../read/metrics/exposition.ts';

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

// Longer lines are none of ours.
const MAX_LINE = 8192;

/** A line of that form; undefined for remarks and for what is none. */
export function readSample(line: string): Omit<MetricSample, 'from'> | undefined {
  return line.length > MAX_LINE ? undefined : parseSample(line);
}

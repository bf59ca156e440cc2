import type { Citation } from '../model/citation.ts';
import { formatValue } from '../model/format-value.ts';
import { isMetricId, metricMeaning } from '../model/metric-table.ts';
import { clipMiddle } from './sentence.ts';

/** Where it stands: `vllm.previous.log:214`, `pod.json /status/phase`, `series.json container.memory`. */
export function placeOf(citation: Citation): string {
  switch (citation.kind) {
    case 'line':
      return `${citation.file}:${citation.line}`;
    case 'field':
      return `${citation.file} ${citation.path}`;
    case 'sample':
      return `${citation.file} ${citation.series}`;
  }
}

/** What stands there, at most `length` characters, its ends kept. */
export function quoteOf(citation: Citation, length: number): string {
  if (citation.kind === 'sample') return `${sampleOf(citation)} at ${formatValue('time', citation.at)}`;
  return clipMiddle(citation.text.replace(/\s+/g, ' ').trim(), length);
}

const UNITS = { bytes: 'bytes', share: 'share', seconds: 'duration' } as const;

// Bytes and shares in the words that stand elsewhere on the card: `49875307724` says nothing to anybody.
function sampleOf({ series, value }: Extract<Citation, { kind: 'sample' }>): string {
  const unit = isMetricId(series) ? metricMeaning(series).unit : undefined;
  const known = Object.entries(UNITS).find(([name]) => name === unit)?.[1];
  return known === undefined ? String(value) : formatValue(known, value);
}

/** Whether what stands there says nothing without the fact that it proves: a flag whose value stands behind it, an image that has a default. */
export function needsWords(citation: Citation): boolean {
  return citation.kind === 'field' && (/^"-[\w.-]+"$/.test(citation.text) || citation.path.endsWith('/image'));
}

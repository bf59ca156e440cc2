import type { Citation } from '../model/citation.ts';
import { formatValue } from '../model/format-value.ts';
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
  if (citation.kind === 'sample') return `${citation.value} at ${formatValue('time', citation.at)}`;
  return clipMiddle(citation.text.replace(/\s+/g, ' ').trim(), length);
}

import type { Span } from '../../model/message.ts';

// Beyond this a date cannot be written (ECMAScript time range).
const LAST_TIME = 8.64e15;

/** Spans as plain words, for where nothing can be drawn. */
export function spanWords(spans: readonly Span[]): string {
  return spans.map(wordsOf).join('');
}

function wordsOf(span: Span): string {
  switch (span.kind) {
    case 'link':
      return `${span.text} (${span.url})`;
    case 'user':
      return span.id;
    case 'group':
      return `@${span.id}`;
    case 'time':
      return timeOf(span.at)?.words ?? NO_TIME;
    default:
      return span.text;
  }
}

/** What stands where a time is none. */
export const NO_TIME = 'at an unknown time';

/** Epoch ms as whole seconds and as `2026-01-15 03:00:00 UTC`; undefined for what is no time. */
export function timeOf(at: number): { seconds: number; words: string } | undefined {
  if (!Number.isFinite(at) || Math.abs(at) > LAST_TIME) return undefined;
  const words = `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return { seconds: Math.floor(at / 1000), words };
}

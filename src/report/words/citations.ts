import { type Citation, placeOf } from '../../model/citation.ts';
import { formatValue } from '../../model/format-value.ts';
import { code } from '../../model/message.ts';
import { isMetricId, metricMeaning } from '../../model/metric-table.ts';
import { clip, clipMiddle, toLastWord, type Words } from './sentence.ts';

/** Longest quote of a log line: its prefix and PyTorch's whole report of a failure. */
export const QUOTE = 480;

/** A citation in one line: its place, then at most `length` characters of its text. */
export function cite(citation: Citation, length: number): string {
  return `${spanOf(citation)}  ${quoteOf(citation, length)}`;
}

// `previous.log:1-3`, `pod.json /spec/containers/0/args/7-8`: with the lines or elements that belong to it.
function spanOf(citation: Citation): string {
  const place = placeOf(citation);
  const more = citation.kind === 'sample' ? 0 : (citation.more?.length ?? 0);
  const first = Number(/\d+$/.exec(place)?.[0]);
  return more === 0 ? place : `${place}-${first + more}`;
}

// The words of one sentence are joined as they were before they were wrapped; the figures of a failure stay whole.
function quoteOf(citation: Citation, length: number): string {
  if (citation.kind === 'sample') return `${sampleOf(citation)} at ${formatValue('time', citation.at)}`;
  const whole = [citation.text, ...(citation.more ?? [])].join(' ');
  return shorten(whole.replaceAll(COLOUR, '').replace(/\s+/g, ' ').trim(), length);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
const COLOUR = /\u001b\[[0-9;?]{0,32}[ -/]{0,4}[@-~]/g;

const UNITS = { bytes: 'bytes', share: 'share', seconds: 'duration' } as const;

// Bytes and shares in the units of the rest of the card, not `49875307724`.
function sampleOf({ series, value }: Extract<Citation, { kind: 'sample' }>): string {
  const unit = isMetricId(series) ? metricMeaning(series).unit : undefined;
  const known = Object.entries(UNITS).find(([name]) => name === unit)?.[1];
  return known === undefined ? String(value) : formatValue(known, value);
}

/** Whether the quote means nothing without its fact: a flag alone, an image with a default. */
export function needsWords(citation: Citation): boolean {
  if (citation.kind !== 'field' || citation.more !== undefined) return false;
  return /^"-[\w.-]+"$/.test(citation.text) || citation.path.endsWith('/image');
}

/** A fact in a sentence, with its citations. */
export type Cited = { readonly fact: string; readonly says: string; readonly from: readonly Citation[] };

/** Facts as list items with their first citation, quote and whole citation clipped to the given lengths. */
export function citedItems(all: readonly Cited[], [length, most]: readonly [number, number]): Words[] {
  return all.map(({ says, from: [first] }) => {
    const proof = first === undefined ? [] : [' · ', code(clip(cite(first, length), most))];
    return [clip(says, 700), ...proof];
  });
}

// PyTorch's advice after every OOM (c10/cuda/CUDACachingAllocator.cpp).
const ADVICE =
  /\s*If reserved (?:but unallocated )?memory is (?:large|>> allocated memory),? try setting .{1,120}?(?:fragmentation\.?|$)(?:\s*See documentation for Memory Management(?: and \w{1,40})?)?(?:\s*\(https?:\/\/[^\s)]{1,200}\)?)?/g;

// PyTorch's memory report, from the requested size to the reserved memory.
const ACCOUNT =
  /(?:\w{2,6} out of memory\. )?Tried to allocate .{1,900}?(?:by PyTorch but unallocated\.?|in total by PyTorch\)?)/;

const GAP = ' … ';

/** A line of at most `length` characters: drops PyTorch's advice first, then the prefix before the figures, then the middle. */
export function shorten(line: string, length: number): string {
  const text = line.replaceAll(ADVICE, ' …').trim();
  if ([...text].length <= length) return text;
  return aroundAccount(text, length) ?? clipMiddle(text, length);
}

function aroundAccount(text: string, length: number): string | undefined {
  const found = ACCOUNT.exec(text);
  if (found === null) return undefined;
  const [account] = found;
  const isLast = found.index + account.length === text.length;
  const room = length - [...account].length - (isLast ? 0 : GAP.trimEnd().length);
  const before = text.slice(0, found.index);
  // A prefix this short is useless.
  if (room < (before === '' ? 0 : GAP.length + 10)) return undefined;
  const cut = toLastWord([...before].slice(0, room - GAP.length).join(''));
  const head = [...before].length <= room ? before : `${cut}${GAP}`;
  return `${head}${account}${isLast ? '' : GAP.trimEnd()}`;
}

import { type Citation, placeOf } from '../../model/citation.ts';
import { formatValue } from '../../model/format-value.ts';
import { code } from '../../model/message.ts';
import { isMetricId, metricMeaning } from '../../model/metric-table.ts';
import { clip, clipMiddle, toLastWord, type Words } from './sentence.ts';

/** The longest head of a log line, and the whole account of a failure behind it: so much of a line is quoted as proof. */
export const QUOTE = 480;

/** A citation in one line: where it stands and what stands there, at most `length` characters of it. */
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

// Bytes and shares in the words that stand elsewhere on the card: `49875307724` says nothing to anybody.
function sampleOf({ series, value }: Extract<Citation, { kind: 'sample' }>): string {
  const unit = isMetricId(series) ? metricMeaning(series).unit : undefined;
  const known = Object.entries(UNITS).find(([name]) => name === unit)?.[1];
  return known === undefined ? String(value) : formatValue(known, value);
}

/** Whether what stands there says nothing without the fact that it proves: a flag alone, an image that has a default. */
export function needsWords(citation: Citation): boolean {
  if (citation.kind !== 'field' || citation.more !== undefined) return false;
  return /^"-[\w.-]+"$/.test(citation.text) || citation.path.endsWith('/image');
}

/** Something that belongs to the story of an incident: the fact, a sentence, and where it can be looked up. */
export type Cited = { readonly fact: string; readonly says: string; readonly from: readonly Citation[] };

/** Such things as rows, each with its proof: at most so much of what is quoted, and of it all. */
export function citedItems(all: readonly Cited[], [length, most]: readonly [number, number]): Words[] {
  return all.map(({ says, from: [first] }) => {
    const proof = first === undefined ? [] : [' · ', code(clip(cite(first, length), most))];
    return [clip(says, 700), ...proof];
  });
}

// What PyTorch puts behind the figures of every failure, whatever they are (c10/cuda/CUDACachingAllocator.cpp).
const ADVICE =
  /\s*If reserved (?:but unallocated )?memory is (?:large|>> allocated memory),? try setting .{1,120}?(?:fragmentation\.?|$)(?:\s*See documentation for Memory Management(?: and \w{1,40})?)?(?:\s*\(https?:\/\/[^\s)]{1,200}\)?)?/g;

// From what was wanted to what was reserved: the account that decides.
const ACCOUNT =
  /(?:\w{2,6} out of memory\. )?Tried to allocate .{1,900}?(?:by PyTorch but unallocated\.?|in total by PyTorch\)?)/;

const GAP = ' … ';

/** A line of at most `length` characters. What is the same under every failure goes first, then what stands before the figures of a failure, then the middle. */
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
  // A head too short to tell anything is no head.
  if (room < (before === '' ? 0 : GAP.length + 10)) return undefined;
  const cut = toLastWord([...before].slice(0, room - GAP.length).join(''));
  const head = [...before].length <= room ? before : `${cut}${GAP}`;
  return `${head}${account}${isLast ? '' : GAP.trimEnd()}`;
}

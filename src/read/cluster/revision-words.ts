import { parseQuantity } from '../../model/quantity.ts';
import { parseCount } from '../engine/arguments.ts';
import type { Change } from './revisions.ts';

const MOST = 2;
const LONGEST = 60;

/** Changes as verbs behind "the rollout": `cut the memory limit from 64Gi to 32Gi and raised --max-num-seqs from 64 to 256`; `nothing` for none. */
export function changeWords(changes: readonly Change[]): string {
  if (changes.length === 0) return 'nothing';
  const shown = changes.slice(0, MOST).map(wordsOf);
  const more = changes.length - shown.length;
  return more === 0 ? shown.join(' and ') : `${shown.join(', ')} and changed ${more} more`;
}

function wordsOf({ key, before, now }: Change): string {
  const [from, to] = [before, now].map((value) => (value === undefined ? undefined : short(String(value))));
  if (key === 'image') return imageWords(from, to);
  if (key === 'limits.memory') return limitWords({ before, now });
  const name = /^word \d+$/.test(key) ? 'the command' : key;
  if (from === undefined) return `added ${name}${to === '' ? '' : ` ${to}`}`;
  if (to === undefined) return `removed ${name}${from === '' ? '' : ` ${from}`}`;
  const sign = (numberOf(to) ?? Number.NaN) - (numberOf(from) ?? Number.NaN);
  const verb = Number.isNaN(sign) ? 'changed' : sign < 0 ? 'lowered' : 'raised';
  return `${verb} ${name} from ${from} to ${to}`;
}

function limitWords({ before, now }: Pick<Change, 'before' | 'now'>): string {
  if (before === undefined) return `set a memory limit of ${now}`;
  if (now === undefined) return `removed the memory limit of ${before}`;
  const isCut = (parseQuantity(now) ?? 0) < (parseQuantity(before) ?? 0);
  return `${isCut ? 'cut' : 'raised'} the memory limit from ${before} to ${now}`;
}

// Of one repository the tags tell all that there is.
function imageWords(from: string | undefined, to: string | undefined): string {
  const [a, b] = [from, to].map((image = '') => /^(.+):([^:/]+)$/.exec(image));
  const isTag = a !== null && a?.[1] !== undefined && a[1] === b?.[1];
  return isTag ? `changed the image tag from ${a?.[2]} to ${b?.[2]}` : `changed the image from ${from} to ${to}`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > LONGEST ? `…${line.slice(1 - LONGEST)}` : line;
}

/** The number that a flag is given: `32k` as 32768. */
export function numberOf(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? parseCount(text) : value;
}

import { MIB, parseSize } from '../../../model/quantity.ts';

/** A size or a share in a line, with the words that belong to it. */
export type Amount = {
  /** Bytes, or hundredths of a share. */
  readonly value: number;
  readonly unit: 'bytes' | 'share';
  readonly at: number;
  /** The words before and behind it, up to the next amount or what parts the two. */
  readonly words: string;
  /** Whether an arrow or a `to` leads from the amount before it to this one. */
  readonly led: boolean;
};

const NUMBER = /(?<![\w.,:-])[~≈+]?(\d[\d,]{0,12}(?:\.\d{1,4})?)(?:\s?([kKMGT]i?B?|%))?(?![\w:]|[.,]\d|-\w)/g;
const TOTAL = /\s*(?:\/|\bof\b)\s*\d[\d.,]{0,12}\s?(?:[kKMGT]i?B?)?(?![\w.])/g;
const PARTS = /[,;，；。]|\b(?:and|then|but|while|versus|vs)\b/i;
const JOINS =
  /^\s*(?:GB|GiB)?\s*(?:up to|down to|to|->|-->|=>|→|>|升?到|涨到|变成|[,/|]|then|and then|, then)\s*(?:over |about |some |nearly |almost |the |its |a |[\u4e00-\u9fff]{0,6})?[~≈]?\s*$/i;

type Raw = { readonly digits: string; readonly unit: string | undefined; readonly at: number; readonly end: number };

/** The sizes and shares of a line in their order; one that bears no unit takes that of the one it is joined to. */
export function amountsIn(line: string): readonly Amount[] {
  const text = line.replaceAll(TOTAL, (total, at: number) => (isTotal(line, at) ? ' '.repeat(total.length) : total));
  const raw: readonly Raw[] = [...text.matchAll(NUMBER)].map((match) => ({
    digits: match[1] ?? '',
    unit: match[2],
    at: match.index,
    end: match.index + match[0].length,
  }));
  const joined = raw.map(({ at }, i) => i > 0 && JOINS.test(text.slice(raw[i - 1]?.end ?? 0, at)));
  const units = withShared(raw, joined).map((unit, i) => unit ?? unitOfFree(text, raw[i]?.at ?? 0));
  const sized = raw.flatMap((one, i) => {
    const unit = units[i];
    const value = unit === undefined ? undefined : sizeOf(one.digits, unit);
    if (unit === undefined || value === undefined) return [];
    const led = joined[i] === true && !LISTED.test(text.slice(raw[i - 1]?.end ?? 0, one.at));
    return [{ ...one, value, led, share: unit === '%' }];
  });
  return sized.map(({ at, value, led, share }, i) => ({
    value,
    at,
    led,
    unit: share ? 'share' : 'bytes',
    words: wordsAbout(text, sized, i),
  }));
}

const LISTED = /^\s*[,/|]/;

// `9.1GiB / 125GiB`, `31.9 of 32 GB`: what there is beside what is used; `0.3 / 2.8 / 5.3` is a list.
function isTotal(line: string, at: number): boolean {
  return (
    /\d\s?(?:[kKMGT]i?B?)?$/.test(line.slice(0, at)) && !/\d\s*\/\s*[\d.]+\s*\/|\/\s*[\d.]+\s*$/.test(line.slice(0, at))
  );
}

function withShared(raw: readonly Raw[], joined: readonly boolean[]): readonly (string | undefined)[] {
  const units = raw.map(({ unit }) => unit);
  for (let i = raw.length - 2; i >= 0; i -= 1) if (joined[i + 1]) units[i] ??= units[i + 1];
  for (let i = 1; i < raw.length; i += 1) if (joined[i]) units[i] ??= units[i - 1];
  return units;
}

// `free -g`, `free -m`: the column that people copy bears no unit.
function unitOfFree(text: string, at: number): string | undefined {
  const option = /\bfree -([gm])\b/.exec(text)?.[1];
  return option !== undefined && /\bused:? {0,2}$/.test(text.slice(0, at)) ? `${option.toUpperCase()}iB` : undefined;
}

function sizeOf(digits: string, unit: string): number | undefined {
  const bare = digits.replaceAll(',', '');
  if (unit === '%') return Number(bare);
  const bytes = parseSize(`${bare} ${unit}`);
  return bytes !== undefined && bytes >= MIB / 2 ? bytes : undefined;
}

const REACH = 60;

function wordsAbout(text: string, sized: readonly Raw[], i: number): string {
  const [before, own, next] = [sized[i - 1], sized[i], sized[i + 1]];
  if (own === undefined) return '';
  const lead = text.slice(Math.max(before?.end ?? 0, own.at - REACH), own.at);
  const tail = text.slice(own.end, Math.min(next?.at ?? text.length, own.end + REACH));
  return `${before === undefined ? lead : behindPart(lead)} | ${next === undefined ? tail : beforePart(tail)}`;
}

function behindPart(text: string): string {
  const at = PARTS.exec(text);
  return at === null ? '' : text.slice(at.index + at[0].length);
}

function beforePart(text: string): string {
  return text.slice(0, PARTS.exec(text)?.index);
}

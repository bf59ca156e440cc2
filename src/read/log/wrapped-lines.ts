import type { Hit } from '../../model/log-reading.ts';
import { type CleanLine, cleanLine } from './clean-line.ts';
import type { CompiledSignatures, Matcher } from './compile.ts';
import { ownersIn } from './lines.ts';
import { findMasks } from './mask.ts';
import { capturesOf, citedPart, collapse, decodeBytes } from './match-segment.ts';

/** A signature that stands across the lines of a hard-wrapped record. The hit cites the line in which it begins. */
type WrappedMatch = { readonly matcher: Matcher; readonly hit: Hit; readonly view: CleanLine };

type PastedLine = { readonly raw: string; readonly line: number; readonly byte: number; readonly view: CleanLine };

/** A line that was wrapped is at least this long. */
export const WRAPPED_FROM = 40;
const MOST_LINES = 16;
/** What begins a new record, whatever the length of the line before: glog's head of Triton among them. */
export const NEW_RECORD =
  /^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|Traceback|\[?\d{4}-\d\d-\d\d|[IWEF]\d{4} [\d:.]{8,20} )|^ {0,8}File "/;

/** Finds signatures that a hard wrap or doubled blanks have torn apart in a small, pasted log. `isHit`: whether a line has a hit of a signature already. */
export function matchWrapped(
  text: string,
  compiled: CompiledSignatures,
  isHit: (id: string, line: number) => boolean,
): WrappedMatch[] {
  const found: WrappedMatch[] = [];
  const taken = new Set<string>();
  for (const record of recordsOf(text)) {
    for (const joint of record.length === 1 ? [' '] : [' ', '']) {
      const joined = join(record, joint);
      const { wholeGate, endsGate } = compiled;
      for (const matcher of [...ownersIn(joined.text, wholeGate), ...ownersIn(joined.text, endsGate)]) {
        const match = matchJoined(joined, matcher, isHit);
        const key = `${matcher.signature.id} ${match?.hit.line}`;
        if (match === undefined || taken.has(key)) continue;
        taken.add(key);
        found.push(match);
      }
    }
  }
  return found;
}

function recordsOf(text: string): PastedLine[][] {
  const records: PastedLine[][] = [];
  let open: PastedLine[] = [];
  for (const line of pastedLines(text)) {
    const before = open.at(-1);
    if (before !== undefined && open.length < MOST_LINES && continues(before, line)) open.push(line);
    else {
      open = [line];
      if (open.length > 0) records.push(open);
    }
  }
  return records.filter((record) => record.length > 1 || /\s\s/.test(record[0]?.view.clean ?? ''));
}

function pastedLines(text: string): PastedLine[] {
  let byte = 0;
  return text.split('\n').map((bytes, index) => {
    const raw = bytes.replace(/\r$/, '');
    const line = { raw, line: index + 1, byte, view: cleanLine(decodeBytes(raw.slice(0, 8192))) };
    byte += bytes.length + 1;
    return line;
  });
}

function continues(before: PastedLine, line: PastedLine): boolean {
  if (line.raw.trim() === '' || (before.raw.length < WRAPPED_FROM && !isMidAccount(before, line))) return false;
  if (line.view.process !== undefined || NEW_RECORD.test(line.view.clean)) return false;
  return line.view.at === undefined || isWrappedByLogger(before, line);
}

// Documentation and chat tools break PyTorch's account after each of its figures, however short the line.
function isMidAccount(before: PastedLine, line: PastedLine): boolean {
  return /(?:;|out of memory\.)$/.test(before.raw.trimEnd()) || /^\s{0,8}\((?:GPU|NPU|XPU) \d/.test(line.raw);
}

// Rich sets what goes over the width of its page under the words of its first line (Textualize/rich rich/_log_render.py); a
// runtime that dates each line dates both alike.
const HANGING = /^ {8,60}\S/;
const ONE_WRITE_MS = 1000;

function isWrappedByLogger(before: PastedLine, line: PastedLine): boolean {
  const { at: first = Number.NaN } = before.view;
  const { at = Number.NaN } = line.view;
  return HANGING.test(line.view.clean) && Math.abs(at - first) <= ONE_WRITE_MS;
}

type Joined = {
  readonly text: string;
  /** Where each line begins in `text`. */
  readonly starts: readonly number[];
  readonly lines: readonly PastedLine[];
};

function join(lines: readonly PastedLine[], joint: string): Joined {
  let text = '';
  let end = Number.POSITIVE_INFINITY;
  const starts: number[] = [];
  for (const [i, line] of lines.entries()) {
    const part = collapse(line.view.clean.trim());
    const isContinuation = i > 0;
    starts.push(text.length + (isContinuation ? joint.length : 0));
    text += isContinuation ? joint + part : part;
    // A line that itself goes over to a user's words does so whatever is above it.
    const own = findMasks(part).echoAt;
    if (own < part.length) end = Math.min(end, text.length - part.length + own);
  }
  return { text: text.slice(0, Math.min(end, findMasks(text).echoAt)), starts, lines };
}

function matchJoined(
  joined: Joined,
  matcher: Matcher,
  isHit: (id: string, line: number) => boolean,
): WrappedMatch | undefined {
  const match = matcher.expression.exec(joined.text);
  if (match === null) return undefined;
  const from = lineAt(joined, match.index);
  const to = lineAt(joined, match.index + Math.max(match[0].length - 1, 0));
  const spanned = joined.lines.slice(from, to + 1);
  if (spanned.some((line) => isHit(matcher.signature.id, line.line))) return undefined;
  const first = spanned[0];
  if (first === undefined) return undefined;
  const part = citedPart(first.raw, 0);
  const hit: Hit = {
    id: matcher.signature.id,
    signature: matcher.signature,
    line: first.line,
    byte: first.byte + part.from,
    text: decodeBytes(first.raw.slice(part.from, part.to)),
    clean: first.view.clean,
    captures: capturesOf(match),
    process: first.view.process,
    at: undefined,
  };
  return { matcher, hit, view: first.view };
}

function lineAt(joined: Joined, place: number): number {
  const at = joined.starts.findLastIndex((start) => start <= place);
  return Math.max(at, 0);
}

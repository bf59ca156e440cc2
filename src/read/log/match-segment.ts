import type { LineMatch } from '../../model/linear-pattern.ts';
import { type CleanLine, cleanLine } from './clean-line.ts';
import type { Matcher } from './compile.ts';
import { linesOfJson } from './json-line.ts';
import { findMasks } from './mask.ts';

/** What a signature found in a segment. `from` and `to` bound the part to cite, as places in the segment. */
export type SegmentMatch = {
  readonly matcher: Matcher;
  readonly from: number;
  readonly to: number;
  readonly captures: Readonly<Record<string, string>>;
  readonly view: CleanLine;
};

/** Beyond this length a segment is looked at through windows around the literals, so that cost stays linear. */
const WINDOW = 16 * 1024;
const BEFORE = 4 * 1024;
const CITED = 2000;
const CITED_BEFORE = 500;

type Seen = { readonly view: CleanLine; readonly forms: readonly string[] };

/** Bytes read as latin1. `masked`: all of them are a user's words. `below`: the lines in which the record goes on. */
type Matched = { readonly raw: string; readonly masked: boolean; readonly below: readonly string[] };

/** Tries signatures on a line, or on the part of one between two carriage returns. `below` is read for settings alone, never for a failure. */
export function matchSegment({ raw, masked, below }: Matched, matchers: Iterable<Matcher>): SegmentMatch[] {
  if (masked) return [];
  const { promptAt, echoAt } = findMasks(raw);
  const views = new Map<string, Seen>();
  const found: SegmentMatch[] = [];
  for (const matcher of matchers) {
    const end = matcher.decides ? echoAt : promptAt;
    const match =
      (matcher.decides ? undefined : matchRecord(raw, matcher, below)) ??
      (raw.length <= WINDOW ? matchWhole(raw, matcher, end, views) : matchWindows(raw, matcher, end, views));
    if (match !== undefined) found.push(match);
  }
  return found;
}

function matchRecord(raw: string, matcher: Matcher, below: readonly string[]): SegmentMatch | undefined {
  if (below.length === 0) return undefined;
  const view = cleanLine(decodeBytes(raw));
  const match = matcher.expression.exec([view.clean, ...below].join('\n'));
  return match === null ? undefined : { matcher, ...citedPart(raw, 0), captures: capturesOf(match), view };
}

function matchWhole(raw: string, matcher: Matcher, end: number, views: Map<string, Seen>): SegmentMatch | undefined {
  const at = firstLiteral(raw, matcher, 0, end);
  return at === -1 ? undefined : matchView(raw, matcher, { from: 0, to: end, at }, views);
}

function matchWindows(raw: string, matcher: Matcher, end: number, views: Map<string, Seen>): SegmentMatch | undefined {
  let at = firstLiteral(raw, matcher, 0, end);
  while (at !== -1) {
    const from = Math.max(0, at - BEFORE);
    const to = Math.min(end, from + WINDOW);
    const match = matchView(raw, matcher, { from, to, at }, views);
    if (match !== undefined) return match;
    at = firstLiteral(raw, matcher, Math.max(to - BEFORE, at + 1), end);
  }
  return undefined;
}

function firstLiteral(raw: string, matcher: Matcher, from: number, end: number): number {
  let first = -1;
  for (const literal of matcher.bytes) {
    const at = raw.indexOf(literal, from);
    if (at !== -1 && at < end && (first === -1 || at < first)) first = at;
  }
  return first;
}

type Place = { readonly from: number; readonly to: number; readonly at: number };

function matchView(raw: string, matcher: Matcher, place: Place, views: Map<string, Seen>): SegmentMatch | undefined {
  const key = `${place.from}-${place.to}`;
  const seen = views.get(key) ?? see(raw.slice(place.from, place.to));
  views.set(key, seen);
  for (const form of seen.forms) {
    const match = matcher.expression.exec(form);
    if (match !== null) return { matcher, ...citedPart(raw, place.at), captures: capturesOf(match), view: seen.view };
  }
  return undefined;
}

// The line without its prefixes first; then with that of the process; then, for pasted logs, with blanks collapsed; then the
// lines that a logger of JSON wrote into it.
function see(bytes: string): Seen {
  const text = decodeBytes(bytes);
  const view = cleanLine(text);
  const forms = new Set([view.clean, view.withProcess, collapse(view.clean), ...(linesOfJson(text) ?? [])]);
  return { view, forms: [...forms] };
}

export function collapse(text: string): string {
  return /\s\s|[^\S ]/.test(text) ? text.replaceAll(/\s{1,500}/g, ' ') : text;
}

export function capturesOf(match: LineMatch): Record<string, string> {
  const captures: Record<string, string> = {};
  for (const [name, value] of Object.entries(match.groups ?? {})) if (value !== undefined) captures[name] = value;
  return captures;
}

/** Bytes read as latin1 as the UTF-8 text they are; a copy, so that a kept hit does not hold its whole block in memory. */
export function decodeBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** At most 2,000 bytes around a place, never cut through a character. */
export function citedPart(raw: string, at: number): { from: number; to: number } {
  if (raw.length <= CITED) return { from: 0, to: raw.length };
  const from = toBoundary(raw, Math.max(0, Math.min(at - CITED_BEFORE, raw.length - CITED)));
  const to = toBoundary(raw, Math.min(raw.length, from + CITED - 3));
  return { from, to };
}

// Bytes 0x80 to 0xbf continue a character of UTF-8; one has at most three of them.
function toBoundary(raw: string, place: number): number {
  let at = place;
  while (at < place + 3 && (raw.charCodeAt(at) & 0xc0) === 0x80) at++;
  return at;
}

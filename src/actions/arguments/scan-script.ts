import { type ScanFault, type Skipped, skipBackticks, skipDollar, skipParens } from './shell-nesting.ts';
import type { Quote, Unit, Word } from './shell-word.ts';

export type Token =
  | { readonly kind: 'word'; readonly word: Word }
  | { readonly kind: 'operator'; readonly start: number }
  /** The word behind it is its target and no argument. */
  | { readonly kind: 'redirect'; readonly start: number };

type ScanOutcome =
  | { readonly kind: 'scanned'; readonly tokens: readonly Token[] }
  | { readonly kind: 'unsure'; readonly why: ScanFault };

const BLANK = /(?:[ \t]|\\\n)+|(?<![^ \t\n;|&()<>])#[^\n]*/y;
const REDIRECT = /&>>?|<<<|<[&>]|>>|>[&|]|[<>](?!\()/y;
const HERE_DOCUMENT = /<<(?!<)/y;
const OPERATOR = /&&|\|\||\|&|;;&|;;|;&|[\n;&|()]/y;
const PLAIN_END = /[ \t\n;&|<>()]/;
/** Quoted in double quotes, a backslash escapes these only. */
const ESCAPED_IN_DOUBLE = '"\\$`';

type Draft = { value: string; computedAt: number | null; readonly units: Unit[] };
type Scan = { readonly text: string; readonly holder: string; at: number; readonly tokens: Token[] };

/** Splits a shell script into words with their offsets; says why where a word or its end is not certain. Never throws. */
export function scanScript(text: string, holder: string): ScanOutcome {
  // A carriage return is a character like others to a shell, and hardly what anybody meant.
  if (/[\r\0]/.test(text)) return { kind: 'unsure', why: 'unsupported-shell' };
  const scan: Scan = { text, holder, at: 0, tokens: [] };
  while (scan.at < text.length) {
    const why = takeToken(scan);
    if (why !== undefined) return { kind: 'unsure', why };
  }
  return { kind: 'scanned', tokens: scan.tokens };
}

function takeToken(scan: Scan): ScanFault | undefined {
  const { tokens } = scan;
  const start = scan.at;
  if (take(scan, BLANK)) return undefined;
  if (matches(scan, HERE_DOCUMENT)) return 'here-document';
  if (take(scan, REDIRECT)) tokens.push({ kind: 'redirect', start });
  else if (take(scan, OPERATOR)) tokens.push({ kind: 'operator', start });
  else return takeWord(scan);
  return undefined;
}

function matches({ text, at }: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function take(scan: Scan, pattern: RegExp): boolean {
  if (!matches(scan, pattern)) return false;
  scan.at = pattern.lastIndex;
  return true;
}

function takeWord(scan: Scan): ScanFault | undefined {
  const { text, tokens, holder } = scan;
  const start = scan.at;
  const draft: Draft = { value: '', computedAt: null, units: [] };
  let end = start;
  while (scan.at < text.length) {
    if (text.startsWith('\\\n', scan.at)) {
      // Joins what stands on the next line to the word; where a blank is there, the word has ended before.
      scan.at += 2;
      continue;
    }
    if (isEnd(scan, draft, start)) break;
    const next = takePart(scan, draft);
    if (typeof next === 'string') return next;
    scan.at = next;
    end = next;
  }
  if (/^\d+$/.test(text.slice(start, end)) && end === scan.at && /[<>]/.test(text.charAt(end)))
    return takeNumbered(scan, start);
  const raw = text.slice(start, end);
  // The kubelet expands `$(NAME)` and `$$` before any shell sees the quotes around them.
  const byKubelet = draft.computedAt === null && /\$[($]/.test(raw);
  const computedAt = byKubelet ? 0 : draft.computedAt;
  tokens.push({ kind: 'word', word: { value: draft.value, computedAt, holder, start, end, units: draft.units } });
  return undefined;
}

// `2>&1`: the number belongs to what follows it.
function takeNumbered(scan: Scan, start: number): ScanFault | undefined {
  if (matches(scan, HERE_DOCUMENT)) return 'here-document';
  if (!take(scan, REDIRECT)) return 'unsupported-shell';
  scan.tokens.push({ kind: 'redirect', start });
  return undefined;
}

function isEnd({ text, at }: Scan, draft: Draft, start: number): boolean {
  const c = text.charAt(at);
  if (!PLAIN_END.test(c)) return false;
  if (c === '(' && /^[A-Za-z_]\w*\+?=$/.test(draft.value)) return false;
  return !(at === start && /^[<>]\(/.test(text.slice(at, at + 2)));
}

// One character, one string in quotes or one expansion; answers where it ends.
function takePart({ text, at }: Scan, draft: Draft): Skipped {
  switch (text.charAt(at)) {
    case "'":
      return takeSingle(text, at, draft);
    case '"':
      return takeDouble(text, at, draft);
    case '$':
      return /['"]/.test(text.charAt(at + 1)) ? 'dollar-quote' : takeExpansion(text, at, draft, 'none');
    case '`':
      return takeExpansion(text, at, draft, 'none');
    case '(':
      return takeComputed(text, { from: at, to: skipParens(text, at, 0), quote: 'none' }, draft);
    case '<':
    case '>':
      return takeComputed(text, { from: at, to: skipParens(text, at + 1, 0), quote: 'none' }, draft);
    case '\\':
      if (at + 1 >= text.length) return 'unsupported-shell';
      return put(draft, text.charAt(at + 1), { from: at, to: at + 2, quote: 'none' });
    default:
      return takePlain(text, at, draft);
  }
}

// Names of files, `{a,b}` and `~` are put in by the shell; a brace alone is a word of its grammar.
function takePlain(text: string, at: number, draft: Draft): Skipped {
  if (isExtendedGlob(text, at)) return 'unsupported-shell';
  const c = text.charAt(at);
  const isBrace = c === '{' && /^[^\s;&|<>()]/.test(text.charAt(at + 1));
  if (isBrace || /[*?[]/.test(c) || (c === '~' && draft.value === '')) draft.computedAt ??= draft.value.length;
  return put(draft, c, { from: at, to: at + 1, quote: 'none' });
}

function isExtendedGlob(text: string, at: number): boolean {
  return /^[@!?*+]\(/.test(text.slice(at, at + 2));
}

function put(draft: Draft, c: string, unit: Unit): number {
  draft.value += c;
  draft.units.push(unit);
  return unit.to;
}

function takeSingle(text: string, at: number, draft: Draft): Skipped {
  const end = text.indexOf("'", at + 1);
  if (end === -1) return 'unbalanced';
  for (let i = at + 1; i < end; i++) put(draft, text.charAt(i), { from: i, to: i + 1, quote: 'single' });
  return end + 1;
}

function takeDouble(text: string, at: number, draft: Draft): Skipped {
  let i = at + 1;
  while (i < text.length) {
    const c = text.charAt(i);
    if (c === '"') return i + 1;
    const next = takeInDouble(text, i, draft);
    if (typeof next === 'string') return next;
    i = next;
  }
  return 'unbalanced';
}

function takeInDouble(text: string, at: number, draft: Draft): Skipped {
  const c = text.charAt(at);
  const next = text.charAt(at + 1);
  if (c === '`' || (c === '$' && next !== "'" && next !== '"')) return takeExpansion(text, at, draft, 'double');
  if (c === '\\' && next === '\n') return at + 2;
  if (c === '\\' && next !== '' && ESCAPED_IN_DOUBLE.includes(next)) {
    return put(draft, next, { from: at, to: at + 2, quote: 'double' });
  }
  return put(draft, c, { from: at, to: at + 1, quote: 'double' });
}

function takeExpansion(text: string, at: number, draft: Draft, quote: Quote): Skipped {
  const to = text.charAt(at) === '`' ? skipBackticks(text, at) : skipDollar(text, at);
  if (to === at + 1) return put(draft, '$', { from: at, to, quote });
  return takeComputed(text, { from: at, to, quote }, draft);
}

type Span = { readonly from: number; readonly to: Skipped; readonly quote: Quote };

function takeComputed(text: string, { from, to, quote }: Span, draft: Draft): Skipped {
  if (typeof to === 'string') return to;
  draft.computedAt ??= draft.value.length;
  for (let i = from; i < to; i++) put(draft, text.charAt(i), { from: i, to: i + 1, quote });
  return to;
}

import { endOfList, quotedAt } from './quoted-text.ts';
import { isSecretName, namesToken } from './secret-names.ts';
import { redactBelowNames } from './values-over-lines.ts';

const MARK = '[redacted:secret-value]';
// Spares the rest of the work in most lines; engines count tokens in all the others.
const HINT =
  /(?:api|auth|access|bearer|hf)[^a-z]{0,5}tokens|token(?!s(?![a-z])|iz)|secret|pass|pwd|key|credential|dsn|jwt|cookie|auth|webhook|connection|signature|prompt|_P(?:AT|W)(?![a-z])/i;

// NAME=value, NAME: value, 'name': 'value', --name=value; also with the escaped quotes of JSON in JSON.
const ASSIGNED =
  /(?<![A-Za-z0-9_.-])(?<name>[A-Za-z_-][A-Za-z0-9_.-]{1,200})\\{0,15}["'`]?[ \t]{0,40}(?:=>|={1,2}|:=|:(?!:))[ \t]{0,60}/g;
// --name value on one line, or on the next behind a backslash; `"--name", "value"` also over lines; a YAML list.
const FLAG =
  /(?<![A-Za-z0-9_-])--?(?<name>[A-Za-z][A-Za-z0-9_-]{1,60})(?:[ \t]{0,8}\\\r?\n[ \t]{0,40}|[ \t]{0,8}\\{3}n[ \t]{0,40}|[ \t]{1,8}(?![,=:])|\0|\\{0,15}["'][ \t]{0,8},?\s{0,80}(?:- )?(?=\\{0,15}["'])|[ \t]{0,8}\r?\n[-+ \t]{0,40}- )(?!-)/g;
// `kubectl describe` prints each argument on a line of its own.
const FLAG_LINE =
  /^(?<indent>[ \t]{0,40})--?(?<name>[A-Za-z][A-Za-z0-9_-]{1,60})[ \t]{0,8}\r?\n\k<indent>(?=[^\s-]\S{0,4000}[ \t]{0,8}\r?$)/gm;
// Rust's debug of what may be missing, in full: `api_key: Some(` and the value on the next line, behind the prefix of that.
const SOME =
  /(?<![A-Za-z0-9_])(?<name>[A-Za-z_][A-Za-z0-9_]{1,60})\\{0,15}"?: Some\((?:\\{1,3}n[ \t]{1,40}|(?:\\n",[^\n]{0,200}|[ \t]{0,8}\r?)\n[^\n"\\]{0,300}(?:"log":"[ \t]{0,40})?)(?=\\{0,15}")/g;
// An entry of a pod's environment, printed as JSON or YAML.
const ENTRY =
  /\bname\\{0,15}["']?\s{0,8}:\s{0,8}\\{0,15}["']?(?<name>[A-Za-z_][A-Za-z0-9_.-]{1,200})\\{0,15}["']?,?\s{1,80}\\{0,15}["']?value\\{0,15}["']?[ \t]{0,8}:[ \t]{0,8}/g;
const TIGHT_ENTRY =
  /\bname\\{0,15}["']:\\{0,15}["'](?<name>[A-Za-z_][A-Za-z0-9_.-]{1,200})\\{0,15}["'],\\{0,15}["']value\\{0,15}["']:/g;

const WRAP = /(?:[A-Za-z]{1,12}\(|[bru](?=["']))/y;
// A JSON escape ends a bare value, and so does the next part of a query. A scheme, or an anchor or tag of YAML, is but its
// first word.
const BARE =
  /(?!<)(?:(?:bearer|basic|token|apikey|&\w{1,40}|!!?\w{0,40})[ \t]{1,8}(?=[^\s"'`\\[]{8}))?(?:[^\s\0"'`&\\]|&(?![A-Za-z_.-]{1,40}=)|\\(?![nrt"'u]))+/iy;
const NO_VALUE =
  /^(?:None|null|nil|true|false|undefined|unset|Some\(?|<.*>|\*{3,}|\.{3}|\$[({]{0,2}[A-Za-z_]\w*[)}]{0,2})$/i;
// Words of a sentence about a flag: `use --hf-token to log in`.
const SENTENCE =
  /^(?:to|and|or|is|for|with|flag|argument|option|must|if|when|in|the|not|from|as|on|are|was|can|requires?|needs?)$/i;

type Span = { readonly from: number; readonly to: number };

/** Takes out what follows names that hold secrets: in assignments, arguments and entries of an environment. */
export function redactAssignments(text: string): string {
  if (!HINT.test(text)) return text;
  const overLines = [ENTRY, TIGHT_ENTRY, FLAG, FLAG_LINE, SOME].reduce(redactBehind, redactBelowNames(text));
  return overLines
    .split('\n')
    .map((line) => (HINT.test(line) ? redactBehind(line, ASSIGNED) : line))
    .join('\n');
}

/** Whether a value behind the name of a secret is none: nothing, a reference, a mark that was set before, a count. */
export function isHarmless(name: string, value: string): boolean {
  if (value === '' || value.startsWith('[redacted:') || NO_VALUE.test(value)) return true;
  if (/^(?:old)?pwd$/i.test(name)) return /^[/.~]/.test(value);
  return namesToken(name) && /^[\d.,_%/()[\] +-]{1,24}$/.test(value);
}

function redactBehind(text: string, find: RegExp): string {
  const pieces: string[] = [];
  const inFlag = find === FLAG || find === FLAG_LINE;
  let kept = 0;
  find.lastIndex = 0;
  for (let found = find.exec(text); found !== null; found = find.exec(text)) {
    const name = found.groups?.name ?? '';
    // Back to the end of the name: what looks like its value may be the next name (`env: HF_TOKEN=x`).
    const behindName = found.index + found[0].indexOf(name) + name.length;
    if (!isSecretName(name)) {
      find.lastIndex = behindName;
      continue;
    }
    const at = found.index + found[0].length;
    const { from, to } = spanOf(text, at, find);
    const value = text.slice(from, to);
    find.lastIndex = Math.max(to, behindName);
    if (isHarmless(name, value) || (inFlag && SENTENCE.test(value))) continue;
    for (const each of [{ from, to }, ...(inFlag ? moreValues(text, to, found.groups?.indent) : [])]) {
      pieces.push(text.slice(kept, each.from), MARK);
      kept = each.to;
    }
    find.lastIndex = Math.max(kept, behindName);
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(kept);
}

// A flag may take several values: all up to the next flag, the end of the line or of the list, or words of a sentence.
const NEXT =
  /(?:\0|[ \t]{1,8}(?:\\\r?\n[ \t]{0,40})?|\\{0,15}["'][ \t]{0,8}(?:,\s{0,80}|[ \t])(?=\\{0,15}["'])|["']?[ \t]{0,8}\r?\n[-+ \t]{0,40}- )(?![-,=:|&;<>#)\]}\\]|["']-)/y;

function moreValues(text: string, after: number, indent: string | undefined): Span[] {
  const next =
    indent === undefined ? NEXT : new RegExp(`[ \\t]{0,8}\\r?\\n${indent}(?=[^\\s-]\\S{0,4000}[ \\t]{0,8}\\r?$)`, 'my');
  const values: Span[] = [];
  for (let at = after; ; ) {
    const gap = matchAt(next, text, at);
    if (gap === undefined) return values;
    const value = valueAt(text, at + gap.length);
    const word = text.slice(value.from, value.to);
    if (value.to <= value.from || SENTENCE.test(word) || word.startsWith('-')) return values;
    if (!word.startsWith('[redacted:')) values.push(value);
    at = value.to;
  }
}

function valueAt(text: string, at: number): Span {
  const begin = at + (matchAt(WRAP, text, at)?.length ?? 0);
  const quoted = quotedAt(text, begin);
  if (quoted !== undefined) return quoted;
  if (text[begin] === '[' && !text.startsWith('[redacted:', begin)) return { from: begin, to: endOfList(text, begin) };
  const bare = matchAt(BARE, text, at) ?? '';
  return { from: at, to: at + withoutTail(bare).length };
}

function spanOf(text: string, at: number, find: RegExp): Span {
  const value = valueAt(text, at);
  return find === ENTRY || isVariableLine(text, at) ? restOfLine(text, value) : value;
}

// A variable as `kubectl describe` prints it has blanks in its value.
function isVariableLine(text: string, at: number): boolean {
  return at < 300 && /^[ \t]*[A-Z][A-Z0-9_]{1,200}:[ \t]{1,60}$/.test(text.slice(0, at));
}

const MORE_WORDS = /(?:[ \t]{1,8}[^\s,{}[\]"'#][^\s,{}[\]"']{0,4000})+/y;

function restOfLine(text: string, { from, to }: Span): Span {
  return { from, to: to + (matchAt(MORE_WORDS, text, to)?.length ?? 0) };
}

// What closes a list or a sentence around it is no part of the value.
function withoutTail(bare: string): string {
  let end = bare.length;
  while (end > 0 && ',;)]}'.includes(bare[end - 1] ?? '')) end -= 1;
  return bare.slice(0, end);
}

function matchAt(find: RegExp, text: string, at: number): string | undefined {
  find.lastIndex = at;
  return find.exec(text)?.[0];
}

import type { LineCitation } from '../../model/citation.ts';
import type { Word } from './flags.ts';

/** A word of a command line, without its quotes. `line` counts from 0; operators (`;`, `|`, `>`, a line's end) part commands. */
type ShellWord = { readonly value: string; readonly line: number; readonly kind: 'word' | 'operator' };

const BLANK = ' \t\r';
const OPERATORS = ';|&<>()';

type Scan = { at: number; line: number; word: string | undefined; readonly words: ShellWord[] };

/**
 * Splits a script into words well enough to read arguments from it: quotes, escapes, continued lines, remarks. Nothing is
 * expanded: `$VAR` stays as it is. Never throws; a quote that is not closed ends with the text.
 */
export function splitShell(text: string): ShellWord[] {
  const scan: Scan = { at: 0, line: 0, word: undefined, words: [] };
  while (scan.at < text.length) {
    if (!takeBlank(scan, text) && !takeQuoted(scan, text)) takePlain(scan, text);
  }
  endWord(scan);
  return scan.words;
}

function endWord(scan: Scan): void {
  if (scan.word !== undefined) scan.words.push({ value: scan.word, line: scan.line, kind: 'word' });
  scan.word = undefined;
}

function takeBlank(scan: Scan, text: string): boolean {
  const c = text.charAt(scan.at);
  if (BLANK.includes(c)) {
    endWord(scan);
    scan.at++;
    return true;
  }
  if (c === '#' && scan.word === undefined) {
    const end = text.indexOf('\n', scan.at);
    scan.at = end === -1 ? text.length : end;
    return true;
  }
  if (c !== '\n' && !OPERATORS.includes(c)) return false;
  endWord(scan);
  scan.words.push({ value: c, line: scan.line, kind: 'operator' });
  if (c === '\n') scan.line++;
  scan.at++;
  return true;
}

function takeQuoted(scan: Scan, text: string): boolean {
  const quote = text.charAt(scan.at);
  if (quote !== "'" && quote !== '"') return false;
  if (quote === "'" && isApostrophe(text, scan.at)) return false;
  scan.word ??= '';
  let lines = 0;
  let i = scan.at + 1;
  for (; i < text.length && text.charAt(i) !== quote; i++) {
    if (quote === '"' && text.charAt(i) === '\\' && '"\\$`\n'.includes(text.charAt(i + 1))) i++;
    if (text.charAt(i) === '\n') lines++;
    scan.word += text.charAt(i);
  }
  scan.at = i + 1;
  // The word counts for the line in which it ends; a script in quotes is split again by its reader.
  scan.line += lines;
  return true;
}

// "don't" in what people write next to a command opens no quote.
function isApostrophe(text: string, at: number): boolean {
  return /[A-Za-z]/.test(text.charAt(at - 1)) && /[a-z]/.test(text.charAt(at + 1));
}

function takePlain(scan: Scan, text: string): void {
  const c = text.charAt(scan.at);
  if (c !== '\\') {
    // Braces hold JSON, which people paste without the quotes that a shell needs; `$(NAME)` is a variable to the kubelet.
    const whole = c === '{' ? jsonAt(text, scan.at) : c === '$' ? variableAt(text, scan.at) : undefined;
    scan.word = (scan.word ?? '') + (whole ?? c);
    scan.at += whole?.length ?? 1;
    return;
  }
  const next = text.slice(scan.at + 1, scan.at + 3);
  if (/^\r?\n/.test(next)) {
    scan.at += next.startsWith('\r') ? 3 : 2;
    endWord(scan);
    scan.line++;
    return;
  }
  scan.word = (scan.word ?? '') + text.charAt(scan.at + 1);
  scan.at += 2;
}

function jsonAt(text: string, from: number): string | undefined {
  if (!/^\{\s*"/.test(text.slice(from, from + 20))) return undefined;
  let depth = 0;
  for (let i = from; i < text.length && text.charAt(i) !== '\n'; i++) {
    if (text.charAt(i) === '{') depth++;
    else if (text.charAt(i) === '}' && --depth === 0) return text.slice(from, i + 1);
  }
  return undefined;
}

function variableAt(text: string, from: number): string | undefined {
  return /^\$\([A-Z_][A-Z0-9_]*\)/.exec(text.slice(from, from + 100))?.[0];
}

/** args.txt without its comments; `#SBATCH` is a directive of Slurm. The lines keep their numbers. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^#(?!SBATCH\b).*$/gm, '');
}

/** The words of args.txt, as people paste a command: a shell line, the items of a YAML list, a JSON array, a settings file. */
export function readArgsWords(text: string): Word[] {
  const lines = text.split('\n');
  return splitShell(lines.map(asShell).join('\n')).map(
    (word): Word => (word.kind === 'operator' ? 'break' : { value: word.value, from: citeArgsLine(lines, word.line) }),
  );
}

/** Where a line of args.txt can be looked up; `line` counts from 0. */
export function citeArgsLine(lines: readonly string[], line: number): LineCitation {
  const raw = (lines[line] ?? '').replace(/\r$/, '');
  return { kind: 'line', file: 'args.txt', line: line + 1, text: raw.slice(0, 2000) || ' ' };
}

const LIST_ITEM = /^\s*-\s+(?=\S)/;
const SETTING = /^\s*([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+):\s*["']?([^"'\s]+)["']?\s*$/;

// `command: [vllm, serve, org/model]`: words without quotes, which hold no comma.
const FLOW = /^\s*(?:-\s+)?(?:command|args):\s*\[([^\]"'{}]*)\]\s*$/;

// Items of a YAML list and of a JSON array are words of one command; a line of a YAML file is a flag and its value.
function asShell(line: string): string {
  if (LIST_ITEM.test(line)) return `${line.replace(LIST_ITEM, '')} \\`;
  const flow = FLOW.exec(line)?.[1];
  if (flow !== undefined) return flow.replaceAll(/\s*,\s*/g, ' ');
  const setting = SETTING.exec(line);
  if (setting !== null) return `--${setting[1]}='${setting[2]}'`;
  if (!/\[\s*"/.test(line)) return line;
  return line
    .replace(/\[(?=\s*")/, ' ')
    .replaceAll(/"\s*,\s*(?=")/g, '" ')
    .replace(/"\s*\]\s*$/, '"');
}

import { spansOf, type Words } from '../words/sentence.ts';
import { spanWords } from '../words/span-words.ts';

/** What would act in Markdown; an underscore inside a word does not. */
const ACTS = /[\\`*<>[\]|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^(?=[#>+-]|\d+[.)])/gu;

/** Foreign text as one line of Markdown that formats nothing. */
export function inline(words: Words | string): string {
  const text = typeof words === 'string' ? words : spanWords(spansOf(words));
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(ACTS, (sign) => `\\${sign}`);
}

/** A code span around any text: its fence is longer than any in it. */
export function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const fence = '`'.repeat(longest(line) + 1);
  return line.includes('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

export function codeBlock(lines: readonly string[], language = ''): string {
  const fence = '`'.repeat(Math.max(3, longest(lines.join('\n')) + 1));
  return [`${fence}${language}`, ...lines, fence].join('\n');
}

function longest(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** Cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A section with its parts; none where nothing is in it. */
export function section(title: string, parts: readonly string[]): string[] {
  const full = parts.filter((part) => part !== '');
  return full.length === 0 ? [] : [`## ${title}`, ...full];
}

import type { LineCitation } from '../../model/citation.ts';
import type { Word } from './flags.ts';
import { splitShell } from './shell-words.ts';

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

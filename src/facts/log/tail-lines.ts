import type { LineCitation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { linesOfJson } from '../../read/log/json-line.ts';
import { clip } from '../../read/text/lines.ts';
import { oncePer } from './once-per.ts';

/** The last lines of a file with their numbers, blank ones left out. A first line that the tail cuts through is left out. */
export const tailLines = oncePer((log: LogReading): readonly LineCitation[] =>
  rawTail(log)
    .flatMap(({ line, text }) =>
      (linesOfJson(text) ?? [text]).map((own) => ({ kind: 'line' as const, file: log.file, line, text: clip(own) })),
    )
    .filter(({ text, line }) => line >= 1 && text.trim() !== ''),
);

/** The same as they stand, blank ones too. A first line that the tail cuts through is left out. */
export function rawTail({
  tail,
  lines,
  bytes,
}: LogReading): readonly { readonly line: number; readonly text: string }[] {
  const texts = tail.replace(/\n$/, '').split('\n');
  const first = lines - texts.length + 1;
  const cut = Buffer.byteLength(tail) < bytes ? 1 : 0;
  return texts.map((text, index) => ({ line: first + index, text: text.replace(/\r$/, '') })).slice(cut);
}

/** The log with lines of its tail left blank. It keeps its size in bytes, which shows whether the tail is the whole file. */
export function unsaid(log: LogReading, lines: ReadonlySet<number>): LogReading {
  if (lines.size === 0) return log;
  const texts = log.tail.split('\n');
  const first = log.lines - log.tail.replace(/\n$/, '').split('\n').length + 1;
  const tail = texts.map((text, index) => (lines.has(first + index) ? ' '.repeat(Buffer.byteLength(text)) : text));
  return { ...log, tail: tail.join('\n') };
}

/**
 * The last line of the log, cited as proof that it was read to its end without a report of something. Only for what the
 * engine always logs: silence about a death never rules out a memory.
 */
export function lastLine(log: LogReading | undefined): LineCitation | undefined {
  return log === undefined ? undefined : tailLines(log).at(-1);
}

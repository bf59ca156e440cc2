import type { Citation, LineCitation } from '../model/citation.ts';
import type { Fact } from '../model/fact.ts';
import type { LogReading } from '../model/log-reading.ts';
import { goesOn } from '../read/log/sentence-continuation.ts';
import { clip } from '../read/text/lines.ts';
import { rawTail } from './log/tail-lines.ts';

/** Gives a fact whose cited lines were wrapped the lines in which their sentences go on, as far as the ends of the files show them. */
export function withSentences(logs: readonly LogReading[]): (fact: Fact) => Fact {
  const read = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const lines = read.get(file) ?? readLines(logs.find((log) => log.file === file));
    read.set(file, lines);
    return lines;
  };
  const whole = (citation: Citation): Citation =>
    citation.kind === 'line' ? withMore(citation, linesOf(citation.file)) : citation;
  return (fact) => (fact.kind === 'known' ? { ...fact, from: fact.from.map(whole) } : fact);
}

// By number from 1; what lies before the tail is not there.
function readLines(log: LogReading | undefined): readonly string[] {
  const lines: string[] = [];
  for (const { line, text } of log === undefined ? [] : rawTail(log)) if (line >= 1) lines[line] = text;
  return lines;
}

// A part of a line, as between two states of a progress bar, is no sentence that goes on.
function withMore(citation: LineCitation, lines: readonly string[]): LineCitation {
  const { line, text } = citation;
  if (citation.more !== undefined || lines[line] !== text) return citation;
  const more = goesOn(text, lines.slice(line + 1, line + 4));
  return more.length === 0 ? citation : { ...citation, more: more.map(clip) };
}

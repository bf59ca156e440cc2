import type { LogReading } from '../../../model/log-reading.ts';
import type { KernelReading } from '../../text/kernel.ts';
import { KERNEL_FILE } from '../../text/kernel-lines.ts';
import type { LogChoice } from './choose-logs.ts';
import type { Weighed } from './weighed.ts';

/** The logs, where what kernel.txt tells of kills of others is as if it did not stand there. */
export function withoutOthersKills(log: LogChoice, kernel: KernelReading | undefined): LogChoice {
  if (kernel === undefined) return log;
  const { others, unsure } = kernel;
  const notes = log.notes.map((note) => (note.file === KERNEL_FILE ? without(note, others) : note));
  return { ...log, notes, unsureKills: unsure };
}

function without(note: LogReading, lines: ReadonlySet<number>): LogReading {
  if (lines.size === 0) return note;
  const texts = note.tail.split('\n');
  const first = note.lines - (note.tail.endsWith('\n') ? texts.length - 1 : texts.length) + 1;
  const tail = texts
    .map((text, index) => (lines.has(first + index) ? ' '.repeat(Buffer.byteLength(text)) : text))
    .join('\n');
  return { ...note, tail, hits: note.hits.filter(({ line }) => !lines.has(line)) };
}

/** A line about a kill that may be another's, as the hint that it is. */
export function asHint(weighed: Weighed, { unsureKills }: LogChoice): Weighed {
  const { phrase, hit, file } = weighed;
  if (file !== KERNEL_FILE || unsureKills?.has(hit.line) !== true) return weighed;
  return phrase.weight === 'proof' || phrase.weight === 'strong'
    ? { ...weighed, phrase: { ...phrase, weight: 'hint' } }
    : weighed;
}

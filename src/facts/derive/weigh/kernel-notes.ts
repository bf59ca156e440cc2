import type { LogReading } from '../../../model/log-reading.ts';
import type { KernelReading } from '../../text/kernel.ts';
import { KERNEL_FILE } from '../../text/kernel-lines.ts';
import type { LogChoice } from './choose-logs.ts';
import { unsaid } from './tail-lines.ts';
import type { Weighed } from './weighed.ts';

/** The logs, where what kernel.txt tells of kills of others is as if it did not stand there. */
export function withoutOthersKills(log: LogChoice, kernel: KernelReading | undefined): LogChoice {
  if (kernel === undefined) return log;
  const { others, unsure } = kernel;
  const notes = log.notes.map((note) => (note.file === KERNEL_FILE ? without(note, others) : note));
  return { ...log, notes, unsureKills: unsure };
}

function without(note: LogReading, lines: ReadonlySet<number>): LogReading {
  return lines.size === 0 ? note : { ...unsaid(note, lines), hits: note.hits.filter(({ line }) => !lines.has(line)) };
}

/** A line about a kill that may be another's, as the hint that it is. */
export function asHint(weighed: Weighed, { unsureKills }: LogChoice): Weighed {
  const { phrase, hit, file } = weighed;
  if (file !== KERNEL_FILE || unsureKills?.has(hit.line) !== true) return weighed;
  return phrase.weight === 'proof' || phrase.weight === 'strong'
    ? { ...weighed, phrase: { ...phrase, weight: 'hint' } }
    : weighed;
}

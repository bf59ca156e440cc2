import type { LineCitation } from '../../../model/citation.ts';
import type { Evidence } from '../evidence.ts';
import { tailLines } from '../weigh/tail-lines.ts';

const NOTES = /^(?:metrics|describe)\.txt$/;
const NEVER_READY = /\/health never 200|\bnever (?:became |got |turned )?ready\b/i;
const TIMES = /\bStarted: +(\d\d):(\d\d):(\d\d)\b[\s\S]{0,40}?\bFinished: +(\d\d):(\d\d):(\d\d)\b/;
const SHORT_S = 90;

/** Rows that tell of a container which was never ready, or hardly lived. */
export function rowsOfStart({ readings }: Pick<Evidence, 'readings'>): readonly { text: string; from: LineCitation }[] {
  return readings.logs
    .filter(({ file }) => NOTES.test(file) || file.endsWith('.log'))
    .flatMap((log) => {
      const rows = tailLines(log);
      const short = NOTES.test(log.file) || log.bytes < SMALL ? livedShort(log.tail) : false;
      const finished = short ? rows.find(({ text }) => /\bFinished:/.test(text)) : undefined;
      const never = NOTES.test(log.file) ? rows.find(({ text }) => NEVER_READY.test(text)) : undefined;
      return [finished, never].flatMap((from) => (from === undefined ? [] : [{ text: 'at start', from }]));
    });
}

// A description that was pasted alone.
const SMALL = 4096;

function livedShort(text: string): boolean {
  const [, ...parts] = TIMES.exec(text) ?? [];
  const [hour = 0, minute = 0, second = 0, endHour = 0, endMinute = 0, endSecond = 0] = parts.map(Number);
  const lived = (endHour - hour) * 3600 + (endMinute - minute) * 60 + endSecond - second;
  return parts.length > 0 && lived >= 0 && lived < SHORT_S;
}

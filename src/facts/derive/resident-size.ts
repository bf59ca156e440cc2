import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { known } from '../pod/finding.ts';
import type { Evidence } from './evidence.ts';
import { tailLines } from './tail-lines.ts';

type Reading = { readonly kib: number; readonly from: Citation };

// USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND, as `ps aux` prints it (procps, KiB).
const PS_ROW =
  /^\s{0,8}\S{1,64}\s{1,12}(\d{1,10})\s{1,12}[\d.]{1,8}\s{1,12}[\d.]{1,8}\s{1,12}\d{1,16}\s{1,12}(\d{1,14})\s/;
const LEAST = 3;
// Below these a process that works is as likely: pools and arenas fill in the first minutes.
const LEAST_GROWTH = 1.1;
const LEAST_KIB = 256 * 1024;

/** Whether `ps aux`, pasted again and again shows a resident size that only rose. */
export function readResidentGrowth({ log }: Evidence): Fact | undefined {
  const processes = new Map<string, Reading[]>();
  const lines = [log.main, ...log.notes].flatMap((reading) => (reading === undefined ? [] : tailLines(reading)));
  for (const from of lines) {
    const row = PS_ROW.exec(from.text);
    if (row === null) continue;
    const [, pid = '', kib = ''] = row;
    processes.set(pid, [...(processes.get(pid) ?? []), { kib: Number(kib), from }]);
  }
  const grown = [...processes.values()].find(hasGrown);
  return grown && known(true, ...grown.map(({ from }) => from));
}

/** Whether a size rose from reading to reading, and by more than a process that works well would take. */
export function hasGrown(readings: readonly Reading[]): boolean {
  const [first, last] = [readings[0]?.kib ?? 0, readings.at(-1)?.kib ?? 0];
  const rises = readings.every(({ kib }, at) => kib >= (readings[at - 1]?.kib ?? 0));
  return readings.length >= LEAST && rises && last >= first * LEAST_GROWTH && last - first >= LEAST_KIB;
}

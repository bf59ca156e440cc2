import type { LineCitation } from '../../model/citation.ts';
import type { Course } from './course.ts';

// USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND, as `ps aux` prints it (procps, KiB).
const PS_ROW =
  /^\s{0,8}\S{1,64}\s{1,12}(\d{1,10})\s{1,12}[\d.]{1,8}\s{1,12}[\d.]{1,8}\s{1,12}\d{1,16}\s{1,12}(\d{1,14})\s/;
const KIB = 1024;

/** The resident size of each process in what `ps aux` printed again and again. */
export function readPsCourses(lines: readonly LineCitation[]): readonly Course[] {
  const rows = lines.flatMap((from) => {
    const [, pid, kib] = PS_ROW.exec(from.text) ?? [];
    return pid === undefined ? [] : [{ pid, value: Number(kib) * KIB, from }];
  });
  return [...Map.groupBy(rows, ({ pid }) => pid).values()].map((own) => ({
    memory: 'host',
    unit: 'bytes',
    left: false,
    kind: 'count',
    points: own.map(({ value, from }, at) => ({ at, value, from })),
  }));
}

import type { Cited } from '../../model/engine-reader.ts';
import { KIB, parseSize } from '../../model/quantity.ts';
import { citeLine, evidenceLines } from '../../read/text/lines.ts';
import type { Evidence } from '../evidence/evidence.ts';

const FILES = ['describe.txt', 'metrics.txt'];
// `df` and `df -h` (GNU coreutils): filesystem, size, and at the end where it is mounted; pasted rows may be cut behind the size.
const ROW = /^\s{0,8}(?:\S{1,60}: {1,8})?(shm|tmpfs|none)\s{1,40}(\d[\d.]{0,12})([KMGT]?)(?:\s[^\n]{0,80})?$/;
const MOUNTED = /\s\/dev\/shm$/;

/** How large /dev/shm is: by df in the container, by the limit of the volume that is mounted there, else as containers get it. */
export function readShmSize({ readings, spec }: Pick<Evidence, 'readings' | 'spec'>): Cited<number> | undefined {
  const listed = FILES.flatMap((file) => sizesIn(file, readings.texts.get(file) ?? ''))[0];
  const limit = spec.shm?.sizeLimit;
  return listed ?? (spec.shm === undefined || limit === undefined ? undefined : { value: limit, from: spec.shm.from });
}

function sizesIn(file: string, text: string): readonly Cited<number>[] {
  return evidenceLines(text).flatMap((line) => {
    const [, name, digits = '', unit = ''] = ROW.exec(line.text) ?? [];
    // Container runtimes call their own mount there `shm`.
    if (name === undefined || (name !== 'shm' && !MOUNTED.test(line.text))) return [];
    const value = unit === '' ? Number(digits) * KIB : parseSize(`${digits}${unit}iB`);
    return value === undefined || !(value > 0) ? [] : [{ value, from: citeLine(file, line) }];
  });
}

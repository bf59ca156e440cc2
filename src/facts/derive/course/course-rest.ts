import type { Cited } from '../../../model/engine-reader.ts';
import type { Course } from '../../text/course.ts';
import { readCourses } from '../../text/courses.ts';
import type { Evidence } from '../evidence.ts';
import { allLastLines } from '../weigh/tail-lines.ts';

// An allocator's arenas and a working set go up and down by some hundredths.
const HELD_SHARE = 0.02;
const LEAST_HELD = 3;
// As for the shape of a series: shorter is a pause.
const HELD_PART = 0.4;
const LEAST_RISE = 0.1;
const DAY_MS = 86_400_000;

/** Where RAM rose and has held its level since, by the readings that people keep, also in remarks: the last of them. */
export function readRest({ readings }: Pick<Evidence, 'readings'>): Cited<number> | undefined {
  const courses = readings.logs
    .flatMap((log) => readCourses(allLastLines(log)))
    .filter(({ memory, unit, left }) => memory === 'host' && unit === 'bytes' && !left);
  const last = courses.length > 0 && courses.every(comesToRest) ? courses.at(-1)?.points.at(-1) : undefined;
  return last && { value: last.value, from: last.from };
}

function comesToRest({ kind, points }: Course): boolean {
  const [first, last] = [points.find(({ at }) => Number.isFinite(at)), points.at(-1)];
  if (first === undefined || last === undefined) return false;
  const moved = points.findLastIndex(({ value }) => Math.abs(value - last.value) > HELD_SHARE * last.value);
  const held = points.slice(moved + 1);
  const span = last.at - first.at;
  const isLong = kind === 'count' || span >= DAY_MS;
  const isHeld = held.length >= LEAST_HELD && last.at - (held[0]?.at ?? last.at) >= HELD_PART * span;
  return isLong && isHeld && points.slice(0, moved + 1).some(({ value }) => value <= last.value * (1 - LEAST_RISE));
}

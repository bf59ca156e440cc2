import { MIB } from '../../../model/quantity.ts';
import type { Course } from '../../text/course.ts';

// A start and its warm-up are over by then; rounds of work come after them.
const LEAST_SPAN_MS = 3 * 3_600_000;
const LEAST_READINGS = 3;
// Below these a process that works is as likely: pools and arenas fill.
const LEAST_PART = 0.1;
const LEAST_BYTES = 256 * MIB;
const LEAST_SHARE = 0.05;
// A hundredth of a server's RAM is gigabytes, where it is much of what the process held.
const SMALL_SHARE = 0.01;
const LARGE_PART = 0.3;

/** The course up to its reset, where it rises at each reading and to its end. */
export function rising(course: Course): readonly Course[] {
  const own = untilReset(course);
  const used = own.left ? own.points.map(({ at, value }) => ({ at, value: -value })) : own.points;
  const rises = used.length < LEAST_READINGS ? isLongPair(own) : isEnough(course.unit, used) && goesOn(own, used);
  return rises && !falls(used) ? [own] : [];
}

/** Whether a course that rises does so for hours, or by more than pools and arenas take. */
export function outgrows({ kind, memory, points }: Course): boolean {
  const [first, last] = [points[0]?.value ?? 0, points.at(-1)?.value ?? 0];
  return kind === 'time' || memory === 'gpu' || Math.abs(last - first) >= first * LEAST_PART;
}

function isEnough(unit: Course['unit'], used: readonly Point[]): boolean {
  const [first, last] = [used[0], used.at(-1)];
  if (first === undefined || last === undefined) return false;
  const grown = last.value - first.value;
  const part = grown / Math.abs(first.value);
  const much = unit === 'share' ? isMuchShare(grown, part) : grown >= LEAST_BYTES;
  const often = used.length >= EVERY_TIME || (unit === 'bytes' && grown >= LARGE_BYTES);
  return (much && part >= LEAST_PART) || (often && risesAlways(used) && (much || part >= ALWAYS_PART));
}

// Two readings are few: far apart, and much more than a pool or the first requests take.
const PAIR_PART = 0.5;
const PAIR_BYTES = 1024 * MIB;
// A card holds its pool from the start.
const LEAST_ON_CARD = 8 * 1024 * MIB;
const PAIR_ON_CARD = 2 * 1024 * MIB;
const LEAST_COUNT = 100;

function isLongPair({ memory, kind, unit, points, left }: Course): boolean {
  const [first, last] = [points[0], points[1]];
  if (first === undefined || last === undefined || unit !== 'bytes' || left) return false;
  const span = last.at - (Number.isFinite(first.at) ? first.at : 0);
  if (kind !== 'order' && span < (kind === 'time' ? LEAST_SPAN_MS : LEAST_COUNT)) return false;
  const grown = last.value - first.value;
  if (memory === 'gpu') return first.value >= LEAST_ON_CARD && grown >= PAIR_ON_CARD;
  return grown >= PAIR_BYTES && grown >= first.value * PAIR_PART;
}

function isMuchShare(grown: number, part: number): boolean {
  return grown >= LEAST_SHARE || (grown >= SMALL_SHARE && part >= LARGE_PART);
}

function falls(points: readonly Point[]): boolean {
  return points.some(({ value }, at) => value < (points[at - 1]?.value ?? value));
}

type Point = { readonly at: number; readonly value: number };

// One that rises at every single reading has no pool that fills, be it small or on a card that the pool fills from the start;
// by a gibibyte fewer readings will do.
const EVERY_TIME = 5;
const FEWER_TIMES = 4;
const LARGE_BYTES = 1024 * MIB;
const ALWAYS_PART = 0.5;

function risesAlways(points: readonly Point[]): boolean {
  return points.length >= FEWER_TIMES && points.slice(1).every(({ value }, at) => value > (points[at]?.value ?? value));
}

function goesOn(course: Course, points: readonly Point[]): boolean {
  const [first, before, last] = [points.find(({ at }) => Number.isFinite(at)), points.at(-2), points.at(-1)];
  if (first === undefined || before === undefined || last === undefined) return false;
  const span = last.at - first.at;
  const step = Number.isFinite(before.at) ? last.at - before.at : 0;
  if (step <= 0 || span <= 0 || (course.kind === 'time' && !isLong(course, first.at, points))) return false;
  return keepsPace((last.value - before.value) / step, (last.value - first.value) / span);
}

// In an hour what doubles at every reading is no warm-up either, nor what rises until the process ends of it.
const SHORT_SPAN_MS = 3_600_000;
const DOUBLE = 2;

function isLong({ left, endedAt, points: told }: Course, start: number, points: readonly Point[]): boolean {
  const [first, last] = [told[0], told.at(-1)];
  if (first === undefined || last === undefined) return false;
  const span = last.at - start;
  if (span >= LEAST_SPAN_MS) return true;
  const doubled = left ? last.value * DOUBLE <= first.value : last.value >= first.value * DOUBLE;
  // An end long after the last reading says nothing of what came between.
  const ended = endedAt !== undefined && endedAt - last.at <= span ? endedAt : undefined;
  return (ended ?? last.at) - start >= SHORT_SPAN_MS && (doubled || ended !== undefined) && risesAlways(points);
}

const STILL_RISES = 0.35;

/** The pace of the last reading against that of all: less, and it comes to a rest. */
export function keepsPace(last: number, whole: number): boolean {
  return last >= whole * STILL_RISES;
}

const RESET = 0.5;
const RESTARTED = /\brestart(?:ed|s)?\b|重启/i;

// Behind a restart it begins anew.
function untilReset(course: Course): Course {
  const { left, points } = course;
  const told = points.findIndex(({ from }, at) => at > 0 && from.kind === 'line' && RESTARTED.test(from.text));
  if (told > 0) return { ...course, points: points.slice(0, told + 1) };
  const end = points.findIndex(({ value }, at) => at > 0 && value < (points[at - 1]?.value ?? 0) * RESET);
  return left || end < 0 ? course : { ...course, points: points.slice(0, end) };
}

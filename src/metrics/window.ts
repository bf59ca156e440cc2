import type { Window } from './reading.ts';

const BEFORE_MS = 60 * 60_000;
const AFTER_MS = 2 * 60_000;
const STEP_MS = 15_000;

/** An hour before the death (or now) to two minutes after it: 249 points at most. */
export function windowOf(diedAt: number | null, now: number): Window {
  const at = momentOf(diedAt, now);
  // Whole steps before the moment, so that the moment itself is a point.
  return { from: at - BEFORE_MS, to: diedAt === null ? at : at + AFTER_MS, stepMs: STEP_MS };
}

/** The moment looked at, epoch ms. */
export function momentOf(diedAt: number | null, now: number): number {
  return Math.round(diedAt ?? now);
}

import type { LoadReading } from '../pressure-ports.ts';

/**
 * `pressure`: the pool is full, the queue grows and requests are preempted. `hang`: requests wait or run and no token comes.
 * `child-killed`: the kernel killed a process, and its container did not restart.
 */
export type LoadSignal = 'pressure' | 'hang' | 'child-killed';

const FULL = 0.95;
// Of fewer none shows that something lasts.
const LEAST_READINGS = 3;

/** What the last readings of a pod show, in order of time. What one of them does not tell shows nothing. */
export function loadSignals(readings: readonly LoadReading[]): readonly LoadSignal[] {
  if (readings.length < LEAST_READINGS) return [];
  const signals: LoadSignal[] = [];
  if (isUnderPressure(readings)) signals.push('pressure');
  if (hangs(readings)) signals.push('hang');
  if (lostChild(readings)) signals.push('child-killed');
  return signals;
}

function isUnderPressure(readings: readonly LoadReading[]): boolean {
  const isFull = readings.every(({ kvUsed }) => kvUsed !== undefined && kvUsed > FULL);
  return isFull && growth(readings, 'waiting') > 0 && growth(readings, 'preemptions') > 0;
}

// A counter that starts over is of another process.
function hangs(readings: readonly LoadReading[]): boolean {
  const isBusy = readings.every(({ running = 0, waiting = 0 }) => running + waiting > 0);
  // An engine that embeds or ranks generates none, and finishes requests all the same.
  const generates = (readings[0]?.tokens ?? 0) > 0 && growth(readings, 'finished', 0) === 0;
  return isBusy && generates && growth(readings, 'tokens') === 0 && growth(readings, 'restarts', 0) === 0;
}

function lostChild(readings: readonly LoadReading[]): boolean {
  return growth(readings, 'oomKills') > 0 && growth(readings, 'restarts') === 0;
}

/** By how much a value grew from the first to the last reading without ever shrinking; NaN where that is not known. */
function growth(
  readings: readonly LoadReading[],
  of: Exclude<keyof LoadReading, 'at'>,
  otherwise = Number.NaN,
): number {
  const values = readings.map((reading) => reading[of]);
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length) return otherwise;
  const shrinks = known.some((value, i) => i > 0 && value < (known[i - 1] ?? value));
  return shrinks ? Number.NaN : (known.at(-1) ?? 0) - (known[0] ?? 0);
}

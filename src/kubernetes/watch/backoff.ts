export type Backoff = {
  /** The next wait in ms: 1 to 30 s, longer each time, and no shorter than the API server asked for. */
  next(retryAfterSeconds?: number): number;
  reset(): void;
};

const FIRST_MS = 2000;
const LONGEST_MS = 30_000;
// A server or proxy that asks for hours must not end a watch.
const LONGEST_ASKED_MS = 60_000;

/** Waits between tries; half of each is left to chance, so that many clients do not come back at once. */
export function createBackoff(random: () => number): Backoff {
  let tries = 0;
  return {
    next(retryAfterSeconds = 0) {
      const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
      tries = Math.min(tries + 1, 10);
      return Math.max(most * (0.5 + 0.5 * random()), Math.min(retryAfterSeconds * 1000, LONGEST_ASKED_MS));
    },
    reset() {
      tries = 0;
    },
  };
}

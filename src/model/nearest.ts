import { distance } from 'fastest-levenshtein';

/** The allowed name that looks most like `name`, if one does. */
export function nearest(name: string, allowed: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.ceil(name.length / 3)) + 1;
  for (const candidate of allowed) {
    const far = distance(name, candidate);
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

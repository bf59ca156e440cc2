import { distance } from 'fastest-levenshtein';

/** The allowed name that looks most like `name`, if one does. */
export function nearest(name: string, allowed: Iterable<string>): string | undefined {
  let best: string | undefined;
  // Two of three letters are another word.
  let least = Math.min(Math.max(2, Math.floor(name.length / 3)), Math.max(1, name.length - 2)) + 1;
  for (const candidate of allowed) {
    const far = distance(name, candidate);
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

import type { Verdict } from '../../src/model/verdict.ts';
import { verdictOfFiles } from '../facts/incident.ts';
import { filesOfIncident } from './shipped.ts';

const LOG = 'previous.log';

/** Lines `from` to before `to` of a log, from 0. */
export type Cut = readonly [from: number, to: number];

/** Every head and tail of a log of so many lines, and a third of the stretches between. */
export function manyCuts(lines: number): readonly Cut[] {
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
  return upTo(lines)
    .flatMap((from) => upTo(lines - from).map((more): Cut => [from, from + more + 1]))
    .filter(([from, to]) => to - from < lines && (from === 0 || to === lines || (from + 2 * to) % 3 === 0));
}

/** Heads and tails of a log, at most `most` of each. */
export function endsOf(lines: number, most: number): readonly Cut[] {
  const step = Math.max(1, Math.ceil(lines / most));
  return manyCuts(lines).filter(([from, to]) => (from === 0 && to % step === 0) || (to === lines && from % step === 0));
}

/** What a shipped incident is certain of with a stretch of its log that it is not certain of with the whole, a line each. */
export async function falselyCertain(name: string, cutsOf: (lines: number) => readonly Cut[]): Promise<string[]> {
  const files = filesOfIncident(name);
  const log = files[LOG];
  if (log === undefined) return [];
  const lines = log.split('\n').filter((line) => line !== '');
  const verdictOf = (kept: readonly string[]) => verdictOfFiles({ ...files, [LOG]: `${kept.join('\n')}\n` });
  const whole = await verdictOf(lines);
  const found: string[] = [];
  for (const [from, to] of cutsOf(lines.length)) {
    const part = await verdictOf(lines.slice(from, to));
    if (part.certain && !isPartOf(part, whole))
      found.push(`${name} ${from}-${to}: ${part.finding} for ${whole.finding}`);
  }
  return found;
}

// Of two memories that failed one after the other a stretch may show one.
function isPartOf({ plane }: Verdict, whole: Verdict): boolean {
  return plane === whole.plane || (whole.plane === 'both' && (plane === 'gpu' || plane === 'host'));
}

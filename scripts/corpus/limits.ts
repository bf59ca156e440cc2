import type { Scored } from './score.ts';

// Percent of the incidents, and of the verdicts that are certain of their cause.
const LEAST = { plane: 86, phase: 86, accepted: 82 } as const;
const LEAST_CERTAIN_ACCEPTED = 95;
// On few incidents one more or less says nothing.
const FEWEST = 50;

/** The limits that a set of labelled incidents falls below, in words; a small set has none but harm. */
export function belowLimits(scored: readonly Scored[]): readonly string[] {
  const harmful = scored.filter((one) => one.harmful);
  const harm = harmful.map(({ id }) => `${id} is certain of a memory that did not fail`);
  if (scored.length < FEWEST) return harm;
  const parts = (['plane', 'phase', 'accepted'] as const).map((part) => ({
    name: part,
    share: share(scored, part),
    least: LEAST[part],
  }));
  const certain = scored.filter(({ diagnosis }) => diagnosis.verdict.causeCertain);
  const kept = {
    name: 'accepted where certain of the cause',
    share: share(certain, 'accepted'),
    least: LEAST_CERTAIN_ACCEPTED,
  };
  const low = [...parts, ...(certain.length > 0 ? [kept] : [])].filter((part) => part.share < part.least);
  return [
    ...harm,
    ...low.map(({ name, share, least }) => `${name} ${share.toFixed(1)} %, at least ${least} % are due`),
  ];
}

function share(scored: readonly Scored[], part: 'plane' | 'phase' | 'accepted'): number {
  return (100 * scored.filter((one) => one[part]).length) / scored.length;
}

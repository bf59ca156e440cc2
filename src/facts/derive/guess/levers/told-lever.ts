import { readNotedCourses } from '../../course/noted-course.ts';
import type { Group } from '../../draft.ts';
import type { Evidence } from '../../evidence.ts';
import { readToldGrowth } from '../../growth/told-growth.ts';
import type { Life } from '../../life/time-of-life.ts';
import { FAILS, type Read } from '../family.ts';
import { remarkLines } from '../remark-lines.ts';
import { readQuoted } from '../remarks.ts';
import { type LeverRead, readLevers } from './comparisons.ts';

/** A step that is quoted tells more than what was changed, and a growth is no matter of a setting. */
export function leversOf(evidence: Evidence, life: Life | undefined): readonly LeverRead[] {
  const own = remarkLines(evidence);
  const isNamed = readQuoted(evidence).some(
    ({ family: { plane, starting, serving } }) => plane !== 'none' && starting === serving,
  );
  const grows = readNotedCourses(evidence).length > 0 || readToldGrowth(own).length > 0;
  return isNamed || grows ? [] : readLevers(own, life);
}

/** Where the words that lead the guess are of the same memory, what made the difference tells the cause, and the time of life. */
export function toldByLever(levers: readonly LeverRead[], best: Read | undefined): Group {
  const lever = levers.find(({ family }) => family.plane === best?.family.plane && family.plane !== 'none');
  if (lever === undefined) return {};
  return {};
}

/** The settings that made a difference before what the notes tell in pieces; where they tell a memory as a whole, for its cause. */
export function withLevers(
  levers: readonly LeverRead[],
  noted: readonly Read[],
  account: Read | undefined,
): readonly Read[] {
  const stands = account !== undefined && account.score >= FAILS;
  return [...levers.filter(({ family }) => !stands || family.plane === account.family.plane), ...noted];
}

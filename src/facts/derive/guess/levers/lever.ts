import type { Cause } from '../../../../model/taxonomy.ts';
import type { Life } from '../../life/time-of-life.ts';
import type { Family } from '../family.ts';

/** What was short, or wrong, where a lever made the difference. */
export type Aim = Pick<Family, 'plane' | 'starting' | 'serving'>;

/** Which way a value went to make it good. */
export type Way = 'raised' | 'lowered';

/** Something that people change, and what it tells that the change made the difference. */
export type Lever = {
  readonly names: RegExp;
  /** Which way it went matters where this is left out, or one of the next two is there; null where that way tells nothing. */
  readonly aim?: Aim;
  readonly raised?: Aim | null;
  readonly lowered?: Aim | null;
  /** What the notes have to speak of besides. */
  readonly beside?: RegExp;
  /** When it makes a difference, where nothing else tells the time of life. */
  readonly when: Life;
  /** Stands in descriptions as well, so that it has to be compared, or made the condition of what went well. */
  readonly describes?: true;
  /** What everybody varies: a flag tells more. */
  readonly common?: true;
  /** Tells nothing unless two settings of it are compared. */
  readonly onlyCompared?: true;
  /** Where this went badly it is told without a comparison. */
  readonly culprit?: true;
  /** Cures what stands still as well. */
  readonly freesWaits?: true;
};

/** An aim with its causes while starting and while serving, or one cause for both. */
export function aim(starting: Cause, serving: Cause = starting): Aim {
  const plane = starting.split('.')[0];
  return { plane: plane === 'gpu' || plane === 'host' ? plane : 'none', starting, serving };
}

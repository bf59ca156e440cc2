import type { LineCitation } from '../../model/citation.ts';
import type { Cause, Plane } from '../../model/taxonomy.ts';

/** A family of words: what it points to in each time of life, and what its words are worth. */
export type Family = {
  readonly plane: Extract<Plane, 'gpu' | 'host' | 'none'>;
  readonly starting: Cause;
  readonly serving: Cause;
  readonly pattern: RegExp;
  /**
   * FAILS names a failure of this plane by itself; HINTS names one of its actors beside a complaint; PART names a part of
   * the engine, which tells no plane and, where the plane is known, the cause.
   */
  readonly weight: number;
  /** Where a line of the same log says this, the words tell nothing more. */
  readonly unless?: RegExp;
};

/** What a line points to, how strongly, and where it stands. */
export type Read = {
  readonly family: Pick<Family, 'plane' | 'starting' | 'serving'>;
  readonly score: number;
  readonly from: LineCitation;
};

export const FAILS = 3;
export const HINTS = 2;
export const PART = 1;

type Causes = readonly [starting: Cause, serving: Cause];

/** The same cause in both times of life. */
export function once(cause: Cause): Causes {
  return [cause, cause];
}

/** A family of words, its cause while starting and while serving. */
export function family(plane: Family['plane'], [starting, serving]: Causes, pattern: RegExp, weight: number): Family {
  return { plane, starting, serving, pattern, weight };
}

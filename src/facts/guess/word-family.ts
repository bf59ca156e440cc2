import type { Cause, Plane } from '../../model/taxonomy.ts';

/** Words that mean the same: the cause they suggest in each phase, and what they are worth. */
export type WordFamily = {
  readonly plane: Extract<Plane, 'gpu' | 'host' | 'none'>;
  readonly starting: Cause;
  readonly serving: Cause;
  readonly pattern: RegExp;
  /** FAILS names a failure; HINTS complains of something; PART names a part of the engine, and tells the cause where the plane is known. */
  readonly weight: number;
  /** Where a line of the same log says this, the words mean nothing more. */
  readonly unless?: RegExp;
};

export const FAILS = 3;
export const HINTS = 2;
export const PART = 1;

/** A family of words; one cause holds for both phases. All patterns have the flags of the first. */
export function family(
  causes: Cause | readonly [starting: Cause, serving: Cause],
  weight: number,
  ...patterns: readonly RegExp[]
): WordFamily {
  const [starting, serving] = typeof causes === 'string' ? [causes, causes] : causes;
  const plane = starting.startsWith('gpu.') ? 'gpu' : starting.startsWith('host.') ? 'host' : 'none';
  const pattern = new RegExp(patterns.map(({ source }) => source).join('|'), patterns[0]?.flags);
  return { plane, starting, serving, pattern, weight };
}

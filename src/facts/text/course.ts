import type { Citation } from '../../model/citation.ts';

export type Memory = 'gpu' | 'host';

/** A memory in use, read again and again by people: points in the order of the text. */
export type Course = {
  readonly memory: Memory;
  readonly unit: 'bytes' | 'share';
  /** Whether what is left is told and not what is in use. */
  readonly left: boolean;
  /** `order`: prints that follow each other, without a time of their own. */
  readonly kind: 'time' | 'count' | 'order';
  /** Where its rows tell that the process ended. */
  readonly endedAt?: number | undefined;
  readonly points: readonly { readonly at: number; readonly value: number; readonly from: Citation }[];
};

import { type Reckoned, reckon } from './reckoned.ts';

const FLOAT = 4;

export type LogitsInput = {
  /** Sampler warm-up: the most sequences of a batch. Prompt log-probs: prompt tokens of a step. */
  readonly rows: number | undefined;
  readonly vocabulary: number | undefined;
  /** Raw, processed, sorted, probabilities: 2 to 4 are held at once. */
  readonly copies?: number;
};

/** Bytes of the logits of one step. */
export function logitsBytes({ rows, vocabulary, copies = 1 }: LogitsInput): Reckoned {
  return reckon({ rows, vocabulary }, (of) => of.rows * of.vocabulary * FLOAT * copies);
}

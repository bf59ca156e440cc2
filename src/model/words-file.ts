import { z } from 'zod';
import { type CamelKeys, Words } from './table-words.ts';
import { Bucket, Cause } from './taxonomy.ts';

const ByName = z.record(Words, Words);

/** oom/words.yaml: what is written for a name that scripts read. */
export const WordsFile = z.strictObject({
  causes: z.record(Cause, Words),
  milestones: ByName,
  /** Values that mean the same in every fact, and those of one fact. */
  values: ByName,
  'values-of': z.record(Words, ByName),
  /** What to load-test, by category, and `chronic` for failures that take hours. */
  'load-tests': z.record(z.enum([...Bucket.options, 'chronic']), Words),
});
export type WordsOfNames = Readonly<CamelKeys<z.infer<typeof WordsFile>>>;

import type { Family } from './family.ts';
import { POOL_OF_GGML } from './pool-of-ggml.ts';
import { BESIDE_MEMORY } from './words-near-memory.ts';
import { PARTS } from './words-of-engine-parts.ts';
import { LACK } from './words-of-memory.ts';
import { OUTSIDE_MEMORY } from './words-of-other-failures.ts';
import { SHORT_MEMORY } from './words-of-shortage.ts';

/** The words of engines, drivers, runtimes and clusters by what they mean, the particular before the general. */
export const FAMILIES: readonly Family[] = [
  ...BESIDE_MEMORY,
  ...OUTSIDE_MEMORY,
  ...SHORT_MEMORY,
  ...PARTS,
  POOL_OF_GGML,
  ...LACK,
];

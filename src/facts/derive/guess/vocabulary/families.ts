import type { Family } from '../family.ts';
import { BESIDE_MEMORY } from './beside-memory.ts';
import { LACK } from './lack.ts';
import { OUTSIDE_MEMORY } from './outside-memory.ts';
import { PARTS } from './parts.ts';
import { POOL_OF_GGML } from './pool-of-ggml.ts';
import { SHORT_MEMORY } from './short-memory.ts';

/** The words of engines, drivers, runtimes and clusters by what they mean, the particular before the general. */
export const FAMILIES: readonly Family[] = [
  ...BESIDE_MEMORY,
  ...OUTSIDE_MEMORY,
  ...SHORT_MEMORY,
  ...PARTS,
  POOL_OF_GGML,
  ...LACK,
];

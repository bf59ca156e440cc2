import { z } from 'zod';

/** A remedy that people pass on and that does not help, or harms: why, and what to do instead. */
export const Myth = z.strictObject({ id: z.string(), says: z.string(), instead: z.string() });
export type Myth = z.infer<typeof Myth>;

/** A word as it is looked up: `--block_size`, `Block size` and `block-size` are the same. */
export function mythKey(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/^-+/, '')
    .replaceAll(/[\s_.]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '');
}

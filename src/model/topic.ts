import { z } from 'zod';

/** What people bring from guides: what it does, against which OOM it helps, and what to do instead. */
export const Topic = z.strictObject({
  id: z.string(),
  says: z.string(),
  helps: z.string(),
  instead: z.string(),
  source: z.string(),
});
export type Topic = z.infer<typeof Topic>;

/** A word as it is looked up: `--block_size`, `Block size` and `block-size` are the same. */
export function topicKey(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/^-+/, '')
    .replaceAll(/[\s_.]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '');
}

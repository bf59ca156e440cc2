import { mythKey } from '../model/myth.ts';
import type { CompileContext } from './compile-context.ts';
import type { KnownMyth } from './compiled.ts';
import type { PlaybookFile } from './format.ts';

/** The remedies that are none, each found by its id and its other words; two of one word are a problem. */
export function compileMyths(raw: PlaybookFile, context: CompileContext): readonly KnownMyth[] {
  const owners = new Map<string, string>();
  return Object.entries(raw.myths).map(([id, { also = [], for: causes = [], engines, says, instead }]) => {
    const keys = [...new Set([id, ...also].map(mythKey))];
    for (const key of keys) {
      const owner = owners.get(key);
      if (owner !== undefined) context.fault(['myths', id], `${key} is a word for ${owner} already`);
      owners.set(key, id);
    }
    return { myth: { id, says, instead }, keys, causes, engines };
  });
}

import type { LineCitation } from '../../model/citation.ts';
import type { Hit } from '../../model/log-reading.ts';

/** A hit with the log that it stands in. */
export type PlacedHit = { readonly hit: Hit; readonly file: string };

/** Where a hit can be looked up. */
export function citeHit({ hit, file }: PlacedHit): LineCitation {
  return { kind: 'line', file, line: hit.line, text: hit.text };
}

import type { Hit } from '../../../model/log-reading.ts';
import type { Phrase } from '../../../model/phrase.ts';

/** A hit with its phrase and the file it stands in. */
export type Weighed = { readonly hit: Hit; readonly phrase: Phrase; readonly file: string };

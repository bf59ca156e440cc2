import type { LogReading } from '../../model/log-reading.ts';
import type { NotRead } from '../../model/snapshot.ts';
import type { CompiledPhrases } from '../../read/log/compile.ts';

/** Everything read from one snapshot: the small files whole, the logs and text files as scanned, and the phrases that they were scanned with. */
export type Readings = {
  readonly texts: ReadonlyMap<string, string>;
  readonly logs: readonly LogReading[];
  readonly phrases: CompiledPhrases;
  /** Files that were there and could not be read. */
  readonly unreadable?: readonly NotRead[];
};

import type { LogReading } from '../../model/log-reading.ts';
import type { NotRead } from '../../model/snapshot.ts';

/** Everything read from one snapshot: the small files whole, the logs and text files as scanned. */
export type Readings = {
  readonly texts: ReadonlyMap<string, string>;
  readonly logs: readonly LogReading[];
  /** Files that were there and could not be read. */
  readonly unreadable?: readonly NotRead[];
};

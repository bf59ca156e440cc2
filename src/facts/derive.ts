import type { Facts } from '../model/fact.ts';
import type { LogReading } from '../model/log-reading.ts';
import type { CompiledPhrases } from './scan/compile.ts';

/** Everything read from one snapshot: the small files whole, the logs as scanned, and the phrases that they were scanned with. */
export type Readings = {
  readonly texts: ReadonlyMap<string, string>;
  readonly logs: readonly LogReading[];
  readonly phrases: CompiledPhrases;
};

/** Every fact of the catalogue, with its proof, or unknown with the reason. Never throws, whatever the texts hold. */
export function deriveFacts(_readings: Readings): Facts {
  return new Map();
}

import type { Hit, LogReading } from '../../model/log-reading.ts';
import type { Phrase } from '../../model/phrase.ts';
import type { CompiledPhrases } from './compile.ts';

/** A hit with its phrase. */
export type WeighedHit = { readonly hit: Hit; readonly phrase: Phrase };

/** The reading cut to the last run of the engine: hits from its last start banner on. A log with one run is returned as it is. */
export function lastRun(reading: LogReading): LogReading {
  return reading;
}

/** The first line of the last run that decides: proof, strong or rules-out; echoes of an earlier failure do not count. */
export function decisive(_reading: LogReading, _compiled: CompiledPhrases): WeighedHit | undefined {
  return undefined;
}

/** The first line of the last run that looks like a memory failure and is something else. */
export function lookAlike(_reading: LogReading, _compiled: CompiledPhrases): WeighedHit | undefined {
  return undefined;
}

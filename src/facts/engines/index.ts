import type { EngineInput, EngineReader, EngineReading } from '../../model/engine-reader.ts';
import { OTHER_READERS, unknownReader } from './others.ts';
import { vllmReader } from './vllm.ts';

export const ENGINE_READERS: readonly EngineReader[] = [vllmReader, ...OTHER_READERS];

/** Reads with the reader that is surest of its engine; with one that knows none where all are at a loss. */
export function readEngine(input: EngineInput, readers: readonly EngineReader[] = ENGINE_READERS): EngineReading {
  const sure = [...readers, unknownReader].map((reader) => ({ reader, confidence: reader.detect(input) }));
  const best = sure.reduce((a, b) => (b.confidence > a.confidence ? b : a));
  return best.reader.read(input);
}

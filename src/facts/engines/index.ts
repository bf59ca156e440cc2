import type { EngineInput, EngineReader, EngineReading } from '../../model/engine-reader.ts';
import { vllmReader } from './vllm.ts';

export const ENGINE_READERS: readonly EngineReader[] = [vllmReader];

/** Reads with the reader that is surest of its engine. */
export function readEngine(input: EngineInput, readers: readonly EngineReader[] = ENGINE_READERS): EngineReading {
  const best = readers.toSorted((a, b) => b.detect(input) - a.detect(input))[0] ?? vllmReader;
  return best.read(input);
}

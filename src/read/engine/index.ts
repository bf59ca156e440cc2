import type { EngineInput, EngineReader, EngineReading } from '../../model/engine-reader.ts';
import { llamaCppReader } from './llama-cpp.ts';
import { lmdeployReader } from './lmdeploy.ts';
import { ollamaReader } from './ollama.ts';
import { sglangReader } from './sglang.ts';
import { tensorrtLlmReader } from './tensorrt-llm.ts';
import { tgiReader } from './tgi.ts';
import { tritonReader } from './triton.ts';
import { unknownReader } from './unknown.ts';
import { vllmReader } from './vllm.ts';

/** Where two are equally sure, the first: an engine before the server around it, Ollama before the engine inside it. */
export const ENGINE_READERS: readonly EngineReader[] = [
  vllmReader,
  sglangReader,
  tgiReader,
  tensorrtLlmReader,
  tritonReader,
  lmdeployReader,
  ollamaReader,
  llamaCppReader,
];

/** The reader that is surest of its engine; one that knows none where all are at a loss. */
function chooseReader(input: EngineInput, readers: readonly EngineReader[] = ENGINE_READERS): EngineReader {
  const sure = [...readers, unknownReader].map((reader) => ({ reader, confidence: reader.detect(input) }));
  return sure.reduce((a, b) => (b.confidence > a.confidence ? b : a)).reader;
}

/** Reads with the reader that is surest of its engine. */
export function readEngine(input: EngineInput, readers: readonly EngineReader[] = ENGINE_READERS): EngineReading {
  return chooseReader(input, readers).read(input);
}

/** The reader of an engine by its name; undefined for one that nobody reads. */
export function readerOf(engine: string): EngineReader | undefined {
  return ENGINE_READERS.find((reader) => reader.engine === engine);
}

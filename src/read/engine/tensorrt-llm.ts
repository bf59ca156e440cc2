import type { EngineReading } from '../../model/engine-reader.ts';
import { hasRole } from '../../model/signature-roles.ts';
import type { PlacedHit } from './figures.ts';
import { createReader } from './reader.ts';

const BEGINS: ReadonlySet<string> = new Set(['started', 'load-begin']);

// A draft model, or another rank: its engine is read from the file when the first is on the device already.
function loadsAnother(reading: EngineReading, hits: readonly PlacedHit[]): EngineReading {
  const own =
    (role: 'engine-file' | 'load-end') =>
    ({ hit: { signature } }: PlacedHit) =>
      signature.engine === reading.engine && hasRole(signature, role);
  const read = hits.findLastIndex(own('engine-file'));
  const loaded = hits.findLastIndex(own('load-end'));
  const goesOn = reading.milestones.some(({ milestone }) => !BEGINS.has(milestone) && milestone !== 'load-end');
  if (goesOn || loaded === -1 || read < loaded || hits[read]?.file !== hits[loaded]?.file) return reading;
  return { ...reading, milestones: reading.milestones.filter(({ milestone }) => BEGINS.has(milestone)) };
}

/** TensorRT-LLM: the C++ runtime with built engines, behind Triton or not, and the PyTorch backend of trtllm-serve. */
export const tensorrtLlmReader = createReader({
  engine: 'tensorrt-llm',
  name: /tensorrt[-_]?llm|(?:^|[/._-])trt-?llm/i,
  image: /tensorrt-?llm|trt-?llm/i,
  // The PyTorch backend estimates its pool by requests of its own (_torch/pyexecutor/_util.py).
  trialRun: true,
  others: { 'load-begin': ['triton'], ready: ['uvicorn', 'triton'], served: ['uvicorn'] },
  complete: loadsAnother,
});

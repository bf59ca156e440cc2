import type { EngineReading } from '../../model/engine-reader.ts';
import { hasRole } from '../../model/signature-roles.ts';
import type { PlacedHit } from './figures.ts';
import { createReader } from './reader.ts';

/** SGLang. Its "GB" are GiB; a rank prints its own lines, of which the first of each kind is read. */
export const sglangReader = createReader({
  engine: 'sglang',
  name: /(?:^|[/._-])sglang(?:$|[/._-])/i,
  image: /sglang/i,
  warmsUpByRequest: true,
  // The pool is sized by what the load left free (model_executor/model_runner.py, profile_max_num_token).
  trialRun: false,
  others: { 'load-begin': ['vllm'], 'graphs-begin': ['vllm'], served: ['uvicorn'] },
});

/** Text Generation Inference: launcher, shards and router print into one log. */
export const tgiReader = createReader({
  engine: 'tgi',
  name: /text[-_]generation[-_](?:inference|launcher|server|router)|(?:^|[/._-])tgi(?:$|[/._-])/i,
  image: /text-generation-inference|(?:^|[/._-])tgi(?:$|[:/._-])/i,
  // The warmup prefills the largest batch before the pool is sized (models/flash_causal_lm.py).
  trialRun: true,
  // The shard prints blocks and their size before the router says how many tokens it will fill them with. That comes once
  // the warmup of all shards has come back, their graphs captured (router/src/lib.rs): what follows takes no memory.
  tokensOfBlock: ({ figures }) => figures.blockTokens?.value,
});

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

/** Triton Inference Server with a backend that prints no lines of an engine of its own. */
export const tritonReader = createReader({
  engine: 'triton',
  name: /tritonserver|triton-inference-server|(?:^|[/._-])triton(?:$|[/._-])/i,
  image: /tritonserver/i,
  isHost: true,
  others: { 'load-end': ['tensorrt-llm'] },
});

/** LMDeploy with its engines TurboMind and PyTorch. Below its default log level it says little. */
export const lmdeployReader = createReader({
  engine: 'lmdeploy',
  name: /lmdeploy|turbomind/i,
  image: /lmdeploy/i,
  // The pool is a share of what the load left free (pytorch/engine/executor/base.py); warmups come after it.
  trialRun: false,
  others: { ready: ['uvicorn'], served: ['uvicorn'] },
});

/** Ollama: what its runner prints, be it its own or llama.cpp. */
export const ollamaReader = createReader({
  engine: 'ollama',
  name: /(?:^|[/._-])ollama(?:$|[/._-])/i,
  image: /ollama/i,
  // Its runner reserves by arithmetic, as llama.cpp does.
  trialRun: false,
  runner: 'llama.cpp',
  others: { 'load-begin': ['llama.cpp'], 'load-end': ['llama.cpp'], 'kv-allocated': ['llama.cpp'] },
});

/** The server of llama.cpp. Its ledger has one line for each buffer of each device. */
export const llamaCppReader = createReader({
  engine: 'llama.cpp',
  name: /llama[._-]?(?:cpp|server|cli)/i,
  image: /llama[._-]?cpp/i,
  // Cache and compute buffers are sized by arithmetic (llama_context, graph_reserve).
  trialRun: false,
});

import { knobOf } from '../../src/model/knob-table.ts';
import type { Remedy } from '../../src/model/verdict.ts';

const MODELS = '--model acme/falcon-7b';

/** An engine as the remedies meet it: its versions, and a command line with all its knobs set. */
export type Engine = {
  readonly name: string;
  readonly versions: readonly (string | undefined)[];
  /** The knobs as this engine's command line sets them, high enough that each can be lowered. */
  readonly args: string;
};

export const ENGINES: readonly Engine[] = [
  {
    name: 'vllm',
    versions: ['0.4.2', '0.8.5', '0.11.0', '0.25.1', undefined],
    args: `vllm serve ${MODELS} --gpu-memory-utilization 0.9 --max-model-len 131072 --max-num-seqs 256 --max-num-batched-tokens 16384`,
  },
  {
    name: 'sglang',
    versions: ['0.2.5', '0.4.6', '0.5.5', undefined],
    args: `python -m sglang.launch_server --model-path acme/falcon-7b --mem-fraction-static 0.88 --context-length 131072 --max-running-requests 256 --chunked-prefill-size 16384`,
  },
  {
    name: 'text-generation-inference',
    versions: ['0.8.2', '2.4.1', '3.3.4', undefined],
    args: 'text-generation-launcher --model-id acme/falcon-7b --cuda-memory-fraction 0.95 --max-total-tokens 131072 --max-concurrent-requests 256 --max-batch-prefill-tokens 16384',
  },
  {
    name: 'lmdeploy',
    versions: ['0.9.2', undefined],
    args: 'lmdeploy serve api_server acme/falcon-7b --cache-max-entry-count 0.8 --session-len 131072 --max-batch-size 256 --max-prefill-token-num 16384',
  },
  { name: 'llama.cpp', versions: ['4277', undefined], args: 'llama-server -m m.gguf --ctx-size 131072 --parallel 8' },
  { name: 'ollama', versions: ['0.6.2', undefined], args: '' },
  {
    name: 'tensorrt-llm',
    versions: ['0.12.0', '1.0.0', undefined],
    args: 'trtllm-serve m --kv_cache_free_gpu_memory_fraction 0.9 --max_seq_len 131072 --max_batch_size 256 --max_num_tokens 16384',
  },
  { name: 'triton', versions: ['2.60.0', undefined], args: '' },
];

// Names of the table for what people call an engine.
const TABLE_NAMES: Readonly<Record<string, string>> = { 'text-generation-inference': 'tgi' };

/** What the flag table calls the engine. */
export function tableName({ name }: Engine): string {
  return TABLE_NAMES[name] ?? name;
}

const DOWN = /\b(?:lower|less|reduce|halve|shrink|smaller)\b/i;
const UP = /\b(?:raise|increase|more)\b/i;

/** What a remedy does to a knob: by its numbers, and by its words where it has none. */
export function moves(
  { edits, says, direction }: Remedy,
  engine: string,
  knob: 'fraction' | 'length',
): 'up' | 'down' | 'no' {
  const edit = edits.find(({ flag }) => knobOf(engine, flag) === knob);
  if (edit !== undefined) return Number(edit.to) > Number(edit.from ?? 0) ? 'up' : 'down';
  const word = knob === 'fraction' ? /\bfraction\b/i : /\b(?:maximum length|context length)\b/i;
  const sentence = says.split(/(?<=[.:;])\s/).find((part) => word.test(part)) ?? '';
  if (sentence === '' || /\bnot\b/.test(sentence)) return 'no';
  if (direction === 'raise' || direction === 'lower') return direction === 'raise' ? 'up' : 'down';
  return UP.test(sentence) ? 'up' : DOWN.test(sentence) ? 'down' : 'no';
}

/** A text without the commands in it: their options are no flags of an engine. */
export function withoutCommands(text: string): string {
  return text.replaceAll(/`(?:kubectl|nvidia-smi)[^`]*`/g, '');
}

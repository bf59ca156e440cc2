import { flagOf } from './flag-table.ts';
import { flagOfKnob } from './knob-table.ts';

/** What a person turns: the four knobs that every engine's edits know, and three more that only texts name. */
export const TOLD_KNOBS = [
  'fraction',
  'length',
  'sequences',
  'batched-tokens',
  'cache-type',
  'ranks',
  'offloaded-layers',
] as const;
export type ToldKnob = (typeof TOLD_KNOBS)[number];

/** Where TensorRT-LLM has its limits from: arguments of trtllm-serve, a file that overrides them, the built engine, Triton's model repository. */
export const SET_BY = ['command-line', 'file', 'build', 'repository'] as const;
export type SetBy = (typeof SET_BY)[number];

type Spelling = { readonly flag: string; readonly to?: string };

// Beside the four of the knob table. Eight bits for the cache, where the engine has them for all cards that it runs on.
const MORE: Readonly<Record<string, Readonly<Partial<Record<ToldKnob, Spelling>>>>> = {
  vllm: {
    'cache-type': { flag: '--kv-cache-dtype', to: 'fp8' },
    ranks: { flag: '--tensor-parallel-size' },
  },
  sglang: {
    'cache-type': { flag: '--kv-cache-dtype', to: 'fp8_e5m2' },
    ranks: { flag: '--tp-size' },
  },
  tgi: {
    'cache-type': { flag: '--kv-cache-dtype', to: 'fp8_e4m3fn' },
    ranks: { flag: '--num-shard' },
  },
  lmdeploy: {
    'cache-type': { flag: '--quant-policy', to: '8' },
    ranks: { flag: '--tp' },
  },
  'tensorrt-llm': {
    fraction: { flag: 'kv_cache_config.free_gpu_memory_fraction' },
    length: { flag: 'max_seq_len' },
    sequences: { flag: 'max_batch_size' },
    'batched-tokens': { flag: 'max_num_tokens' },
  },
  'llama.cpp': {
    'cache-type': { flag: '--cache-type-k', to: 'q8_0 --cache-type-v q8_0' },
    'offloaded-layers': { flag: '--n-gpu-layers' },
  },
  ollama: { 'cache-type': { flag: 'OLLAMA_KV_CACHE_TYPE', to: 'q8_0' } },
};

// What config.pbtxt of Triton calls `kv_cache_config.free_gpu_memory_fraction` (triton-inference-server/tensorrtllm_backend).
const OF_TRITON = 'kv_cache_free_gpu_mem_fraction';

/** An engine, its version where it is known, and the flags that its own error names. */
export type Spoken = {
  readonly engine: string;
  readonly version: string | undefined;
  readonly named?: string | undefined;
  /** What sets the limits of an engine that may be built with them. */
  readonly setBy?: SetBy | undefined;
};

/** What an engine in a version calls a knob, with the value where one is meant (`--kv-cache-dtype fp8`); undefined where it has none, or that is not known. */
export function spellKnob(spoken: Spoken, knob: ToldKnob): string | undefined {
  const { engine } = spoken;
  if (engine === 'tensorrt-llm' && knob === 'fraction' && spoken.setBy === 'repository') return OF_TRITON;
  const flag = isEdited(knob) && takesArguments(spoken) ? flagOfKnob(engine, knob) : undefined;
  const spellings = [flag === undefined ? undefined : { flag }, MORE[engine]?.[knob]];
  const spelling = spellings.find((one) => one !== undefined && hasFlag(spoken, one.flag));
  if (spelling === undefined) return undefined;
  const { flag: name, to } = spelling;
  return to === undefined ? name : `${name}${name.startsWith('--') ? ' ' : '='}${to}`;
}

/** Whether an engine has a flag: its version has, or its own error names it. */
export function hasFlag({ engine, version, named = '' }: Spoken, flag: string): boolean {
  const answer = flagOf(engine, version, flag);
  return answer.kind === 'exists' || (answer.kind === 'unknown' && named.split(' ').includes(flag));
}

/** Whether the limits of an engine are what its command line says. */
export function takesArguments({ engine, setBy }: Pick<Spoken, 'engine' | 'setBy'>): boolean {
  return engine !== 'tensorrt-llm' || setBy === 'command-line';
}

function isEdited(knob: ToldKnob): knob is 'fraction' | 'length' | 'sequences' | 'batched-tokens' {
  return knob === 'fraction' || knob === 'length' || knob === 'sequences' || knob === 'batched-tokens';
}

import { flagOfKnob } from '../model/knob-table.ts';

/** What an engine calls the knobs of memory, and how its fraction counts. */
export type Knobs = {
  readonly length?: string | undefined;
  readonly sequences?: string | undefined;
  readonly batched?: string | undefined;
  readonly fraction?: string | undefined;
  /** `total`: a part of the card, in which all has its place; `free`: a share of what is free after the weights; `none`: all that is left is for the context. */
  readonly fractionOf: 'total' | 'free' | 'none';
  /** 1.0 of the fraction is what was free before the load, and not all of the card. */
  readonly ofFreeBeforeLoad?: boolean;
  /** Whether activations are taken from inside the fraction. */
  readonly activationsInside: boolean;
  /** Whether a start fails where the pool does not hold one sequence of the longest length. */
  readonly holdsLength: boolean;
  /** Whether a prompt has to fit into one forward pass; `by-version` where chunking came with a version. */
  readonly wholePrompts: 'no' | 'yes' | 'by-version';
  /** Whether a pass has to have a token for every sequence. */
  readonly rowsInPass: boolean;
  /** Flag that multiplies the context. */
  readonly contexts?: string;
  readonly kvDtype?: string;
  readonly tensorParallel?: string;
  readonly pipelineParallel?: string;
  /** Flag that sets how many engines share the requests, each with a pool of its own. */
  readonly copies?: string;
  readonly blockTokens: number;
};

/** What most engines have in common. */
const USUAL = { activationsInside: true, holdsLength: true, wholePrompts: 'no', rowsInPass: false } as const;

type Sums = Omit<Knobs, 'length' | 'sequences' | 'batched' | 'fraction'>;

const SUMS: Readonly<Record<string, Sums>> = {
  vllm: {
    ...USUAL,
    fractionOf: 'total',
    wholePrompts: 'by-version',
    rowsInPass: true,
    kvDtype: '--kv-cache-dtype',
    tensorParallel: '--tensor-parallel-size',
    pipelineParallel: '--pipeline-parallel-size',
    copies: '--data-parallel-size',
    blockTokens: 16,
  },
  sglang: {
    ...USUAL,
    fractionOf: 'total',
    // model_executor/model_runner.py, profile_max_num_token: what the load left free less (1 - fraction) of what was free before it.
    ofFreeBeforeLoad: true,
    activationsInside: false,
    // It starts with a pool that is shorter, and refuses the request.
    holdsLength: false,
    kvDtype: '--kv-cache-dtype',
    tensorParallel: '--tp-size',
    pipelineParallel: '--pp-size',
    copies: '--dp-size',
    blockTokens: 1,
  },
  tgi: {
    ...USUAL,
    fractionOf: 'total',
    wholePrompts: 'yes',
    kvDtype: '--kv-cache-dtype',
    tensorParallel: '--num-shard',
    blockTokens: 1,
  },
  lmdeploy: {
    ...USUAL,
    fractionOf: 'free',
    activationsInside: false,
    tensorParallel: '--tp',
    blockTokens: 64,
  },
  'tensorrt-llm': {
    ...USUAL,
    fractionOf: 'free',
    activationsInside: false,
    tensorParallel: '--tp_size',
    blockTokens: 32,
  },
  'llama.cpp': {
    ...USUAL,
    fractionOf: 'none',
    kvDtype: '--cache-type-k',
    blockTokens: 1,
  },
  ollama: {
    ...USUAL,
    fractionOf: 'none',
    contexts: 'OLLAMA_NUM_PARALLEL',
    kvDtype: 'OLLAMA_KV_CACHE_TYPE',
    blockTokens: 1,
  },
};

/** The knobs of an engine, by its name in the tables; undefined for one that no profile is for. */
export function knobsOf(engine: string): Knobs | undefined {
  const sums = SUMS[engine];
  if (sums === undefined) return undefined;
  return {
    ...sums,
    length: flagOfKnob(engine, 'length'),
    sequences: flagOfKnob(engine, 'sequences'),
    batched: flagOfKnob(engine, 'batched-tokens'),
    fraction: flagOfKnob(engine, 'fraction'),
  };
}

/** For an engine without a sum: the fraction is one of the card, and nothing can be proved. */
export const PLAIN_KNOBS: Knobs = { ...USUAL, fractionOf: 'total', holdsLength: false, blockTokens: 16 };

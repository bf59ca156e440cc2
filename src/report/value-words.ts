import type { Milestone } from '../model/engine-reader.ts';
import { Cause } from '../model/taxonomy.ts';
import { CAUSES } from './words.ts';

const MILESTONE_WORDS: Readonly<Record<Milestone, string>> = {
  started: 'the engine started',
  'load-begin': 'the load of the weights began',
  'load-end': 'the weights were loaded',
  profiled: 'the trial run was done',
  'kv-allocated': 'the KV pool was taken',
  'graphs-begin': 'the capture of CUDA graphs began',
  'graphs-end': 'CUDA graphs were captured',
  ready: 'ready',
  served: 'it served a request',
};
const MEMORY_WORDS: Readonly<Record<string, string>> = {
  'gpu-then-host': 'GPU memory first, then RAM',
  'host-then-gpu': 'RAM first, then GPU memory',
  unordered: 'both, in an order that is not known',
  gpu: 'GPU memory',
  host: 'RAM',
  none: 'none',
};

const ROWS_WORDS: Readonly<Record<string, string>> = {
  'step-tokens': 'tokens of the step',
  'step-requests': 'requests of the step',
  'prompt-tokens': 'tokens of its longest prompt',
  sequences: 'sequences that may run at once',
  'batched-tokens': 'tokens that a step may hold',
};

/** What a value that is a name for scripts stands for: a cause, a memory (or two in their order), a milestone or what rows are of; undefined for any other. */
export function valueWords(value: string): string | undefined {
  const cause = Cause.safeParse(value);
  return cause.success ? CAUSES[cause.data] : (milestoneWords(value) ?? MEMORY_WORDS[value] ?? ROWS_WORDS[value]);
}

/** `kv-allocated` as `the KV pool was taken`; undefined for what is no milestone. */
export function milestoneWords(value: string): string | undefined {
  return new Map(Object.entries(MILESTONE_WORDS)).get(value);
}

import type { Milestone } from '../../model/engine-reader.ts';
import { Cause } from '../../model/taxonomy.ts';
import { CAUSES } from './verdict-words.ts';

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
  sequences: 'sequences that may run at once',
  'batched-tokens': 'tokens that a step may hold',
};

const SUBJECT_WORDS = { none: 'something that is not memory' };
const SHAPE_WORDS = {
  climb: 'a steady rise',
  spike: 'one sudden rise',
  plateau: 'rose, then stayed',
  irregular: 'up and down',
  'flat-high': 'high all along',
  'flat-low': 'low all along',
};

// Words that mean something else in another fact.
const WORDS_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'evidence.plane': SUBJECT_WORDS,
  'log.hint-plane': SUBJECT_WORDS,
  'gpu.shape': SHAPE_WORDS,
  'ram.shape': SHAPE_WORDS,
  'kernel.oom-kill': {
    container: 'the container',
    pod: 'the whole pod',
    node: 'the node',
    'numa-nodes': 'its NUMA nodes',
    unstated: 'whom, it does not say',
  },
  'log.exception-kind': {
    config: 'a setting or a missing piece',
    setting: 'a variable, a flag or a number of ranks',
    communication: 'communication between processes',
    driver: 'driver or device',
    'gpu-fault': 'a fault of the GPU',
    other: 'something else',
  },
  'log.stage': {
    device: 'setting up the device',
    wake: 'waking up',
    load: 'the load of the weights',
    profile: 'the trial run',
    'kv-cache': 'taking the KV pool',
    buffers: 'the buffers that are taken up front',
    'graph-capture': 'the capture of CUDA graphs',
    execute: 'a step for requests',
    sampler: 'the sampler',
    encoder: 'the encoder of images, video or audio',
  },
  'gpu.profile-balance': { freed: 'memory that was freed meanwhile', unmoved: 'free memory that did not change' },
  'death.ended-by': {
    preemption: 'the scheduler, for a pod of higher priority',
    'eviction-api': 'an eviction through the API, as a drain of its node makes it',
    taint: 'a taint of its node',
    'garbage-collection': 'the garbage collection of pods',
    'node-shutdown': 'the shutdown of its node',
    'node-lost': 'the loss of its node',
    deadline: 'the deadline of its job',
    deletion: 'a deletion, as a roll-out or a scale-down makes it',
    nothing: 'nobody',
  },
  'death.evicted-for': {
    storage: 'disk of its node',
    'own-storage': 'more disk than it may use',
    pids: 'process ids',
    'empty-dir': 'a volume in memory',
  },
  'pod.pending-for': {
    'insufficient-gpu': 'a free GPU',
    'insufficient-memory': 'a node with enough free memory',
    unschedulable: 'a node that takes it',
    'scheduling-gated': 'its scheduling gate',
    admission: 'its admission',
    'image-pull': 'its image',
    runtime: 'the container runtime',
    config: 'its configuration',
    creating: 'its volumes and network',
  },
};

/** What a value that is a name for scripts stands for: a word of its fact, a cause, a memory (or two in their order), a milestone or what rows are of; undefined for any other. */
export function valueWords(value: string, fact: string): string | undefined {
  const own = WORDS_OF[fact]?.[value];
  if (own !== undefined) return own;
  const cause = Cause.safeParse(value);
  return cause.success ? CAUSES[cause.data] : (milestoneWords(value) ?? MEMORY_WORDS[value] ?? ROWS_WORDS[value]);
}

/** `kv-allocated` as `the KV pool was taken`; undefined for what is no milestone. */
export function milestoneWords(value: string): string | undefined {
  return new Map(Object.entries(MILESTONE_WORDS)).get(value);
}

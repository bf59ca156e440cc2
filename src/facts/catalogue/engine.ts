import { MILESTONES } from '../../model/engine-reader.ts';
import type { FactEntry } from '../../model/fact.ts';
import { AGE, ARGS, LOG, STATUS } from './needs.ts';

/** The engine: what it is, what it was told, how far it came. */
export const ENGINE_FACTS: readonly FactEntry[] = [
  { id: 'engine.name', unit: 'text', says: 'inference engine', needs: LOG },
  { id: 'engine.version', unit: 'text', says: 'version of the engine', needs: LOG },
  {
    id: 'engine.last-milestone',
    unit: 'choice',
    values: ['none', ...MILESTONES],
    says: 'last milestone of the start that the log shows',
    needs: LOG,
  },
  {
    id: 'engine.became-ready',
    unit: 'yes-no',
    says: 'the instance that died had become ready',
    needs: 'the start of the log, or the readiness times of the pod',
  },
  { id: 'engine.served', unit: 'yes-no', says: 'it had served at least one request', needs: LOG },
  { id: 'engine.uptime', unit: 'duration', says: 'age of the process at the failure', needs: STATUS },
  {
    id: 'failure.life',
    unit: 'choice',
    values: ['starting', 'serving'],
    says: 'whether the engine was still starting or was serving when it failed',
    needs: AGE,
  },
  {
    id: 'failure.age',
    unit: 'choice',
    values: ['minutes', 'hours', 'days'],
    says: 'age of the process at the failure: below an hour, below a day, above',
    needs: AGE,
  },
  { id: 'engine.weights', unit: 'bytes', says: 'weights per GPU as the engine prints them', needs: LOG },
  {
    id: 'engine.kv-available',
    unit: 'bytes',
    says: 'memory available for the KV cache as the engine prints it',
    needs: LOG,
  },
  {
    id: 'engine.kv-needed',
    unit: 'bytes',
    says: 'memory needed for one sequence of the maximum length as the engine prints it',
    needs: LOG,
  },
  {
    id: 'engine.estimated-max-len',
    unit: 'tokens',
    says: 'the longest sequence that would fit, by the engine',
    needs: LOG,
  },
  { id: 'engine.kv-tokens', unit: 'tokens', says: 'size of the KV pool as the engine prints it', needs: LOG },
  {
    id: 'engine.kv-holds-one',
    unit: 'yes-no',
    says: 'the KV pool holds one request of the maximum length',
    needs: LOG,
  },
  { id: 'engine.max-model-len', unit: 'tokens', says: 'configured maximum length', needs: ARGS },
  { id: 'engine.max-num-seqs', unit: 'count', says: 'configured maximum of sequences in a batch', needs: ARGS },
  {
    id: 'engine.max-batched-tokens',
    unit: 'tokens',
    says: 'configured maximum of tokens in one forward pass',
    needs: ARGS,
  },
  { id: 'engine.utilization', unit: 'share', says: 'fraction of device memory the engine may take', needs: ARGS },
  { id: 'engine.ranks', unit: 'count', says: 'ranks: tensor parallel times pipeline parallel', needs: ARGS },
  {
    id: 'engine.multimodal',
    unit: 'yes-no',
    says: 'the model or its arguments speak of images, video or audio',
    needs: ARGS,
  },
  {
    id: 'engine.lazy-weights',
    unit: 'yes-no',
    says: 'weights are mapped from safetensors files, so that loading them takes page cache and not private memory',
    needs: LOG,
  },
];

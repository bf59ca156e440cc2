import type { FactEntry } from '../../model/fact.ts';
import { LOG } from '../needs.ts';

const LOAD = 'the lines in which llama.cpp or SGLang loads the model';
const FREE_CHECK = 'the line of the free-memory check at the start of the engine';

/** What engines measure and compare when they start, and what people noted of other starts. */
export const GPU_START_FACTS: readonly FactEntry[] = [
  { id: 'engine.load-free', unit: 'bytes', says: 'free on the devices before the load', needs: LOAD },
  { id: 'engine.load-left', unit: 'bytes', says: 'free on the device after the load (SGLang)', needs: LOAD },
  {
    id: 'gpu.taken-before-start',
    unit: 'bytes',
    says: 'in use on the GPU before the engine started',
    needs: FREE_CHECK,
  },
  {
    id: 'gpu.taken-before-start-share',
    unit: 'share',
    says: 'in use on the GPU before the engine started, against its memory',
    needs: FREE_CHECK,
  },
  { id: 'gpu.free-at-start', unit: 'bytes', says: 'free on the GPU when the engine started', needs: FREE_CHECK },
  {
    id: 'gpu.total-at-start',
    unit: 'bytes',
    says: 'memory of the device as the engine prints it at its start',
    needs: FREE_CHECK,
  },
  {
    id: 'gpu.free-at-start-share',
    unit: 'share',
    says: 'free on the GPU when the engine started, against its memory',
    needs: FREE_CHECK,
  },
  {
    id: 'gpu.short-of-fraction',
    unit: 'bytes',
    says: 'what is missing to the fraction that the engine was told to take',
    needs: FREE_CHECK,
  },
  {
    id: 'gpu.profile-balance',
    unit: 'choice',
    values: ['freed', 'unmoved'],
    says: 'what the check of the memory profile complains of',
    needs: LOG,
  },
  {
    id: 'engine.draft-model',
    unit: 'yes-no',
    says: 'the failure came as the draft model of speculative decoding was set up, with the main model in place',
    needs: LOG,
  },
];

import type { FactEntry } from '../../model/fact.ts';
import { LOG, SMI } from './needs.ts';

const LOAD = 'the lines in which llama.cpp or SGLang loads the model';
const FREE_CHECK = 'the line of the free-memory check at the start of the engine';

/** What engines measure and compare when they start, and what people noted of other starts. */
export const GPU_START_FACTS: readonly FactEntry[] = [
  { id: 'engine.load-free', unit: 'bytes', says: 'free on the devices before the load', needs: LOAD },
  { id: 'engine.load-left', unit: 'bytes', says: 'free on the device after the load (SGLang)', needs: LOAD },
  {
    id: 'engine.load-share',
    unit: 'share',
    says: 'what the load took of what was free before it: the fraction of SGLang has to be above that',
    needs: LOAD,
  },
  {
    id: 'engine.weights-over',
    unit: 'bytes',
    says: 'what the weights alone take beyond what the fraction of the card gives (vLLM, SGLang)',
    onlyWhere: 'it is more',
    needs: 'the weights as the engine prints them, the fraction and the memory of the GPU',
  },
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
    id: 'gpu.listed-before-start',
    unit: 'bytes',
    says: 'what the largest process on the device holds, where an engine was refused before it took anything',
    needs: 'nvidia-smi.txt of that moment',
  },
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
    id: 'gpu.smallest-free-share',
    unit: 'share',
    says: 'free on the card that had least when the engine compared its cards, against the memory of the smallest',
    needs: 'the line of the comparison in the log, and nvidia-smi.txt',
  },
  {
    id: 'gpu.weights-of-fraction',
    unit: 'share',
    says: 'weights per GPU, as printed or by the name of the model, against what the fraction of the card comes to',
    needs:
      'the arguments, with the name of the model or a line with the size of its weights, and the memory of the card',
  },
  {
    id: 'gpu.cards-unlike',
    unit: 'text',
    says: 'the cards that the engine sees, by name and memory',
    onlyWhere: 'they differ',
    needs: SMI,
  },
  {
    id: 'gpu.kv-uneven',
    unit: 'yes-no',
    says: 'one rank had room for a KV cache where another of the same start had none',
    needs: 'the lines of two ranks or more on their room for the KV cache',
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
    id: 'gpu.weights-per-room',
    unit: 'ratio',
    says: 'the weights against what the engine has room for, where it adds its work space to them',
    needs: "the line of MLC LLM's sum of weights and temporary buffers",
  },
  {
    id: 'gpu.work-per-room',
    unit: 'ratio',
    says: 'that work space against the same room',
    needs: "the line of MLC LLM's sum of weights and temporary buffers",
  },
  {
    id: 'engine.draft-model',
    unit: 'yes-no',
    says: 'the failure came as the draft model of speculative decoding was set up, with the main model in place',
    needs: LOG,
  },
  {
    id: 'log.tried',
    unit: 'choice',
    values: ['eager', 'lower-fraction', 'nothing'],
    says: 'what people noted that let the same engine start: no graphs, or a lower fraction than one that failed',
    needs: LOG,
  },
  {
    id: 'log.noted-fraction',
    unit: 'share',
    says: 'fraction of GPU memory that people noted beside the log',
    needs: LOG,
  },
];

import type { FactEntry } from '../../model/fact.ts';
import { ARGS, SERIES } from './needs.ts';

const WEIGHTS = 'the weights as the engine prints them, or a model whose size is known, and its ranks';

const OFFLOAD = `${ARGS}, with what is offloaded and the memory limit`;

/** Sums for what mends a failure for good. */
export const LASTING_FACTS: readonly FactEntry[] = [
  { id: 'lasting.weights', unit: 'bytes', says: 'weights of the whole model, all ranks together', needs: WEIGHTS },
  {
    id: 'lasting.ranks',
    unit: 'count',
    says: 'the next power of two of GPUs on which the weights take at most 70 % of each; not known on a MIG slice',
    needs: `${WEIGHTS}, and the memory of the GPU`,
  },
  {
    id: 'lasting.more-gpu',
    unit: 'text',
    says: 'what gives an engine more GPU memory: more GPUs or a larger card, and on a MIG slice a larger one or a whole GPU',
    needs: 'a log, or a container that asks for a GPU',
  },
  { id: 'lasting.weights-per-gpu', unit: 'bytes', says: 'weights on each of so many GPUs', needs: WEIGHTS },
  {
    id: 'lasting.weights-8bit',
    unit: 'bytes',
    says: 'weights of each GPU of today if the 16-bit model were of 8 bit',
    needs: WEIGHTS,
  },
  {
    id: 'lasting.weights-4bit',
    unit: 'bytes',
    says: 'weights of each GPU of today if the 16-bit model were of 4 bit with its scales',
    needs: WEIGHTS,
  },
  {
    id: 'lasting.card',
    unit: 'bytes',
    says: 'memory of a card of which the weights of each rank take 70 %',
    needs: WEIGHTS,
  },
  {
    id: 'lasting.kv-8bit-needed',
    unit: 'bytes',
    says: 'what one sequence of the maximum length needs with an 8-bit KV cache',
    needs: 'the line in which the engine refuses for want of KV room',
  },
  {
    id: 'lasting.ram-limit',
    unit: 'bytes',
    says: '1.3 times the highest use of RAM that was seen, or the sum of what the start takes; not known where a kill came before the processes of the engine could have their 3 GiB each',
    needs: `${SERIES}, or a kill at the limit`,
  },
  {
    id: 'ram.limit-raised',
    unit: 'bytes',
    says: 'the limit to raise to: half as much again, and no less than 3 GiB for each process of the engine and than 1.3 times what was seen or the start takes',
    needs: 'the memory limit of the container',
  },
  {
    id: 'ram.limit-raised-why',
    unit: 'text',
    says: 'which of these is the most',
    needs: 'the memory limit of the container',
  },
  {
    id: 'ram.limit-raised-fits',
    unit: 'yes-no',
    says: 'the node has as much memory for pods as that limit',
    needs: 'the memory limit of the container and the node (node.json)',
  },
  {
    id: 'lasting.offload-most',
    unit: 'bytes',
    says: 'what offloading may take below the limit, all ranks together: limit by 1.3, less 3 GiB for each process (llama.cpp and Ollama have one)',
    needs: OFFLOAD,
  },
  {
    id: 'lasting.offload-limit',
    unit: 'bytes',
    says: '1.3 times what is offloaded and 3 GiB for each process',
    needs: OFFLOAD,
  },
  { id: 'lasting.ram-per-rank', unit: 'bytes', says: 'memory limit divided by the ranks on this node', needs: ARGS },
  {
    id: 'lasting.restart-every',
    unit: 'duration',
    says: 'three quarters of the age at which the process died',
    needs: 'the age of the process at the failure (pod status)',
  },
];

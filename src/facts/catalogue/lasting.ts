import type { FactEntry } from '../../model/fact.ts';
import { SERIES } from '../needs.ts';

const WEIGHTS = 'the weights as the engine prints them, or a model whose size is known, and its ranks';

/** Sums for what mends a failure for good. */
export const LASTING_FACTS: readonly FactEntry[] = [
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
    id: 'ram.limit-raised-fits',
    unit: 'yes-no',
    says: 'the node has as much memory for pods as that limit',
    needs: 'the memory limit of the container and the node (node.json)',
  },
  {
    id: 'lasting.restart-every',
    unit: 'duration',
    says: 'three quarters of the age at which the process died',
    needs: 'the age of the process at the failure (pod status)',
  },
];

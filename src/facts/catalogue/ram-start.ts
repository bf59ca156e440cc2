import type { FactEntry } from '../../model/fact.ts';
import { ARGS, LOG } from './needs.ts';

/** Host memory that a start takes by its sums. */
export const RAM_START_FACTS: readonly FactEntry[] = [
  {
    id: 'ram.staging-bytes',
    unit: 'bytes',
    says: 'RAM for a load in which every rank reads whole files: one file in each rank at a time',
    needs: `${ARGS}, and the line that counts the files of the checkpoint`,
  },
  {
    id: 'ram.staging-most',
    unit: 'bytes',
    says: 'RAM for a load in which every rank keeps the whole checkpoint until it is loaded',
    needs: ARGS,
  },
  {
    id: 'ram.load-most',
    unit: 'bytes',
    says: 'the weights by the name of the model, once for each rank: all ranks together never read more at once',
    needs: ARGS,
  },
  {
    id: 'ram.start-most',
    unit: 'bytes',
    says: 'the most that the start can take by what is known (vLLM, SGLang): the whole checkpoint in each rank, by the name of the model, 3 GiB for each process, and what is kept in RAM',
    needs: ARGS,
  },
  {
    id: 'ram.start-fits',
    unit: 'yes-no',
    says: 'even that fits into the memory limit',
    needs: ARGS,
  },
  {
    id: 'ram.processes-share',
    unit: 'ratio',
    says: 'what the processes of the engine may hold by themselves, 3 GiB each, against the memory limit',
    needs: 'the engine and its arguments, and the memory limit',
  },
  {
    id: 'ram.start-bytes',
    unit: 'bytes',
    says: 'RAM that the start takes at the least',
    needs: ARGS,
  },
  {
    id: 'ram.start-parts',
    unit: 'text',
    says: 'what that is made of',
    needs: ARGS,
  },
  {
    id: 'ram.not-counted',
    unit: 'text',
    says: 'what the start takes in RAM besides, of a size that is not known',
    needs: 'the start of the log',
  },
  {
    id: 'ram.kept-share',
    unit: 'ratio',
    says: 'RAM that processes and offloading keep after the load, against the memory limit (or the node, where there is no limit)',
    needs: 'the engine arguments and the memory limit',
  },
  {
    id: 'ram.start-share',
    unit: 'ratio',
    says: 'RAM that the start takes at the least, against the memory limit (or the node, where there is no limit)',
    needs: 'the engine arguments and the memory limit',
  },
  {
    id: 'engine.lazy-weights',
    unit: 'yes-no',
    says: 'weights are mapped from safetensors files, so that loading them takes page cache and not private memory',
    needs: LOG,
  },
  {
    id: 'engine.safetensors',
    unit: 'yes-no',
    says: 'the files of weights that are read are safetensors, mapped or not',
    needs: LOG,
  },
];

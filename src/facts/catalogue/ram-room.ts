import type { FactEntry } from '../../model/fact.ts';
import { ARGS, LOG, STATUS } from './needs.ts';

/** The room for a container's RAM: what changed its limit, and what else takes part of it. */
export const RAM_ROOM_FACTS: readonly FactEntry[] = [
  {
    id: 'ram.resized',
    unit: 'yes-no',
    says: 'the resources of the pod were changed while the container ran (in-place resize)',
    onlyWhere: 'it is so',
    needs: 'the events of the pod, and the times of its status',
  },
  {
    id: 'ram.limit-before',
    unit: 'bytes',
    says: 'memory limit before it was lowered while the container ran',
    needs: 'a series of the memory limit (Prometheus), and the times of the pod status',
  },
  {
    id: 'ram.lowered-onto',
    unit: 'ratio',
    says: 'what was in use when the limit was lowered, against the new limit',
    needs: 'series of the memory limit, or an event of the resize, and of the working set (Prometheus)',
  },
  {
    id: 'ram.media-cache',
    unit: 'bytes',
    says: 'what the cache of pictures, video and audio that were read (vLLM) may take in RAM, all its processes together',
    onlyWhere: 'it is on',
    needs: `${ARGS}, and the version of vLLM`,
  },
  { id: 'ram.media-cache-each', unit: 'bytes', says: 'that of one process', needs: `${ARGS}, and the version of vLLM` },
  {
    id: 'ram.media-cache-processes',
    unit: 'count',
    says: 'API servers and cores of engines that keep such a cache each',
    needs: ARGS,
  },
  {
    id: 'ram.media-cache-share',
    unit: 'ratio',
    says: 'all of it against the memory limit',
    needs: `${ARGS}, the version of vLLM, and the memory limit`,
  },
  {
    id: 'ram.model-volume',
    unit: 'text',
    says: 'where a volume in memory (emptyDir of medium Memory) is mounted that holds the files of the model',
    onlyWhere: 'it is so',
    needs: 'the volumes of the pod (pod.json) and the engine arguments',
  },
  {
    id: 'ram.left-on-cpu',
    unit: 'bytes',
    says: 'what Ollama leaves in RAM of a model that does not fit the cards, by its own account',
    onlyWhere: 'its own engine runs it',
    needs: LOG,
  },
  { id: 'ram.left-on-cpu-share', unit: 'ratio', says: 'that against the memory limit', needs: `${LOG}, and ${STATUS}` },
];

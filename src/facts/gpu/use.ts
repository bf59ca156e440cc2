import { defineFacts } from '../evidence/define.ts';
import { computed, factOf, ratio } from '../log/draft.ts';
import { IDLE, METRICS, SERIES, SHAPES } from '../log/needs.ts';
import { readIdleGrowth } from '../when/idle-growth.ts';
import { shapeFact, valueBefore } from '../when/series-figures.ts';
import { fullestOf, sliceInUse } from './device-memory.ts';
import { gpuTotal } from './gpu-total.ts';

const USED = 'gpu.framebuffer.used';

/** GPU memory in use, as tools measure it. */
export const GPU_USE = defineFacts(
  {
    'gpu.used': { unit: 'bytes', says: 'memory in use on the fullest GPU', needs: METRICS },
    'gpu.used-share': { unit: 'share', says: 'used share of the fullest GPU', needs: METRICS },
    'gpu.shape': { unit: 'choice', values: SHAPES, says: 'GPU memory in use over time', needs: SERIES },
    'gpu.grows-idle': { unit: 'yes-no', says: 'GPU memory in use kept growing while idle', needs: IDLE },
  },
  (evidence) => {
    const total = gpuTotal(evidence);
    const used = valueBefore(evidence, USED) ?? (sliceInUse(evidence) ?? fullestOf(evidence.smi?.gpus))?.used;
    return {
      'gpu.used': factOf(used),
      'gpu.used-share': computed([used, total], ratio),
      'gpu.shape': shapeFact(evidence, USED, total?.value),
      'gpu.grows-idle': readIdleGrowth(evidence, USED),
    };
  },
);

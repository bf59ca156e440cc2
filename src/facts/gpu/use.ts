import { defineFacts } from '../evidence/define.ts';
import { computed, ratio } from '../log/draft.ts';
import { IDLE, METRICS, SERIES, SHAPES } from '../log/needs.ts';
import { readIdleGrowth } from '../when/idle-growth.ts';
import { shapeFact, valueBefore } from '../when/series-figures.ts';
import { gpuTotal } from './gpu-total.ts';

const USED = 'gpu.framebuffer.used';

/** GPU memory in use, as tools measure it. */
export const GPU_USE = defineFacts(
  {
    'gpu.used-share': { unit: 'share', says: 'used share of the fullest GPU', needs: METRICS },
    'gpu.shape': { unit: 'choice', values: SHAPES, says: 'GPU memory in use over time', needs: SERIES },
    'gpu.grows-idle': { unit: 'yes-no', says: 'GPU memory in use kept growing while idle', needs: IDLE },
  },
  (evidence) => {
    const total = gpuTotal(evidence);
    const listed = (evidence.smi?.gpus ?? []).flatMap(({ used }) => used ?? []);
    const fullest = listed.toSorted((a, b) => b.value - a.value)[0];
    return {
      'gpu.used-share': computed([valueBefore(evidence, USED) ?? fullest, total], ratio),
      'gpu.shape': shapeFact(evidence, USED, total?.value),
      'gpu.grows-idle': readIdleGrowth(evidence, USED),
    };
  },
);

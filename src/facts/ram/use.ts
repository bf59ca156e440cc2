import type { Cited } from '../../model/engine-reader.ts';
import { peakOf } from '../../read/metrics/series.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citedNumber, computed, factOf, ratio } from '../log/draft.ts';
import { IDLE, METRICS, SERIES, SHAPES } from '../log/needs.ts';
import { readIdleGrowth } from '../when/idle-growth.ts';
import { seriesBefore, shapeFact, textSeriesOf, valueBefore } from '../when/series-figures.ts';
import { readLimit } from './limit.ts';

const WORKING_SET = 'container.memory.working-set';

/** RAM in use by the container. */
export const RAM_USE = defineFacts(
  {
    'ram.used': { unit: 'bytes', says: 'RAM in use just before the death, or now if it runs', needs: METRICS },
    'ram.used-share': { unit: 'share', says: 'RAM in use, as a share of the limit', needs: METRICS },
    'ram.peak': { unit: 'bytes', says: 'highest RAM in use by the container', needs: SERIES },
    'ram.shape': { unit: 'choice', values: SHAPES, says: 'RAM in use over time', needs: SERIES },
    'ram.grows-idle': { unit: 'yes-no', says: 'RAM in use kept growing while idle', needs: IDLE },
  },
  (evidence) => {
    const { kernel, kubernetes } = evidence;
    const limit = readLimit(evidence);
    // Where nothing was measured: the kernel prints the use at a kill by the limit, the kubelet as it evicts.
    const used = valueBefore(evidence, WORKING_SET) ?? kernel?.usage ?? citedNumber(kubernetes.evictedUse);
    return {
      'ram.used': factOf(used),
      'ram.used-share': computed([used, limit], ratio),
      'ram.peak': factOf(highestUse(evidence)),
      'ram.shape': shapeFact(evidence, WORKING_SET, limit?.value),
      'ram.grows-idle': readIdleGrowth(evidence, WORKING_SET),
    };
  },
);

function highestUse(evidence: Evidence): Cited<number> | undefined {
  const measured = seriesBefore(evidence, WORKING_SET).flatMap((series) => peakOf(series) ?? []);
  const written = textSeriesOf(evidence, WORKING_SET).flatMap(({ points }) => points);
  return (measured.length > 0 ? measured : written).toSorted((a, b) => b.value - a.value)[0];
}

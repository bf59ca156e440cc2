import type { Cited } from '../../model/engine-reader.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citedNumber, computed, fact, factOf, ratio } from '../log/draft.ts';
import { NODE, REVISIONS, STATUS } from '../log/needs.ts';
import { valueBefore } from '../when/series-figures.ts';

/** The memory limit of the container. */
export const RAM_LIMIT = defineFacts(
  {
    'ram.limit': { unit: 'bytes', says: 'memory limit of the container', needs: STATUS },
    'ram.limit-of-node': {
      unit: 'ratio',
      says: 'memory limit of the container against the allocatable memory of its node',
      needs: NODE,
    },
    'ram.limited': { unit: 'yes-no', says: 'the container has a memory limit', needs: STATUS },
    'ram.limit-cut': {
      unit: 'text',
      says: 'what lowered the memory limit',
      needs: REVISIONS,
    },
    'ram.limit-vpa': {
      unit: 'text',
      says: 'the VPA that lowered the memory limit, as kubectl takes it',
      needs: `${STATUS}, and ${REVISIONS}`,
    },
  },
  (evidence) => {
    const { spec, node } = evidence;
    const limit = readLimit(evidence);
    return {
      'ram.limit': factOf(limit) ?? spec.memoryLimit,
      'ram.limit-of-node': computed([limit, citedNumber(node?.allocatableMemory)], ratio),
      'ram.limited': isLimited(evidence, limit),
      'ram.limit-cut': evidence.rollout?.limitCut,
      'ram.limit-vpa': evidence.rollout?.vpa,
    };
  },
);

/** The limit by the spec, the metrics, or the kernel. */
export function readLimit(evidence: Evidence): Cited<number> | undefined {
  const { spec, kernel } = evidence;
  return citedNumber(spec.memoryLimit) ?? valueBefore(evidence, 'container.memory.limit') ?? kernel?.limit;
}

// No limit is a fact only where the spec is there to show it.
function isLimited({ spec: { memoryLimit, memoryRequest } }: Evidence, limit: Cited<number> | undefined) {
  if (limit !== undefined) return fact(true, [limit.from]);
  const isNone = memoryLimit.kind === 'unknown' && memoryLimit.reason === 'empty';
  return isNone && memoryRequest.kind === 'known' ? fact(false, memoryRequest.from) : undefined;
}

import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { gpuByProduct } from '../../model/gpu-table.ts';
import { GIB } from '../../model/quantity.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { totalAtStart } from '../evidence/free-check.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { fact, factOf } from '../log/draft.ts';
import { NODE, SMI, STATUS } from '../log/needs.ts';
import { gpuTotal, nameInLog, UNIFIED } from './gpu-total.ts';
import { readIdleGpus, visibleGpus } from './idle-gpus.ts';

/** The GPUs of the container. */
export const GPU_DEVICE = defineFacts(
  {
    'gpu.product': { unit: 'text', says: 'GPU model', needs: NODE },
    'gpu.count': { unit: 'count', says: 'GPUs of the container', needs: STATUS },
    'gpu.total': {
      unit: 'bytes',
      says: 'memory of one GPU',
      needs: 'an OOM line of the log, the node labels or nvidia-smi',
    },
    'gpu.unified': {
      unit: 'yes-no',
      says: 'CPU and GPU share one memory: GPU memory, page cache and RAM are one pool',
      needs: 'the GPU model (node.json or nvidia-smi.txt)',
    },
    'gpu.uneven': { unit: 'yes-no', says: 'the GPUs of the container differ in memory', needs: SMI },
    'gpu.idle': {
      unit: 'count',
      says: 'GPUs of the container that the engine was not told to use',
      needs: 'the GPUs of the container (its resources or CUDA_VISIBLE_DEVICES) and the arguments of the engine',
    },
  },
  (evidence) => {
    const { node, smi, incident } = evidence;
    const product = node?.product.kind === 'known' ? node.product : factOf(smi?.gpus[0]?.name);
    const told = product ?? factOf(notedField(incident?.gpu?.model, '/gpu/model'));
    const totals = visibleGpus(evidence).flatMap(({ total, slice }) => (slice === undefined && total) || []);
    const sizes = new Set(totals.map(({ value }) => value)).size;
    return {
      'gpu.product': told ?? factOf(nameInLog(evidence)),
      'gpu.count': countOf(evidence),
      'gpu.total': factOf(gpuTotal(evidence)),
      'gpu.unified': unifiedFact(told) ?? unifiedInLog(evidence) ?? unifiedBySize(evidence),
      'gpu.uneven': fact(
        sizes > 0 ? sizes > 1 : undefined,
        totals.map(({ from }) => from),
      ),
      'gpu.idle': readIdleGpus(evidence),
    };
  },
);

// What the container was given, else what its node has. One row of nvidia-smi may be all that is left of many.
function countOf({ node, spec, smi, incident }: Evidence): Fact | undefined {
  const known = [spec.gpuCount, node?.count].find((count) => count?.kind === 'known');
  const cards = smi?.gpus.filter(({ slice }) => slice === undefined) ?? [];
  const listed = cards.flatMap(({ total, name }) => total?.from ?? name?.from ?? []);
  return (
    known ??
    factOf(notedField(incident?.gpu?.count, '/gpu/count')) ??
    fact(listed.length > 1 ? listed.length : undefined, listed) ??
    spec.gpuCount
  );
}

function unifiedFact(product: Fact | undefined): Fact | undefined {
  if (product?.kind !== 'known' || typeof product.value !== 'string') return undefined;
  return fact(UNIFIED.test(product.value), product.from);
}

// The name that a driver gives an integrated GPU often tells nothing.
function unifiedInLog(evidence: Evidence): Fact | undefined {
  const name = nameInLog(evidence);
  const tells = name !== undefined && (UNIFIED.test(name.value) || gpuByProduct(name.value) !== undefined);
  return tells ? unifiedFact(factOf(name)) : undefined;
}

// What CUDA and ROCm call the memory of the device on machines with 128 GB for both (GB10 119.6 to 121.7 GiB, Jetson AGX Thor
// 122.8 GiB): no discrete GPU has as much.
const UNIFIED_BYTES = [117 * GIB, 124 * GIB] as const;

function unifiedBySize(evidence: Evidence): Fact | undefined {
  const total: Cited<number> | undefined = totalAtStart(evidence) ?? gpuTotal(evidence);
  const isUnified = total && total.value >= UNIFIED_BYTES[0] && total.value <= UNIFIED_BYTES[1];
  return total && isUnified ? fact(true, [total.from]) : undefined;
}

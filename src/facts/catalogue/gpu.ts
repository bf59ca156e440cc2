import type { FactEntry } from '../../model/fact.ts';
import { LOG, METRICS, NODE, OOM_LINE, SERIES, SHAPES, SMI, STATUS } from './needs.ts';

const FREE_CHECK = 'the line of the free-memory check at the start of the engine';

/** GPU memory. */
export const GPU_FACTS: readonly FactEntry[] = [
  { id: 'gpu.product', unit: 'text', says: 'GPU model', needs: NODE },
  { id: 'gpu.count', unit: 'count', says: 'GPUs of the container', needs: STATUS },
  {
    id: 'gpu.total',
    unit: 'bytes',
    says: 'memory of one GPU',
    needs: 'an OOM line of the log, the node labels or nvidia-smi',
  },
  {
    id: 'gpu.unified',
    unit: 'yes-no',
    says: 'CPU and GPU share one memory, so that GPU, page cache and RAM are one pool',
    needs: 'the GPU model (node.json or nvidia-smi.txt)',
  },
  { id: 'gpu.uneven', unit: 'yes-no', says: 'the GPUs of the container differ in memory', needs: SMI },
  {
    id: 'gpu.shared-by-plugin',
    unit: 'yes-no',
    says: 'time-slicing or MPS lets several pods use one GPU',
    needs: NODE,
  },
  { id: 'gpu.used', unit: 'bytes', says: 'framebuffer in use on the fullest GPU of the pod', needs: METRICS },
  { id: 'gpu.used-share', unit: 'share', says: 'framebuffer in use against its total, fullest GPU', needs: METRICS },
  { id: 'gpu.shape', unit: 'choice', values: SHAPES, says: 'shape of the framebuffer in use over time', needs: SERIES },
  {
    id: 'gpu.growth-noted',
    unit: 'yes-no',
    says: 'figures or notes in the snapshot tell of GPU memory that grows and does not come back',
    needs: SERIES,
  },
  { id: 'gpu.busy-share', unit: 'share', says: 'GPU utilisation', needs: METRICS },
  {
    id: 'gpu.oom-logged',
    unit: 'yes-no',
    says: 'a line proves that device memory ran out or did not suffice',
    needs: LOG,
  },
  {
    id: 'gpu.oom-bare',
    unit: 'yes-no',
    says: 'the device is said to be out of memory without the figures of the allocator: pinned memory, a driver call or a capture, not the pool of PyTorch',
    needs: LOG,
  },
  { id: 'gpu.oom-at', unit: 'time', says: 'time of that line', needs: LOG },
  { id: 'gpu.oom-uptime', unit: 'duration', says: 'from the start of the container to that line', needs: LOG },
  { id: 'gpu.want', unit: 'bytes', says: 'the one allocation that failed', needs: OOM_LINE },
  { id: 'gpu.want-share', unit: 'ratio', says: 'that allocation against the memory of the GPU', needs: OOM_LINE },
  { id: 'gpu.free', unit: 'bytes', says: 'free on the device at that moment', needs: OOM_LINE },
  {
    id: 'gpu.free-per-want',
    unit: 'ratio',
    says: 'free on the device against the allocation that failed: far above 1 the books do not balance',
    needs: OOM_LINE,
  },
  { id: 'gpu.allocated', unit: 'bytes', says: 'allocated by PyTorch in live tensors', needs: OOM_LINE },
  { id: 'gpu.reserved-unallocated', unit: 'bytes', says: 'reserved by PyTorch but unallocated', needs: OOM_LINE },
  {
    id: 'gpu.unmanaged',
    unit: 'bytes',
    says: 'on the device and not owned by PyTorch: total - free - allocated - reserved',
    needs: OOM_LINE,
  },
  { id: 'gpu.unmanaged-share', unit: 'share', says: 'that against the memory of the GPU', needs: OOM_LINE },
  {
    id: 'gpu.foreign',
    unit: 'bytes',
    says: 'held by other processes on the device',
    needs: `${OOM_LINE}, or ${SMI}`,
  },
  {
    id: 'gpu.weights-share',
    unit: 'ratio',
    says: 'weights per GPU, as printed or by the name of the model, against the memory of the card',
    needs: 'a line with the size of the weights, or the arguments and the memory of the card',
  },
  { id: 'gpu.allocated-share', unit: 'share', says: 'allocated by PyTorch against the total', needs: OOM_LINE },
  {
    id: 'gpu.fragmented',
    unit: 'yes-no',
    says: 'what PyTorch reserved and does not use is as large as the allocation that failed',
    needs: OOM_LINE,
  },
  {
    id: 'gpu.slack-share',
    unit: 'share',
    says: 'reserved by PyTorch but unallocated against the memory of the GPU',
    needs: OOM_LINE,
  },
  {
    id: 'gpu.capped',
    unit: 'yes-no',
    says: 'the process was held to a part of the GPU by a fraction set for it',
    needs: OOM_LINE,
  },
  {
    id: 'gpu.taken-before-start',
    unit: 'bytes',
    says: 'already in use on the device when the engine started',
    needs: FREE_CHECK,
  },
  { id: 'gpu.free-at-start', unit: 'bytes', says: 'free on the device when the engine started', needs: FREE_CHECK },
  { id: 'gpu.total-at-start', unit: 'bytes', says: 'memory of the device by the same check', needs: FREE_CHECK },
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
    says: 'what the memory profile of the start complains of: memory that somebody freed meanwhile, or figures that do not move',
    needs: LOG,
  },
];

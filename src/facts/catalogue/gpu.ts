import type { FactEntry } from '../../model/fact.ts';
import { LOGITS_OF } from '../gpu/logits-size.ts';
import { ARGS, LOG, METRICS, NODE, OOM_LINE, SERIES, SHAPES, SMI, STATUS } from '../needs.ts';

const LOGITS = `${OOM_LINE}, the name of a known model, and the bounds of a step or its dump`;

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
    id: 'allocator.variable',
    unit: 'text',
    says: "variable that this build of PyTorch's allocator reads; none where no name is known for its device",
    needs: `the version of PyTorch, the variables of the container, its device if that is none of CUDA, or ${OOM_LINE} with PyTorch's advice`,
  },
  {
    id: 'allocator.segments',
    unit: 'choice',
    values: ['on', 'off', 'refused', 'unsupported'],
    says: "expandable segments of PyTorch's allocator; refused where the engine does not start with them, unsupported by builds for ROCm before 2.12, and of those whose release is not seen",
    needs: ARGS,
  },
  {
    id: 'gpu.neighbour-listed-share',
    unit: 'share',
    says: 'what nvidia-smi lists for processes of other programs than the engine, against the memory of the card',
    needs: SMI,
  },
  { id: 'gpu.used-share', unit: 'share', says: 'memory of the fullest GPU in use, as a share', needs: METRICS },
  { id: 'gpu.shape', unit: 'choice', values: SHAPES, says: 'GPU memory in use over time', needs: SERIES },
  {
    id: 'gpu.oom-logged',
    unit: 'yes-no',
    says: 'a line proves that GPU memory ran out or did not suffice',
    needs: LOG,
  },
  {
    id: 'gpu.oom-bare',
    unit: 'yes-no',
    says: 'the GPU is said to be out of memory without the figures of the allocator: pinned memory, a driver call or a capture, not the pool of PyTorch',
    needs: LOG,
  },
  { id: 'gpu.oom-at', unit: 'time', says: 'time of that line', needs: LOG },
  { id: 'gpu.want', unit: 'bytes', says: 'the allocation that failed', needs: OOM_LINE },
  { id: 'gpu.want-share', unit: 'ratio', says: 'that allocation against the memory of the GPU', needs: OOM_LINE },
  {
    id: 'gpu.logits-of',
    unit: 'choice',
    values: [...LOGITS_OF],
    says: 'the allocation that failed has the size of the logits of',
    needs: LOGITS,
  },
  { id: 'gpu.free', unit: 'bytes', says: 'free on the GPU at that moment', needs: OOM_LINE },
  {
    id: 'gpu.free-per-want',
    unit: 'ratio',
    says: 'free on the GPU at that moment, against the allocation that failed (far above 1 the books do not balance)',
    needs: OOM_LINE,
  },
  { id: 'gpu.allocated', unit: 'bytes', says: 'live tensors of PyTorch', needs: OOM_LINE },
  { id: 'gpu.reserved-unallocated', unit: 'bytes', says: 'reserved by PyTorch and not in use', needs: OOM_LINE },
  { id: 'gpu.private-pools', unit: 'bytes', says: 'of the live tensors in pools of CUDA graphs', needs: OOM_LINE },
  {
    id: 'gpu.unmanaged',
    unit: 'bytes',
    says: 'in use on the GPU outside PyTorch (total less free, allocated and reserved)',
    needs: OOM_LINE,
  },
  {
    id: 'gpu.unmanaged-share',
    unit: 'share',
    says: 'in use on the GPU outside PyTorch, against its memory',
    needs: OOM_LINE,
  },
  { id: 'gpu.foreign', unit: 'bytes', says: 'held by other processes on the GPU', needs: `${OOM_LINE}, or ${SMI}` },
  {
    id: 'gpu.taken-by-ranks',
    unit: 'bytes',
    says: 'held on this GPU by other ranks of the same launch, whose process numbers lie close together',
    needs: `${OOM_LINE}, or ${SMI}`,
  },
  {
    id: 'gpu.idle',
    unit: 'count',
    says: 'GPUs that the container was given and that the engine was not told to use',
    needs: 'the GPUs of the container (its resources or CUDA_VISIBLE_DEVICES) and the arguments of the engine',
  },
  {
    id: 'gpu.weights-share',
    unit: 'ratio',
    says: 'weights per GPU, against the memory of the card (as printed, or by the name of the model)',
    needs: 'a line with the size of the weights, or the arguments and the memory of the card',
  },
  {
    id: 'gpu.allocated-per-weights',
    unit: 'ratio',
    says: 'allocated by PyTorch against the weights of one rank, where there are several',
    needs: `${OOM_LINE}, and ${ARGS}`,
  },
  { id: 'gpu.allocated-share', unit: 'share', says: 'live tensors against the memory of the GPU', needs: OOM_LINE },
  {
    id: 'gpu.fragmented',
    unit: 'yes-no',
    says: 'what PyTorch reserved and does not use is as large as the allocation that failed',
    needs: OOM_LINE,
  },
  {
    id: 'gpu.slack-per-want',
    unit: 'ratio',
    says: 'reserved by PyTorch and not in use, against the allocation that failed',
    needs: OOM_LINE,
  },
  {
    id: 'gpu.slack-share',
    unit: 'share',
    says: 'reserved by PyTorch and not in use, against the memory of the GPU',
    needs: OOM_LINE,
  },
  {
    id: 'gpu.capped',
    unit: 'yes-no',
    says: 'the process was held to a part of the GPU by a fraction set for it',
    needs: OOM_LINE,
  },
];

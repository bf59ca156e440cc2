import { GIB, MIB, type StepTensor, type StepTensors, torchAmount } from './arithmetic.ts';

/** A failed allocation of the allocator, with the account that torch prints. Amounts are bytes. */
export type OutOfMemory = {
  readonly wanted: number;
  /** What was allocated for; undefined for a part that no step allocates. */
  readonly tensor: StepTensor['name'] | undefined;
  readonly message: string;
};

/** Memory of one GPU, as far as one engine and what shares the GPU with it take it. Amounts are bytes. */
export type GpuMemory = {
  readonly total: number;
  /** What another process holds. */
  other: number;
  context: number;
  weights: number;
  pool: number;
  graphs: number;
  /** The most that steps have held, which the allocator keeps. */
  activations: number;
  /** Reserved in pieces too small for what is asked for. */
  fragments: number;
  /** Allocated and never freed. */
  leaked: number;
};

// Contexts, kernels and workspaces of one process.
export const CONTEXT_BYTES = 0.45 * GIB;

export function emptyGpu(totalBytes: number, otherBytes: number): GpuMemory {
  return {
    total: totalBytes,
    other: otherBytes,
    context: 0,
    weights: 0,
    pool: 0,
    graphs: 0,
    activations: 0,
    fragments: 0,
    leaked: 0,
  };
}

/** What the engine cannot free. */
function heldFor(gpu: GpuMemory): number {
  return gpu.weights + gpu.pool + gpu.graphs + gpu.leaked;
}

export function usedOf(gpu: GpuMemory): number {
  return gpu.other + gpu.context + heldFor(gpu) + gpu.activations + gpu.fragments;
}

export function freeOf(gpu: GpuMemory): number {
  return gpu.total - usedOf(gpu);
}

/** Takes memory for good, in pieces of `piece` bytes as loading and capturing do; answers the piece that does not fit. */
export function take(
  gpu: GpuMemory,
  part: 'weights' | 'pool' | 'graphs',
  { bytes, piece }: { readonly bytes: number; readonly piece: number },
): OutOfMemory | undefined {
  // The allocator returns what it keeps for steps before it fails.
  gpu.activations = 0;
  const fits = Math.floor(Math.max(0, freeOf(gpu)) / piece);
  if (Math.ceil(bytes / piece) <= fits || bytes <= freeOf(gpu)) {
    gpu[part] += bytes;
    return undefined;
  }
  gpu[part] += fits * piece;
  return failure(gpu, { name: undefined, bytes: piece }, 0);
}

const PIECE_BYTES = 128 * MIB;

/** One step: the tensors of each part are allocated one after the other, and kept by the allocator after it. */
export function runStep(gpu: GpuMemory, parts: StepTensors): OutOfMemory | undefined {
  for (const part of parts) {
    const failed = runPart(gpu, part);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

function runPart(gpu: GpuMemory, tensors: readonly StepTensor[]): OutOfMemory | undefined {
  const room = gpu.total - gpu.other - gpu.context - heldFor(gpu) - gpu.fragments;
  let held = 0;
  let pieces = gpu.fragments;
  for (const tensor of tensors) {
    // What is small enough fits into the pieces.
    if (tensor.bytes <= Math.min(PIECE_BYTES, pieces)) {
      pieces -= tensor.bytes;
    } else if (held + tensor.bytes > room) {
      gpu.activations = Math.max(0, Math.min(room, held));
      return failure(gpu, tensor, held);
    } else held += tensor.bytes;
  }
  gpu.activations = Math.max(gpu.activations, held);
  return undefined;
}

type Wanted = { readonly name: StepTensor['name'] | undefined; readonly bytes: number };

// The words of PyTorch 2.8 (c10/cuda/CUDACachingAllocator.cpp).
function failure(gpu: GpuMemory, { name, bytes }: Wanted, held: number): OutOfMemory {
  const allocated = heldFor(gpu) + held;
  const reserved = gpu.fragments + Math.min(0.06 * GIB, 0.004 * allocated);
  const own = gpu.context + allocated + gpu.fragments;
  const free = Math.max(2 * MIB, gpu.total - gpu.other - own);
  const pools =
    gpu.graphs > 0 ? `, with ${torchAmount(gpu.graphs)} allocated in private pools (e.g., CUDA Graphs)` : '';
  const message = [
    `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${torchAmount(bytes)}.`,
    `GPU 0 has a total capacity of ${torchAmount(gpu.total)} of which ${torchAmount(free)} is free.`,
    `Including non-PyTorch memory, this process has ${torchAmount(own)} memory in use.`,
    `Of the allocated memory ${torchAmount(allocated)} is allocated by PyTorch${pools}, and ${torchAmount(reserved)} is reserved by PyTorch but unallocated.`,
    'If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.',
    ' See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)',
  ].join(' ');
  return { wanted: bytes, tensor: name, message };
}

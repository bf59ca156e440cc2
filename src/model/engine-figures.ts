import { z } from 'zod';

/** The engine's own figures: sizes in bytes of one GPU, lengths and capacities in tokens. */
export const FIGURES = {
  totalBytes: 'memory of the GPU',
  weightsBytes: 'weights',
  checkpointBytes: 'files of the weights, of all ranks together',
  activationBytes: 'peak of activations',
  nonTorchBytes: 'outside the allocator of the tensors: context, NCCL, work space of libraries',
  graphBytes: 'captured graphs',
  kvBytes: 'KV pool',
  kvNeededBytes: 'what the KV pool would need',
  kvTokenBytes: 'KV cache of one token',
  kvBlocks: 'blocks of the KV pool',
  blockTokens: 'tokens of such a block',
  kvTokens: 'tokens that the KV pool holds',
  freeBytes: 'free after the start',
  estimatedMaxLen: 'longest length that fits',
  leastFraction: 'memory fraction below which the engine says that it cannot start',
  maxConcurrency: 'requests of the full length that fit',
  fraction: 'memory fraction in force, whatever it was told',
  maxModelLen: 'length in force, whatever it was told',
  maxSeqs: 'sequences in force, whatever it was told',
  batchedTokens: 'tokens per step in effect, whatever was configured',
  gpuLayers: 'layers on the GPU',
  modelLayers: 'layers of the model with its output layer',
  kvWidth: 'values, keys and values together, that one layer keeps of a token',
  loadFreeBytes: 'free before the load',
  loadLeftBytes: 'free after the load',
} as const satisfies Readonly<Record<string, string>>;
export type FigureName = keyof typeof FIGURES;

/**
 * A figure of the engine that stands in a capture: a bare number, unless `unit` names one (`size`: the unit follows
 * the number). `plus` is a second capture that belongs to the sum. Where a line stands once for each device, named by the
 * capture `each`, the figure is the sum of the last of each. `last`: the last such line counts and not the first. `only`:
 * captures that must read so. Of several lines with one figure the lowest `rank` counts, 1 where none is given.
 */
export const SignatureFigure = z.strictObject({
  is: z.enum(Object.keys(FIGURES) as [FigureName, ...FigureName[]]),
  capture: z.string(),
  plus: z.string().optional(),
  unit: z.enum(['GiB', 'MiB', 'size']).optional(),
  each: z.string().optional(),
  last: z.literal(true).optional(),
  only: z.record(z.string(), z.string()).optional(),
  rank: z.int().min(2).optional(),
});
export type SignatureFigure = z.infer<typeof SignatureFigure>;

import { tablesInForce } from '../model/reference-tables.ts';

const ANY = {
  totalBytes: 'an OOM line of the log, the node labels or nvidia-smi',
  freeAtStartBytes: 'the free-memory check in the startup log',
  freeAfterBytes: 'the end of the startup log',
  loadFreeBytes: 'the start of the log',
  weightsBytes: 'the start of the log, or a model whose parameters are known',
  activationBytes: 'the start of the log',
  nonTorchBytes: 'the start of the log',
  graphBytes: 'the start of the log',
  kvAvailableBytes: 'the start of the log',
  kvNeededBytes: 'config.json of the model, or a line with the size of the KV cache in GiB and in tokens',
  kvTokens: 'the start of the log',
  kvBlocks: 'the start of the log',
  maxModelLen: 'the engine arguments (pod.json, args.txt or the start of the log)',
  maxSeqs: 'the engine arguments (pod.json, args.txt or the start of the log)',
  leastFraction: 'the line in which the engine names the minimum memory fraction',
  loweredFraction: 'the OOM line of the log, with the engine arguments',
  estimatedMaxLen: 'the line in which the engine refuses to start because the KV cache is too small',
  blockTokens: 'the start of the log',
  model: 'the engine arguments (pod.json, args.txt or the start of the log)',
  usedShare: 'metrics.txt or Prometheus',
  running: 'metrics.txt or Prometheus',
} as const;

export type FigureName = keyof typeof ANY;

/** Where a figure would stand, for someone who goes and looks. */
export function lineOf(engine: string, figure: FigureName): string {
  return tablesInForce().knobs[engine]?.printed?.[figure] ?? ANY[figure];
}

const NAMES: Readonly<Partial<Record<FigureName, string>>> = {
  totalBytes: 'the memory of the GPU',
  loadFreeBytes: 'free memory before loading',
  weightsBytes: 'the weights',
  kvAvailableBytes: 'the size of the KV cache',
  kvNeededBytes: 'the KV bytes per token',
  maxSeqs: 'the sequences per batch',
  usedShare: 'the KV use',
  running: 'the running requests',
};

/** A missing figure with the place where it would stand. */
export function missing(engine: string, figure: FigureName): string {
  return `${NAMES[figure] ?? figure} (${lineOf(engine, figure)})`;
}

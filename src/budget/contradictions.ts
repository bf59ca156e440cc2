import { layoutOf, offloadedBytes } from './figures.ts';
import { amountOf } from './known-amount.ts';
import { overruledShape, perTokenOf } from './kv-bytes.ts';
import { gib } from './kv-pool.ts';
import { type EngineState, fractionOf } from './outcome.ts';

// Printed sizes are rounded, and other processes may have come or gone in between.
const SPARE_SHARE = 0.02;

/** Figures of the log that cannot be of one start, or of this model, in words. */
export function contradictionsIn(state: EngineState): readonly string[] {
  return [...overTheShare(state), ...otherTokens(state), ...pinnedRam(state)];
}

function overTheShare(state: EngineState): readonly string[] {
  const { knobs, figures } = state;
  const { totalBytes: total, weightsBytes: weights, kvAvailableBytes: pool } = figures;
  const fraction = fractionOf(state);
  if (knobs.fractionOf !== 'total' || total === undefined || fraction === undefined) return [];
  if (weights === undefined || pool === undefined || weights + pool <= total * (fraction + SPARE_SHARE)) return [];
  return [
    `weights ${gib(weights)} and KV cache ${gib(pool)} in the log are more than ${fraction} of ${gib(total)}: lines of two starts, or of another GPU`,
  ];
}

function otherTokens(state: EngineState): readonly string[] {
  const byShape = overruledShape(state);
  const printed = amountOf(perTokenOf(state));
  if (byShape === undefined || printed === undefined) return [];
  const both = `${Math.round(printed)} bytes per token by the log, ${Math.round(byShape)} by the layers of the model`;
  return [`${both}: the log counts`];
}

// Offloaded weights are pinned by each rank (vllm/config/cache.py, cpu_offload_gb).
function pinnedRam({ engine, figures, settings }: EngineState): readonly string[] {
  const { tensorParallel, pipelineParallel } = layoutOf(engine, settings);
  const [bytes, ranks] = [offloadedBytes(settings), tensorParallel * pipelineParallel];
  const limit = figures.ramLimitBytes;
  if (engine !== 'vllm' || bytes === 0 || limit === undefined || bytes * ranks <= limit) return [];
  return [`--cpu-offload-gb pins ${gib(bytes * ranks)} of RAM (${ranks} ranks), the memory limit is ${gib(limit)}`];
}

import type { Cited } from '../../model/engine-reader.ts';
import { MILESTONES } from '../../model/engine-reader.ts';
import type { MetricId } from '../../model/metric-table.ts';
import { modelFamily } from '../../model/model-table.ts';
import { modelArgument } from '../../read/engine/arguments.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { lastMilestone, readLife } from '../when/life.ts';
import { sizeBefore, valueBefore } from '../when/series-figures.ts';

/** The engine's own figures as its metrics show them, for where the start of the log is gone. */
export type Gauges = Readonly<
  Record<'weights' | 'graphs' | 'kvBytes' | 'kvBlocks' | 'kvTokens' | 'free', Cited<number> | undefined>
>;

export function readGauges(evidence: Evidence): Partial<Gauges> {
  if (!hadItsPool(evidence)) return {};
  const of = (id: MetricId) => sizeBefore(evidence, id);
  return {
    weights: of('engine.weight-bytes'),
    graphs: of('engine.graph-bytes'),
    kvBytes: of('kv-cache.bytes'),
    kvBlocks: blocksOf(evidence),
    kvTokens: of('kv-cache.capacity-tokens') ?? tokensOfBlocks(evidence),
    free: of('engine.free-bytes'),
  };
}

/** The fraction in force, by the metrics. */
export function gaugedFraction(evidence: Evidence): Cited<number> | undefined {
  return hadItsPool(evidence) ? sizeBefore(evidence, 'engine.memory-share') : undefined;
}

// A run that failed before it had a pool never showed its metrics: what is there is of the one before.
function hadItsPool(evidence: Evidence): boolean {
  const last = lastMilestone(evidence);
  if (last !== undefined && MILESTONES.indexOf(last.milestone) < MILESTONES.indexOf('kv-allocated')) return false;
  const life = readLife(evidence);
  return life.kind === 'unknown' || life.value !== 'starting';
}

// TensorRT-LLM counts the blocks of a host pool with those of the device (kv_cache_manager, legacy): of both nothing follows.
function blocksOf(evidence: Evidence): Cited<number> | undefined {
  return valueBefore(evidence, 'kv-cache.host-share') === undefined
    ? sizeBefore(evidence, 'kv-cache.capacity-blocks')
    : undefined;
}

// A model of several kinds of layers needs blocks for each kind: only where all are alike a block is so many tokens of room.
function tokensOfBlocks(evidence: Evidence): Cited<number> | undefined {
  const family = modelFamily(modelArgument(evidence.args)?.value ?? '');
  const isUniform =
    family?.shape.length === 1 && family.shape.every(({ kind }) => kind === 'full' || kind === 'latent');
  const [blocks, size] = [blocksOf(evidence), sizeBefore(evidence, 'kv-cache.block-tokens')];
  if (!isUniform || blocks === undefined || size === undefined) return undefined;
  return { value: blocks.value * size.value, from: blocks.from };
}

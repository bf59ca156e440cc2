import { type Cited, MILESTONES } from '../../model/engine-reader.ts';
import type { MetricId } from '../../model/metric-table.ts';
import { modelFamily } from '../../model/model-table.ts';
import { modelArgument } from '../../read/engine/arguments.ts';
import { computed, factOf, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { lastMilestone, readLife } from '../when/life.ts';
import { sizeBefore, valueBefore } from '../when/series-figures.ts';

/** The engine's own figures as its metrics show them, for where the start of the log is gone. */
export function readGauges(evidence: Evidence): Group {
  if (!hadItsPool(evidence)) return {};
  const of = (id: MetricId) => factOf(sizeBefore(evidence, id));
  return {
    'engine.weights': of('engine.weight-bytes'),
    'engine.graphs': of('engine.graph-bytes'),
    'engine.kv-available': of('kv-cache.bytes'),
    'engine.kv-blocks': factOf(blocksOf(evidence)),
    'engine.kv-tokens': of('kv-cache.capacity-tokens') ?? tokensOfBlocks(evidence),
    'engine.free-after-start': of('engine.free-bytes'),
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
function tokensOfBlocks(evidence: Evidence): Group[string] {
  const family = modelFamily(modelArgument(evidence.args)?.value ?? '');
  const isUniform =
    family?.shape.length === 1 && family.shape.every(({ kind }) => kind === 'full' || kind === 'latent');
  if (!isUniform) return undefined;
  return computed([blocksOf(evidence), sizeBefore(evidence, 'kv-cache.block-tokens')], (blocks, size) => blocks * size);
}

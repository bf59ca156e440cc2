import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { type MetricId, seriesOf } from '../../model/metric-table.ts';
import { currentValues } from '../../read/metrics/metrics-text.ts';
import { fact, uniqueProof } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { samplesBefore } from '../when/series-figures.ts';

const PAIRS = [
  ['kv-cache.used-tokens', 'kv-cache.capacity-tokens'],
  ['kv-cache.used-blocks', 'kv-cache.capacity-blocks'],
] as const satisfies readonly (readonly [MetricId, MetricId])[];

/** Share of the KV pool in use where an engine shows what is used and what there is, and not the share: of several pools the fullest. */
export function readUsedOfPool(evidence: Evidence): Fact | undefined {
  const shares = PAIRS.flatMap(([used, capacity]) => sharesOf(evidence, used, capacity));
  const fullest = shares.toSorted((a, b) => b.share - a.share)[0];
  return fullest && fact(fullest.share, uniqueProof(fullest.from));
}

type Share = { readonly share: number; readonly from: readonly Citation[] };
type Value = { readonly value: number; readonly from: Citation; readonly labels: Readonly<Record<string, string>> };

function sharesOf(evidence: Evidence, used: MetricId, capacity: MetricId): readonly Share[] {
  const ofPool = new Map(valuesOf(evidence, capacity).map((value) => [ownerOf(capacity, value), value]));
  // TGI before 2.4 shows what is used alone, and logs what there is.
  const logged = capacity === 'kv-cache.capacity-tokens' ? evidence.engine.figures.kvTokens : undefined;
  return valuesOf(evidence, used).flatMap((value) => {
    const pool = ofPool.get(ownerOf(used, value)) ?? logged;
    return pool === undefined || pool.value <= 0
      ? []
      : [{ share: value.value / pool.value, from: [value.from, pool.from] }];
  });
}

function valuesOf(evidence: Evidence, id: MetricId): readonly Value[] {
  const samples = samplesBefore(evidence, id);
  if (samples.length > 0) return samples;
  return evidence.metrics === undefined ? [] : currentValues(evidence.metrics, id);
}

// Whose pool it is: all labels but those that tell which of its figures.
function ownerOf(id: MetricId, { labels }: Value): string {
  const telling = new Set(seriesOf(id).flatMap(({ where }) => Object.keys(where)));
  return JSON.stringify(
    Object.entries(labels)
      .filter(([label]) => !telling.has(label))
      .sort(),
  );
}

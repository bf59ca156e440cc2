import { isWithin, readVersion } from './flag-table.ts';
import type { FeatureState } from './knobs-file.ts';
import { tablesInForce } from './reference-tables.ts';

export type { FeatureState };

/** How a version of its engine has a behaviour, such as `0.11.0` and `vllm.v1`: `always`; a version or a behaviour that tells nothing: `depends`. */
export function stateOfFeature(id: string, version: string): FeatureState {
  const feature = tablesInForce().features.find((one) => one.id === id);
  const release = feature && readVersion(feature.engine, version);
  if (feature === undefined || release === undefined) return 'depends';
  const isFrom = (from: string | undefined) => from === undefined || isWithin(release, { since: from, until: null });
  return feature.spans.findLast(({ from }) => isFrom(from))?.is ?? 'depends';
}

import { FEATURES, type Feature, type FeatureState } from './feature-table.data.ts';
import { isWithin, readVersion } from './flag-table.ts';

export type { FeatureState };
export type FeatureId = (typeof FEATURES)[number]['id'];

/** How a version of its engine has a behaviour, such as `0.11.0` and `vllm.v1`: `always`; a version that tells nothing: `depends`. */
export function stateOfFeature(id: FeatureId, version: string): FeatureState {
  const feature: Feature | undefined = FEATURES.find((one) => one.id === id);
  const release = feature && readVersion(feature.engine, version);
  if (feature === undefined || release === undefined) return 'depends';
  return feature.spans.findLast(([from]) => isWithin(release, { since: from, until: null }))?.[1] ?? 'depends';
}

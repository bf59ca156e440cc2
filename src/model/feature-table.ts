import { FEATURES, type Feature, type FeatureState } from './feature-table.data.ts';
import { isWithin } from './flag-table.ts';

export type { FeatureState };
export type FeatureId = (typeof FEATURES)[number]['id'];

/** How a version of its engine has a behaviour, such as `0.11.0` and `vllm.v1`: `always`. */
export function stateOfFeature(id: FeatureId, version: string): FeatureState {
  const spans: Feature['spans'] = FEATURES.find((one) => one.id === id)?.spans ?? [];
  const own = spans.findLast(([from]) => isWithin(version, { since: from, until: null }));
  return own?.[1] ?? 'depends';
}

import { valueAt } from '../../model/json-patch.ts';
import { isMap, setField } from '../change.ts';
import type { FixPart } from './container-changes.ts';
import type { Manifest } from './manifest.ts';

/** The taint that the GPU pools of clouds and the NVIDIA GPU operator use by default. */
export const GPU_TAINT = 'nvidia.com/gpu';

/** A toleration of the GPU taint, so that the pool can be tainted; undefined where the pod tolerates it already, or has no spec of its own. */
export function tolerationPart({ object, podSpec }: Extract<Manifest, { kind: 'manifest' }>): FixPart | undefined {
  if (podSpec === undefined) return undefined;
  const path = `${podSpec}/tolerations`;
  const now = valueAt(object, path);
  const list = Array.isArray(now) ? now : [];
  const isTolerated = list
    .filter(isMap)
    .some(({ key, operator }) => key === GPU_TAINT || (key === undefined && operator === 'Exists'));
  if (isTolerated) return undefined;
  const to = [...list, { key: GPU_TAINT, operator: 'Exists', effect: 'NoSchedule' }];
  return {
    values: [{ label: 'tolerations', from: null, to: GPU_TAINT }],
    change: setField(object, path, to),
    says: undefined,
  };
}

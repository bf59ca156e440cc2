import { valueAt } from '../../model/json-patch.ts';
import { setField } from '../change.ts';
import { readWorkload } from './deployment.ts';
import { mergeCommand } from './kubectl.ts';
import type { Owner, OwnerKind, OwnerSource, RollWay } from './owner.ts';
import type { Place } from './read-object.ts';

const RETENTION = '/spec/persistentVolumeClaimRetentionPolicy';

/** `apps/v1 StatefulSet`. */
export const STATEFUL_SET: OwnerKind = { group: 'apps', kind: 'StatefulSet', read: readStatefulSet };

function readStatefulSet(source: OwnerSource): Owner {
  const base = readWorkload(source);
  return { ...base, scale: deletesVolumes(source) ?? base.scale, roll: rollFromTheTop(source.object) };
}

/** Scaling down would delete the volumes with the model cache: then there is no scaling. */
export function deletesVolumes({ ref, object }: Place): Extract<Owner['scale'], { kind: 'none' }> | undefined {
  if (valueAt(object, `${RETENTION}/whenScaled`) !== 'Delete') return undefined;
  return {
    kind: 'none',
    why: 'its persistentVolumeClaimRetentionPolicy has whenScaled=Delete: a scale-down deletes the pod volumes and the model cache',
    paste: mergeCommand(ref, { spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain' } } }),
  };
}

/** A StatefulSet replaces from the highest number down, without surge, and waits at each pod that is not ready. */
function rollFromTheTop(object: unknown): RollWay {
  const type = valueAt(object, '/spec/updateStrategy/type') ?? 'RollingUpdate';
  if (type !== 'RollingUpdate')
    return { kind: 'none', why: `its update strategy is ${type}: pods keep the old template until they are deleted` };
  const missing = valueAt(object, '/spec/updateStrategy/rollingUpdate/maxUnavailable') ?? 1;
  if (missing !== 1) return { kind: 'none', why: `its update strategy stops ${missing} pods at once` };
  const held = valueAt(object, '/spec/updateStrategy/rollingUpdate/partition') ?? 0;
  if (held !== 0)
    return { kind: 'none', why: `its update strategy keeps pods below number ${held} on the old template (partition)` };
  const partition = (from: number) =>
    setField(object, '/spec/updateStrategy', { type: 'RollingUpdate', rollingUpdate: { partition: from } });
  return { kind: 'from-the-top', calm: null, partition };
}

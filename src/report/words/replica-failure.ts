import { OwnersFile, parseJsonFile } from '../../model/json-file.ts';
import { replicaFailure } from '../../model/kubernetes.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { clip } from './sentence.ts';

const WHY = 200;

/** That the ReplicaSet of the pod cannot create all of its pods, and why: a failure of its own next to the one of this pod. */
export function replicaFailureWords(snapshot: Snapshot | undefined): string[] {
  const owners = parseJsonFile(OwnersFile, snapshot?.files['owners.json'] ?? '');
  if (owners.kind !== 'value') return [];
  const [failing] = owners.value.flatMap(({ value: { kind, metadata, spec, status } }) => {
    const failure = replicaFailure(status);
    if (failure === undefined) return [];
    const pods = `${failure.pods} of ${spec?.replicas ?? 'its'} pods`;
    return [`${kind}/${metadata?.name} has ${pods} and cannot create more: ${clip(failure.why, WHY)}`];
  });
  // A Deployment repeats what its ReplicaSet says.
  return failing === undefined ? [] : [failing];
}

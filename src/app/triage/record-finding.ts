import { parseJsonFile } from '../../model/json-file.ts';
import { deathKey, incidentKey } from '../../model/keys.ts';
import { Pod } from '../../model/kubernetes.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Clock, OpenedIncident, PodTarget, Store } from '../ports.ts';
import type { Diagnosed } from './investigate.ts';

export type RecordedFinding = OpenedIncident & { readonly findingId: string };

type RecordDeps = { readonly store: Store; readonly clock: Clock; readonly windowMs: number };

type FindingToRecord = {
  readonly target: PodTarget;
  readonly snapshot: Snapshot;
  readonly finding: Diagnosed;
  readonly actor: string;
};

/** Stores snapshot and verdict with their incident: the open one with the same key, else a new one. */
export function recordFinding(deps: RecordDeps, input: FindingToRecord): Promise<RecordedFinding> {
  const { target, finding } = input;
  const workload = finding.capture?.workload ?? target.workload;
  const place = { cluster: target.cluster, namespace: target.namespace };
  const { verdict } = finding.diagnosis;
  return deps.store.recordFinding({
    draft: {
      ...place,
      key: incidentKey({ ...place, topOwner: workload, cause: verdict.cause }),
      death: deathOf(input),
      pod: target.pod,
      workload,
      verdict,
    },
    snapshot: input.snapshot,
    diagnosis: finding.diagnosis,
    actor: input.actor,
    at: deps.clock.now(),
    windowMs: deps.windowMs,
  });
}

function deathOf({ target, snapshot, finding }: FindingToRecord): string | undefined {
  const read = parseJsonFile(Pod, snapshot.files['pod.json'] ?? '');
  if (read.kind !== 'value') return undefined;
  const { containerStatuses = [], initContainerStatuses = [] } = read.value.status ?? {};
  const container = finding.capture?.container;
  const status = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
  return deathKey(target.uid, status);
}

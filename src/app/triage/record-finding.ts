import { parseJsonFile } from '../../model/json-file.ts';
import { deathKey, incidentKey } from '../../model/keys.ts';
import { Pod } from '../../model/kubernetes.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { knownNumber } from '../../report/words/report-input.ts';
import { isHealthy } from '../../report/words/verdict-words.ts';
import type { Clock, PodTarget, RecordedFinding, Store } from '../ports.ts';
import type { Diagnosed } from './investigate.ts';

type RecordDeps = { readonly store: Store; readonly clock: Clock; readonly windowMs: number };

type FindingToRecord = {
  readonly target: PodTarget;
  readonly snapshot: Snapshot;
  readonly finding: Diagnosed;
  readonly actor: string;
};

/** Stores snapshot and verdict with their incident: the one with the same key, reopened if it was closed, else a new one. */
export function recordFinding(deps: RecordDeps, input: FindingToRecord): Promise<RecordedFinding> {
  return deps.store.recordFinding(recordingOf(deps, input));
}

/** The same for a triage. Undefined where another process has taken it over. */
export function recordFindingOf(
  deps: RecordDeps,
  triage: string,
  input: FindingToRecord,
): Promise<RecordedFinding | undefined> {
  return deps.store.recordFindingOf(triage, recordingOf(deps, input));
}

function recordingOf(deps: RecordDeps, input: FindingToRecord): Parameters<Store['recordFinding']>[0] {
  const { target, finding } = input;
  const workload = finding.capture?.workload ?? target.workload;
  const place = { cluster: target.cluster, namespace: target.namespace };
  const { verdict } = finding.diagnosis;
  const key = incidentKey({ ...place, topOwner: workload, cause: verdict.cause });
  const isWell = isHealthy(finding.diagnosis);
  return {
    draft: {
      ...place,
      // What is well joins no failure.
      key: isWell ? `${key}/healthy` : key,
      isHealthy: isWell,
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
  };
}

function deathOf({ target, snapshot, finding }: FindingToRecord): string | undefined {
  const container = finding.capture?.container;
  const whose = { podUid: target.uid, container };
  // The log's own time is the same before and after the container is restarted.
  const at = finding.diagnosis.verdict.plane === 'gpu' ? knownNumber(finding.facts, 'gpu.oom-at') : undefined;
  if (at !== undefined) return deathKey(whose, { at });
  const read = parseJsonFile(Pod, snapshot.files['pod.json'] ?? '');
  if (read.kind !== 'value') return undefined;
  const { containerStatuses = [], initContainerStatuses = [] } = read.value.status ?? {};
  return deathKey(
    whose,
    [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container),
  );
}

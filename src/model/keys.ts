import { createHash } from 'node:crypto';
import type { Cause } from './taxonomy.ts';

/** One death of one container: the same death read twice has the same key. `finishedAt` as Kubernetes prints it. */
export function deathKey(death: { containerID: string; finishedAt: string }): string {
  return digest('death', death.containerID, death.finishedAt);
}

export type IncidentKeyParts = {
  readonly cluster: string;
  readonly namespace: string;
  readonly topOwner: string;
  readonly cause: Cause;
};

/** Repeats of one cause on one workload find their incident by this key while the window is open. */
export function incidentKey(parts: IncidentKeyParts): string {
  return digest('incident', parts.cluster, parts.namespace, parts.topOwner, parts.cause);
}

export type FingerprintParts = {
  readonly workload: string;
  readonly engine: string;
  readonly cause: Cause;
  readonly args: readonly string[];
};

/** The same failure of the same setting, over all time. The order of the arguments counts, since the last one wins. */
export function fingerprint(parts: FingerprintParts): string {
  return digest('fingerprint', parts.workload, parts.engine, parts.cause, ...parts.args);
}

// Length-prefixed, so that no two lists of parts give the same text.
function digest(...parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

import { createHash } from 'node:crypto';
import type { ContainerStatus } from './kubernetes.ts';
import type { Cause } from './taxonomy.ts';

type IncidentKeyParts = {
  readonly cluster: string;
  readonly namespace: string;
  readonly topOwner: string;
  readonly cause: Cause;
};

/** Repeats of one cause on one workload find their incident by this key while the window is open. */
export function incidentKey(parts: IncidentKeyParts): string {
  return digest('incident', parts.cluster, parts.namespace, parts.topOwner, parts.cause);
}

type Instance = { readonly podUid: string; readonly container: string | null | undefined };

/**
 * The death that a look is about: by the time that its log gives (epoch ms), else the instance that ended last and when,
 * else the pod as it stands. Looks at one death are one death.
 */
export function deathKey({ podUid, container }: Instance, status: ContainerStatus | undefined, at?: number): string {
  const whose = [podUid, container ?? ''];
  if (at !== undefined) return digest('death', ...whose, 'log', String(at));
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  const parts =
    ended === undefined ? [String(status?.restartCount ?? 0)] : [ended.containerID ?? '', ended.finishedAt ?? ''];
  return digest('death', ...whose, ...parts);
}

// Length-prefixed, so that no two lists of parts give the same text.
function digest(...parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

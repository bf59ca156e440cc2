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
 * The death that a look is about: by the time that its log gives (`at`, epoch ms), else by the instance that ended last,
 * else by the pod as it stands. Looks at one death are one death.
 */
export function deathKey(
  { podUid, container }: Instance,
  seen: ContainerStatus | { readonly at: number } | undefined,
): string {
  const whose = [podUid, container ?? ''];
  if (seen !== undefined && 'at' in seen) return digest('death', ...whose, 'log', String(seen.at));
  const ended = seen?.state?.terminated ?? seen?.lastState?.terminated;
  const parts =
    ended === undefined ? [String(seen?.restartCount ?? 0)] : [ended.containerID ?? '', ended.finishedAt ?? ''];
  return digest('death', ...whose, ...parts);
}

// Length-prefixed, so that no two lists of parts give the same text.
function digest(...parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

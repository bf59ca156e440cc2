import type { Cited } from '../../model/engine-reader.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { isHelperName } from '../engine/program-names.ts';
import { known, type Reading, unknown } from '../reading.ts';
import type { ContainerDeath } from './death.ts';
import { restartedInPlace } from './ended-by.ts';
import { firstOf, type PodEvidence } from './gather.ts';

/**
 * What the pod had to go for; `empty-dir` is a volume in memory above its sizeLimit, `own-storage` one on disk, or the limit
 * of a container for what it writes: `storage` is the disk of the node.
 */
export type EvictedFor = 'memory' | 'empty-dir' | 'own-storage' | 'storage' | 'volume' | 'pids' | 'other';

export type EvictionReading = {
  readonly evicted: Reading<'memory' | 'other' | 'no'>;
  readonly evictedFor: Reading<EvictedFor>;
  /** What the engine's container used as the kubelet evicted the pod for memory, in bytes. */
  readonly evictedUse: Reading<number>;
};

/** Whether the kubelet evicted the pod, and for what. The kubelet tells the resource in the text of the message only. */
export function readEviction(evidence: PodEvidence, death: ContainerDeath | undefined): EvictionReading {
  const proof = proofOf(evidence);
  if (proof !== undefined) {
    const word = resourceOf(proof.message?.value ?? '', evidence);
    const from = [proof.by.from, ...(proof.message === undefined ? [] : [proof.message.from])];
    return {
      evicted: known(word === 'memory' ? 'memory' : 'other', ...from),
      evictedFor: known(word, ...from),
      ...useIn(word === 'memory' ? proof.message : undefined, death?.container),
    };
  }
  const none = unknown('empty', 'the pod was not evicted');
  const not = { evictedFor: none, evictedUse: none };
  const phase = firstOf(evidence, (view) => view.phase);
  if (phase !== undefined) return { evicted: known('no', phase.from), ...not };
  const inPlace = restartedInPlace(death);
  if (inPlace?.kind === 'known') return { evicted: known('no', ...inPlace.from), ...not };
  const missing = unknown('not-in-snapshot', 'the phase and reason of the pod are not known');
  return { evicted: missing, evictedFor: missing, evictedUse: missing };
}

// kubernetes/kubernetes pkg/kubelet/eviction/helpers.go: a sentence for each container above its request.
const USE = /Container (\S{1,80}) was using ([^\s,]{1,40}), (?:request is|which exceeds its request of) \w{1,40}/g;

function useIn(message: Cited<string> | undefined, container: string | undefined): Pick<EvictionReading, 'evictedUse'> {
  const told = [...(message?.value ?? '').matchAll(USE)];
  const own =
    told.find(([, name]) => name === container) ??
    (container === undefined ? only(told.filter(([, name = '']) => !isHelperName(name))) : undefined);
  const use = parseQuantity(own?.[2]);
  const silent = unknown('not-in-snapshot', 'the message of the eviction does not tell what the container used');
  return { evictedUse: message === undefined || use === undefined ? silent : known(use, message.from) };
}

function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

type Proof = { readonly by: Cited<string>; readonly message: Cited<string> | undefined };

function proofOf(evidence: PodEvidence): Proof | undefined {
  const view = evidence.views.find((pod) => pod.reason?.value === 'Evicted');
  if (view?.reason !== undefined) return { by: view.reason, message: view.message ?? messageOfEvent(evidence) };
  const event = evidence.events.find(isEviction);
  if (event !== undefined) return { by: event.reason, message: event.message };
  const target = evidence.views
    .flatMap((pod) => pod.conditions)
    .find((condition) => condition.type === 'DisruptionTarget' && condition.reason?.value === 'TerminationByKubelet');
  return target?.reason === undefined ? undefined : { by: target.reason, message: target.message };
}

function isEviction(event: PodEvidence['events'][number]): boolean {
  return event.reason.value === 'Evicted' && event.object?.kind?.toLowerCase() !== 'node';
}

function messageOfEvent(evidence: PodEvidence): Cited<string> | undefined {
  return evidence.events.find(isEviction)?.message;
}

// kubernetes/kubernetes pkg/kubelet/eviction/helpers.go, the messages of a limit.
export const OWN_STORAGE =
  /ephemeral local storage usage exceeds the total limit|exceeded its local ephemeral storage limit/i;

function resourceOf(message: string, evidence: PodEvidence): EvictedFor {
  const volume = /EmptyDir volume "([^"]*)"/i.exec(message)?.[1];
  if (volume !== undefined) return overflowOf(volume, evidence);
  if (/low on resource: \[?(?:memory|MemoryPressure)|had condition: \[[^\]]*MemoryPressure/i.test(message)) {
    return 'memory';
  }
  if (OWN_STORAGE.test(message)) return 'own-storage';
  if (/ephemeral[- ](?:local )?storage|nodefs|imagefs|inodes|DiskPressure/i.test(message)) return 'storage';
  if (/\bpids\b|PIDPressure/i.test(message)) return 'pids';
  return 'other';
}

// The message names the volume and not where it lies; without the pod only the name that charts give /dev/shm tells.
function overflowOf(name: string, { views }: PodEvidence): EvictedFor {
  const volume = views.flatMap(({ volumes }) => volumes).find((one) => one.name === name);
  if (volume !== undefined) return volume.medium?.value === 'Memory' ? 'empty-dir' : 'own-storage';
  return /(?:^|[^a-z])d?shm(?:[^a-z]|$)/i.test(name) ? 'empty-dir' : 'volume';
}

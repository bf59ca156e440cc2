import type { Fact } from '../../model/fact.ts';
import { OPEN, type PendingFor } from '../../read/cluster/classify-death.ts';
import { type EvictedFor, OWN_STORAGE } from '../../read/cluster/eviction.ts';
import { containersOf, firstOf, type PodEvidence } from '../../read/cluster/gather.ts';
import { type Finding, findingOf, known } from '../../read/cluster/reading.ts';
import type { KernelReading } from '../../read/kernel/kernel.ts';
import { computed, fact, factOf, type Group, ratio, uniqueProof } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, isOfEngine } from '../evidence/weigh.ts';
import { deriveEvictedVolume } from '../ram/evicted-volume.ts';
import { nodeAvailable } from '../ram/node-available.ts';
import { deriveKilled } from './killed.ts';
import { readKilledUnexplained } from './killed-itself.ts';
import { deriveSiblings } from './siblings.ts';
import { type Sizes, sizesElsewhere } from './sizes-elsewhere.ts';

/** The death, as Kubernetes, the node and the kernel tell it. */
export function deriveDeath(evidence: Evidence): Group {
  const { kubernetes, node } = evidence;
  return {
    'pod.name': podName(evidence),
    'pod.node': factOf(firstOf(evidence.pod, (view) => view.node)),
    'pod.pending': pending(evidence),
    'pod.pending-for': kubernetes.pendingFor,
    ...deriveSiblings(evidence),
    'pod.restarting': restarting(evidence),
    ...ofTermination(evidence),
    'death.oom-killed': kubernetes.oomKilled,
    'death.killed-unexplained': readKilledUnexplained(evidence),
    'death.evicted': kubernetes.evicted,
    'death.evicted-for': evictedFor(evidence),
    ...deriveEvictedVolume(evidence),
    'death.probe-answer': kubernetes.probeAnswer,
    'death.post-start-failed': postStartFailed(kubernetes),
    'death.ended-by': kubernetes.endedBy,
    ...ofKernel(evidence),
    'node.memory-allocatable': node?.allocatableMemory,
    'node.memory-available': nodeAvailable(evidence),
    ...ofRevision(evidence),
  };
}

// Every other end would have to doubt it where no events are there.
function postStartFailed({ postStartFailed: failed }: Evidence['kubernetes']): Fact | undefined {
  return failed.kind === 'known' && failed.value ? failed : undefined;
}

function podName({ pod }: Evidence): Fact | undefined {
  const name = firstOf(pod, (view) => view.name);
  const namespace = firstOf(pod, (view) => view.namespace);
  return name && known(namespace === undefined ? name.value : `${namespace.value}/${name.value}`, name.from);
}

function ofRevision({ revision }: Evidence): Group {
  return {
    'revision.changed': revision?.change,
    'revision.at': revision?.at,
    'revision.less-gpu': revision?.room.gpu,
    'revision.less-ram': revision?.room.ram,
  };
}

// A log beside the status of a pod that waits is of another one: what is looked at is its end, be it the replica that waits
// that people asked for. A runtime that can not start a container that ran before is the news.
function pending(evidence: Evidence): Fact {
  const { pending: told, pendingFor } = evidence.kubernetes;
  if (told.kind === 'known' && !(told.value && waitsForRoom(pendingFor))) return told;
  return ran(evidence) ?? told;
}

function waitsForRoom(why: Finding<PendingFor>): boolean {
  return why.kind === 'unknown' || !['runtime', 'config'].includes(why.value);
}

// A line of an engine shows that a container ran. What people paste into a log does not.
function ran({ weighing, engine, log }: Evidence): Fact | undefined {
  const line = weighing.all.find(isOfEngine);
  if (line !== undefined) return known(false, citeHit(line));
  const milestone = engine.milestones.find(({ from }) => from.kind === 'line' && from.file === log.main?.file);
  return milestone && known(false, milestone.from);
}

function ofTermination({ death: reading, pod }: Evidence): Group {
  if (reading.kind === 'none') return { 'death.restarts': neverRestarted(pod) };
  const { death, isOpen } = reading;
  if (isOpen) return { 'death.reason': OPEN, 'death.exit-code': OPEN, 'death.container': OPEN };
  return {
    'death.reason': death.end.reason && findingOf(death.end.reason, ''),
    'death.exit-code': factOf(death.end.exitCode),
    'death.container': factOf(death.view.name),
    'death.container-role': death.view.name && known(death.role, death.view.name.from),
    'death.uptime': death.uptime,
    'death.at': death.at,
    'death.restarts': factOf(death.restarts),
  };
}

// Nothing died: a container that runs for the first time.
function neverRestarted(pod: Evidence['pod']): Fact | undefined {
  const calm = firstOf(pod, (view) =>
    view.containers.find(({ restarts, state }) => restarts?.value === 0 && state?.kind === 'running'),
  );
  return factOf(calm?.restarts);
}

function evictedFor({ kubernetes: { evicted, evictedFor: resource }, weighing }: Evidence): Fact {
  if (evicted.kind === 'known') return evicted.value === 'no' ? known('nothing', ...evicted.from) : resource;
  // The message alone, where people paste neither the phase nor the event around it.
  const told = [...weighing.all, ...weighing.noted].find(({ phrase }) => phrase.id === 'k8s.event.other-pressure');
  return told === undefined ? resource : known(resourceIn(told.hit.clean), citeHit(told));
}

function resourceIn(message: string): EvictedFor {
  if (/\bpids\b|\[PID/.test(message)) return 'pids';
  if (OWN_STORAGE.test(message)) return 'own-storage';
  return /\[Network/.test(message) ? 'other' : 'storage';
}

// `kubectl get pods` shows restarts where describe and lastState are missing: something died, nothing says why.
function restarting({ pod, death }: Evidence): Fact | undefined {
  if (death.kind === 'death') return undefined;
  const restarts = firstOf(pod, (view) => view.containers.find(({ restarts: n }) => (n?.value ?? 0) > 0)?.restarts);
  return restarts === undefined ? undefined : known(true, restarts.from);
}

function ofKernel(evidence: Evidence): Group {
  const { kernel } = evidence;
  const elsewhere = killByEvents(evidence) ?? killCounted(evidence);
  if (kernel === undefined || kernel.evidenceLines === 0)
    return { 'kernel.oom-kill': elsewhere, ...ofSizes(sizesElsewhere(evidence)) };
  return {
    'kernel.oom-kill': killOf(kernel, evidence) ?? elsewhere,
    ...ofSizes(kernel),
    ...deriveKilled(kernel),
  };
}

function ofSizes({ shmem, anon }: Sizes): Group {
  return {
    'kernel.shmem': factOf(shmem),
    'kernel.anon': factOf(anon),
    'kernel.shmem-share': computed([shmem, anon], (shared, own) => ratio(shared, shared + own)),
  };
}

function killByEvents({ nodeKills: { ofNode, ofContainer } }: Evidence): Fact | undefined {
  const kills = ofNode.length > 0 ? ofNode : ofContainer;
  return fact(
    ofNode.length > 0 ? 'node' : 'container',
    kills.map(({ from }) => from),
  );
}

// `oom_kill` counts every kill of a process in the group, whoever ran out (Documentation/admin-guide/cgroup-v2.rst).
function killCounted({ weighing }: Evidence): Fact | undefined {
  const counted = [...weighing.all, ...weighing.noted].find(
    ({ phrase }) => phrase.id === 'cgroup.oom-count' && phrase.weight !== 'hint',
  );
  return counted && known('unstated', citeHit(counted));
}

function killOf({ kind, victim }: KernelReading, { pod }: Evidence): Fact | undefined {
  if (kind === 'none' || victim === undefined) return undefined;
  // The limit of a pod is the sum of its containers' limits: with one container it is that one's.
  const whose = kind === 'pod' && !isShared(pod) ? 'container' : kind;
  return fact(whose, uniqueProof(victim.from));
}

function isShared(pod: PodEvidence): boolean {
  return containersOf(pod).filter(({ kind }) => kind !== 'init').length > 1;
}

import type { Cited } from '../../model/engine-reader.ts';
import { known, type Reading, unknown } from '../reading.ts';
import type { ContainerView } from './container-states.ts';
import { type ContainerDeath, isOomKilled } from './death.ts';
import { containersOf, firstOf, type PodEvidence } from './gather.ts';

/** Why a pod waits, or was refused before any container ran. */
export type PendingFor =
  | 'insufficient-gpu'
  | 'insufficient-memory'
  | 'unschedulable'
  | 'scheduling-gated'
  | 'image-pull'
  | 'admission'
  | 'gpu-fault'
  | 'runtime'
  | 'config'
  | 'creating';

type PendingReading = { readonly pending: Reading<boolean>; readonly pendingFor: Reading<PendingFor> };

/** Whether the pod waits to be scheduled or its container was never started, and for what. */
export function readPending(evidence: PodEvidence, death: ContainerDeath | undefined): PendingReading {
  const ended = death?.end.reason ?? death?.end.exitCode;
  if (ended !== undefined && !neverRan(death)) return no(ended);
  const why = refused(evidence) ?? gated(evidence) ?? waiting(evidence) ?? unscheduled(evidence);
  if (why !== undefined) return { pending: known(true, why.from), pendingFor: known(why.value, why.from) };
  const phase = firstOf(evidence, (view) => view.phase);
  if (phase?.value === 'Pending') {
    return {
      pending: known(true, phase.from),
      pendingFor: unknown('not-in-snapshot', 'what the pod waits for is not in the snapshot'),
    };
  }
  if (phase !== undefined) return no(phase);
  const running = containersOf(evidence).find((container) => container.state?.kind === 'running');
  if (running?.restarts !== undefined) return no(running.restarts);
  // Only what was started has its probes asked.
  const probed = evidence.events.find(({ reason }) => reason.value === 'Unhealthy');
  if (probed !== undefined) return no(probed.reason);
  const missing = unknown('not-in-snapshot', 'the phase of the pod is not known');
  return { pending: missing, pendingFor: missing };
}

function no(proof: Cited<string | number>): PendingReading {
  return { pending: known(false, proof.from), pendingFor: unknown('empty', 'the pod does not wait') };
}

// The runtime could not start the process: the container ended, yet nothing of it ever ran.
function neverRan(death: ContainerDeath | undefined): boolean {
  if (death === undefined || isOomKilled(death)) return false;
  return ['StartError', 'ContainerCannotRun', 'RunContainerError'].includes(death.end.reason?.value ?? '');
}

function refused(evidence: PodEvidence): Cited<PendingFor> | undefined {
  const reason = firstOf(evidence, (view) => view.reason);
  if (reason === undefined) return undefined;
  if (reason.value === 'UnexpectedAdmissionError' && namesGpuFault(evidence)) return as('gpu-fault', reason);
  if (reason.value === 'UnexpectedAdmissionError' || reason.value === 'NodeAffinity') return as('admission', reason);
  if (!/^OutOf\w/.test(reason.value)) return undefined;
  if (/memory/i.test(reason.value)) return as('insufficient-memory', reason);
  return as(/gpu|\.com/i.test(reason.value) ? 'insufficient-gpu' : 'admission', reason);
}

// NVML's words for a GPU that is off the bus, as the device plugin passes them on (NVIDIA go-nvml, nvml.ErrorString).
function namesGpuFault(evidence: PodEvidence): boolean {
  const message = firstOf(evidence, (view) => view.message)?.value ?? '';
  return /\bGPU is lost\b|\bfallen off the bus\b/i.test(message);
}

function gated(evidence: PodEvidence): Cited<PendingFor> | undefined {
  const scheduled = conditionOf(evidence);
  const gate = scheduled?.reason?.value === 'SchedulingGated' ? scheduled.reason : undefined;
  const proof = gate ?? firstOf(evidence, (view) => (view.node === undefined ? view.gates[0] : undefined));
  return proof === undefined ? undefined : as('scheduling-gated', proof);
}

const WAITING: Readonly<Record<string, PendingFor>> = {
  ErrImagePull: 'image-pull',
  ImagePullBackOff: 'image-pull',
  InvalidImageName: 'image-pull',
  ErrImageNeverPull: 'image-pull',
  CreateContainerConfigError: 'config',
  CreateContainerError: 'runtime',
  RunContainerError: 'runtime',
  StartError: 'runtime',
  ContainerCannotRun: 'runtime',
  ContainerCreating: 'creating',
};

function waiting(evidence: PodEvidence): Cited<PendingFor> | undefined {
  for (const reason of containersOf(evidence).flatMap(reasonsOf)) {
    const why = Object.hasOwn(WAITING, reason.value) ? WAITING[reason.value] : undefined;
    if (why !== undefined) return as(why, reason);
  }
  return undefined;
}

function reasonsOf({ state, lastState }: ContainerView): readonly Cited<string>[] {
  return [state, lastState].flatMap((each) =>
    each === undefined || each.kind === 'running' ? [] : (each.reason ?? []),
  );
}

function unscheduled(evidence: PodEvidence): Cited<PendingFor> | undefined {
  const scheduled = conditionOf(evidence);
  const event = evidence.events.find((candidate) => candidate.reason.value === 'FailedScheduling');
  const isStarted = evidence.events.some((candidate) => ['Scheduled', 'Started'].includes(candidate.reason.value));
  const isPast = isStarted || ['Running', 'Succeeded'].includes(firstOf(evidence, (view) => view.phase)?.value ?? '');
  if (scheduled?.status === undefined && (event === undefined || isPast)) return undefined;
  const message = scheduled?.message ?? event?.message;
  const proof = message ?? scheduled?.status;
  if (proof === undefined) return undefined;
  return as(message === undefined ? 'unschedulable' : shortOf(message.value), proof);
}

const GPU_RESOURCE = /^(?:nvidia\.com|amd\.com|gpu\.intel\.com|habana\.ai|huawei\.com)|gpu/i;

// The scheduler's words where no node has the devices that a ResourceClaim asks for (plugins/dynamicresources).
const CLAIMS = /cannot allocate all claims|resourceclaim not available on the node/i;

// `0/12 nodes are available: 4 Insufficient nvidia.com/gpu, 8 node(s) had untolerated taint`: the GPU is what is rare.
function shortOf(message: string): PendingFor {
  const wanting = [...message.matchAll(/Insufficient (\S{1,80})/g)];
  if (wanting.some(([, resource = '']) => GPU_RESOURCE.test(resource)) || CLAIMS.test(message))
    return 'insufficient-gpu';
  return /Insufficient memory/i.test(message) ? 'insufficient-memory' : 'unschedulable';
}

function conditionOf(evidence: PodEvidence): PodEvidence['views'][number]['conditions'][number] | undefined {
  return evidence.views
    .flatMap((view) => view.conditions)
    .find((condition) => condition.type === 'PodScheduled' && condition.status?.value === 'False');
}

function as(value: PendingFor, proof: Cited<string>): Cited<PendingFor> {
  return { value, from: proof.from };
}

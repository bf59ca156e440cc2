import { kubectl, kubectlName, mergeCommand, scaleCommand } from './kubectl.ts';
import type { PasteOwner } from './owner.ts';
import { groupOf, type LiveRef, nameOf } from './read-object.ts';

type ByHand = { readonly groups: readonly string[]; readonly says: string; command(ref: LiveRef): string };

const CORE = '';

// How each kind that nobody writes here is stopped by hand.
const BY_HAND: Readonly<Record<string, ByHand>> = {
  NIMService: {
    groups: ['apps.nvidia.com'],
    says: 'Some releases refuse zero, and with spec.scale.enabled its autoscaler has the count. Arguments: spec.env (NIM_…) and spec.args.',
    command: (ref) => mergeCommand(ref, { spec: { replicas: 0 } }),
  },
  RayCluster: {
    groups: ['ray.io'],
    says: 'This stops all of its pods. Arguments stand in the pod templates; its own autoscaler moves the workers.',
    command: (ref) => mergeCommand(ref, { spec: { suspend: true } }),
  },
  RayService: {
    groups: ['ray.io'],
    says: 'Arguments stand in serveConfigV2, a text in its spec; a change of the pod template starts a second cluster beside the first.',
    command: (ref) => kubectl(ref, `edit ${kubectlName(ref)}`),
  },
  VLLMRuntime: {
    groups: ['production-stack.vllm.ai'],
    says: 'Its Deployment is put back at once. Arguments: spec.model and spec.vllmConfig.',
    command: (ref) => scaleCommand(ref, 0),
  },
  LLMInferenceService: {
    groups: ['serving.kserve.io'],
    says: 'Prefill has a count of its own (spec.prefill.replicas). Arguments: the variable VLLM_ADDITIONAL_ARGS of the container main.',
    command: (ref) => mergeCommand(ref, { spec: { replicas: 0 } }),
  },
  InferenceSet: {
    groups: ['kaito.sh'],
    says: 'This deletes its Workspaces; to get their nodes back can take tens of minutes.',
    command: (ref) => scaleCommand(ref, 0),
  },
  ReplicaSet: {
    groups: ['apps'],
    says: 'A change of its template does not reach the pods that run.',
    command: (ref) => scaleCommand(ref, 0),
  },
  ReplicationController: {
    groups: [CORE],
    says: 'A change of its template does not reach the pods that run.',
    command: (ref) => scaleCommand(ref, 0),
  },
  Job: {
    groups: ['batch'],
    says: 'This deletes its pods; its template cannot be changed.',
    command: (ref) => mergeCommand(ref, { spec: { suspend: true } }),
  },
  CronJob: {
    groups: ['batch'],
    says: 'Jobs that run go on.',
    command: (ref) => mergeCommand(ref, { spec: { suspend: true } }),
  },
  DaemonSet: {
    groups: ['apps'],
    says: 'It has no count: a node selector that no node fits takes its pods away.',
    command: (ref) =>
      mergeCommand(ref, { spec: { template: { spec: { nodeSelector: { 'oombot.dev/stopped': 'true' } } } } }),
  },
  Pod: {
    groups: [CORE],
    says: 'Nothing brings this pod back: keep its manifest. Its arguments cannot be changed while it is there.',
    command: (ref) =>
      `${kubectl(ref, `get ${kubectlName(ref)} -o yaml`)} > pod.yaml && ${kubectl(ref, `delete ${kubectlName(ref)}`)}`,
  },
};

/** What to type for a kind that is not written: known kinds get their command, of others only a look is safe. */
export function pasteOwner(ref: LiveRef): PasteOwner {
  const known = Object.hasOwn(BY_HAND, ref.kind) ? BY_HAND[ref.kind] : undefined;
  const intro = `oombot writes no ${ref.kind}.`;
  if (known?.groups.includes(groupOf(ref))) {
    return {
      kind: 'paste',
      ref,
      says: `${intro} To stop ${nameOf(ref)} by hand: ${known.says}`,
      command: known.command(ref),
    };
  }
  const says = `${intro} What stops ${nameOf(ref)}, and where its arguments stand, is not known here: look at it and ask its owner.`;
  return { kind: 'paste', ref, says, command: kubectl(ref, `get ${kubectlName(ref)} -o yaml`) };
}

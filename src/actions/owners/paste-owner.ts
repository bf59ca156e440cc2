import { kubectl, kubectlName, mergeCommand, scaleCommand } from './kubectl.ts';
import type { PasteOwner } from './owner.ts';
import { groupOf, type LiveRef, nameOf } from './read-object.ts';

type ByHand = { readonly groups: readonly string[]; readonly says: string; command(ref: LiveRef): string };

const CORE = '';

// How to stop by hand each kind that oombot cannot change.
const BY_HAND: Readonly<Record<string, ByHand>> = {
  NIMService: {
    groups: ['apps.nvidia.com'],
    says: 'Some releases refuse zero replicas; with spec.scale.enabled its autoscaler sets the count. Arguments: spec.env (NIM_…) and spec.args.',
    command: (ref) => mergeCommand(ref, { spec: { replicas: 0 } }),
  },
  RayCluster: {
    groups: ['ray.io'],
    says: 'This stops all of its pods. Arguments: the pod templates. Its own autoscaler scales the workers.',
    command: (ref) => mergeCommand(ref, { spec: { suspend: true } }),
  },
  RayService: {
    groups: ['ray.io'],
    says: 'Arguments: spec.serveConfigV2. A pod template change starts a second cluster next to the first.',
    command: (ref) => kubectl(ref, `edit ${kubectlName(ref)}`),
  },
  VLLMRuntime: {
    groups: ['production-stack.vllm.ai'],
    says: 'Its controller reverts Deployment changes at once. Arguments: spec.model and spec.vllmConfig.',
    command: (ref) => scaleCommand(ref, 0),
  },
  LLMInferenceService: {
    groups: ['serving.kserve.io'],
    says: 'Prefill has its own replica count (spec.prefill.replicas). Arguments: the variable VLLM_ADDITIONAL_ARGS of the container main.',
    command: (ref) => mergeCommand(ref, { spec: { replicas: 0 } }),
  },
  InferenceSet: {
    groups: ['kaito.sh'],
    says: 'This deletes its Workspaces; new nodes can take tens of minutes.',
    command: (ref) => scaleCommand(ref, 0),
  },
  ReplicaSet: {
    groups: ['apps'],
    says: 'A template change does not reach running pods.',
    command: (ref) => scaleCommand(ref, 0),
  },
  ReplicationController: {
    groups: [CORE],
    says: 'A template change does not reach running pods.',
    command: (ref) => scaleCommand(ref, 0),
  },
  Job: {
    groups: ['batch'],
    says: 'This deletes its pods; its template cannot be changed.',
    command: (ref) => mergeCommand(ref, { spec: { suspend: true } }),
  },
  CronJob: {
    groups: ['batch'],
    says: 'Running Jobs continue.',
    command: (ref) => mergeCommand(ref, { spec: { suspend: true } }),
  },
  DaemonSet: {
    groups: ['apps'],
    says: 'It has no replica count: a node selector that matches no node removes its pods.',
    command: (ref) =>
      mergeCommand(ref, { spec: { template: { spec: { nodeSelector: { 'oombot.dev/stopped': 'true' } } } } }),
  },
  Pod: {
    groups: [CORE],
    says: 'Nothing recreates this pod: keep its manifest. Its arguments cannot be changed while it exists.',
    command: (ref) =>
      `${kubectl(ref, `get ${kubectlName(ref)} -o yaml`)} > pod.yaml && ${kubectl(ref, `delete ${kubectlName(ref)}`)}`,
  },
};

/** What to type for a kind that oombot cannot change: known kinds get their command, for others only reading is safe. */
export function pasteOwner(ref: LiveRef): PasteOwner {
  const known = Object.hasOwn(BY_HAND, ref.kind) ? BY_HAND[ref.kind] : undefined;
  const intro = `oombot does not change ${ref.kind} objects.`;
  if (known?.groups.includes(groupOf(ref))) {
    return {
      kind: 'paste',
      ref,
      says: `${intro} To stop ${nameOf(ref)} by hand: ${known.says}`,
      command: known.command(ref),
    };
  }
  const says = `${intro} How to stop ${nameOf(ref)} and where its arguments are is unknown: look at it and ask its owner.`;
  return { kind: 'paste', ref, says, command: kubectl(ref, `get ${kubectlName(ref)} -o yaml`) };
}

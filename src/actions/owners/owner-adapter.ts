import { DEPLOYMENT } from './deployment.ts';
import { INFERENCE_SERVICE } from './inference-service.ts';
import { LEADER_WORKER_SET } from './leader-worker-set.ts';
import type { Owner, OwnerKind, PasteOwner } from './owner.ts';
import { pasteOwner } from './paste-owner.ts';
import { groupOf, readHead } from './read-object.ts';
import { ROLLOUT } from './rollout.ts';
import { STATEFUL_SET } from './stateful-set.ts';
import { WORKSPACE } from './workspace.ts';

/** Every kind that is written. */
export const OWNER_KINDS: readonly OwnerKind[] = [
  DEPLOYMENT,
  STATEFUL_SET,
  LEADER_WORKER_SET,
  INFERENCE_SERVICE,
  WORKSPACE,
  ROLLOUT,
];

type AdapterOptions = {
  /** Name of the engine's container as the evidence has it. */
  readonly container?: string | null;
  /** Other objects that were read around the owner. */
  readonly surroundings?: readonly unknown[];
};

/** Where replicas, arguments and memory of an owner stand, by its kind; of any other kind what to type. Never throws. */
export function ownerAdapter(
  object: unknown,
  { container = null, surroundings = [] }: AdapterOptions = {},
): Owner | PasteOwner {
  const head = readHead(object);
  if (head === undefined) {
    const says = 'The owner of the pods could not be read, so oombot changes nothing.';
    return { kind: 'paste', ref: null, says, command: 'kubectl get pods -o wide' };
  }
  const { ref } = head;
  const found = OWNER_KINDS.find(({ kind, group }) => kind === ref.kind && group === groupOf(ref));
  return found === undefined ? pasteOwner(ref) : found.read({ head, ref, object, container, surroundings });
}

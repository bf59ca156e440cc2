import { applyPatch } from '../../model/json-patch.ts';
import type { ObjectRef, PlanStep, VerifyStep, WaitStep, WriteStep } from '../../model/plan.ts';
import type { Change } from '../change.ts';
import { createCommand, followCommand, patchCommand } from '../owners/kubectl.ts';
import { type LiveRef, nameOf, type Place } from '../owners/read-object.ts';
import { changesBack } from '../run/rollback.ts';

/** An object that is added under a new name. */
export type NewObject = { readonly ref: ObjectRef; readonly manifest: unknown };

/** Rollout settings may be restored only once the rollout is done: forward (`there`), or in a rollback (`back`). */
type Follows = { readonly on: 'there' | 'back'; readonly replicas: number };

/** Lays steps one behind the other: numbers them, and keeps each object as the steps before have left it. */
export type StepList = {
  /** A change without operations is no step. `follows` by hand: which rollout has to be done before it. */
  write(at: Place, says: string, change: Change, follows?: Follows): void;
  create(object: NewObject, says: string): void;
  wait(step: Pick<WaitStep, 'says' | 'until' | 'replicas' | 'everyMs' | 'deadlineMs'>): void;
  verify(step: Pick<VerifyStep, 'says' | 'replicas' | 'forMs' | 'everyMs'>): void;
  /** The object as it will be after the steps so far. */
  now(at: Place): unknown;
  /** Objects that are written, as they were read. */
  written(): readonly Place[];
  readonly steps: readonly PlanStep[];
};

export function createStepList(): StepList {
  const steps: PlanStep[] = [];
  const first = new Map<string, Place>();
  const objects = new Map<string, unknown>();
  const now: StepList['now'] = ({ ref, object }) => objects.get(ref.uid) ?? object;
  const next = (): number => steps.length + 1;
  return {
    steps,
    now,
    written: () => [...first.values()],
    write(at, says, change, follows) {
      if (change.patch.length === 0) return;
      if (!first.has(at.ref.uid)) first.set(at.ref.uid, at);
      const applied = applyPatch(now(at), change.patch);
      // A patch that does not apply to what was just read is a fault of the planner, and the dry run says so too.
      if (applied.kind === 'applied') objects.set(at.ref.uid, applied.value);
      const step = writeStep(next(), at.ref, says, change);
      steps.push(follows === undefined ? step : followedBy(step, follows));
    },
    create({ ref, manifest }, says) {
      const command = createCommand(ref, manifest);
      steps.push({ kind: 'create', n: next(), says, object: ref, manifest: manifest as never, command });
    },
    wait: (step) => steps.push({ kind: 'wait', n: next(), ...step }),
    verify: (step) => steps.push({ kind: 'verify', n: next(), ...step }),
  };
}

function followedBy(step: WriteStep, { on, replicas }: Follows): WriteStep {
  const first = followCommand(step.object, replicas);
  return on === 'there'
    ? { ...step, command: `${first} && ${step.command}` }
    : // Settings are restored in any case: the rollback target may be what could not start.
      { ...step, inverseCommand: `${first}; ${step.inverseCommand}` };
}

function writeStep(n: number, ref: LiveRef, says: string, { patch, inverse }: Change): WriteStep {
  return {
    kind: 'write',
    n,
    says,
    object: ref,
    subresource: 'none',
    patch: [...patch],
    inverse: [...inverse],
    command: patchCommand(ref, patch),
    inverseCommand: changesBack({ inverse: [...inverse] })
      ? patchCommand(ref, inverse)
      : `# ${nameOf(ref)}: nothing to roll back`,
  };
}

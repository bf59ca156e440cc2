import { applyPatch, toPointer, valueAt } from '../../model/json-patch.ts';
import type { PatchOperation, PlanStep, VerifyStep, WaitStep, WriteStep } from '../../model/plan.ts';
import { patchCommand } from '../owners/patch-command.ts';
import type { LiveRef } from '../owners/read-object.ts';

/** A patch and its way back. Both test before they set. */
export type Change = { readonly patch: readonly PatchOperation[]; readonly inverse: readonly PatchOperation[] };

/** Lays steps one behind the other: numbers them, and keeps each object as the steps before have left it. */
export type StepList = {
  write(object: { ref: LiveRef; object: unknown }, says: string, change: Change): void;
  wait(step: Pick<WaitStep, 'says' | 'until' | 'replicas' | 'everyMs' | 'deadlineMs'>): void;
  verify(step: Pick<VerifyStep, 'says' | 'replicas' | 'forMs' | 'everyMs'>): void;
  /** The object as it will be after the steps so far. */
  now(object: { ref: LiveRef; object: unknown }): unknown;
  readonly steps: readonly PlanStep[];
};

export function createStepList(): StepList {
  const steps: PlanStep[] = [];
  const objects = new Map<string, unknown>();
  const now: StepList['now'] = ({ ref, object }) => objects.get(ref.uid) ?? object;
  return {
    steps,
    now,
    write(at, says, { patch, inverse }) {
      const applied = applyPatch(now(at), patch);
      // A patch that does not apply to what was just read is a fault of the planner, and the dry run would say so too.
      if (applied.kind === 'applied') objects.set(at.ref.uid, applied.value);
      steps.push(writeStep(steps.length + 1, at.ref, says, { patch, inverse }));
    },
    wait: (step) => steps.push({ kind: 'wait', n: steps.length + 1, ...step }),
    verify: (step) => steps.push({ kind: 'verify', n: steps.length + 1, ...step }),
  };
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
    inverseCommand: patchCommand(ref, inverse),
  };
}

/** Sets one field from the value it has, or that is not there, to another; `undefined` takes it out. */
export function setField(object: unknown, path: string, to: unknown): Change {
  const from = valueAt(object, path);
  const set = (was: unknown, will: unknown): PatchOperation[] => {
    const test: PatchOperation[] = was === undefined ? [] : [{ op: 'test', path, value: json(was) }];
    if (will === undefined) return [...test, { op: 'remove', path }];
    return [...test, { op: was === undefined ? 'add' : 'replace', path, value: json(will) }];
  };
  return { patch: set(from, to), inverse: set(to, from) };
}

/** Sets a key of a map that may not be there: without its parent an `add` fails. */
export function setEntry(object: unknown, map: string, key: string, to: string | undefined): Change {
  const path = `${map}${toPointer([key])}`;
  if (valueAt(object, map) !== undefined || to === undefined) return setField(object, path, to);
  return {
    patch: [{ op: 'add', path: map, value: { [key]: to } }],
    inverse: [
      { op: 'test', path, value: to },
      { op: 'remove', path },
    ],
  };
}

/** Several changes of one object in one patch; the way back goes from the last to the first. */
export function joinChanges(changes: readonly Change[]): Change {
  return {
    patch: changes.flatMap(({ patch }) => patch),
    inverse: changes.toReversed().flatMap(({ inverse }) => inverse),
  };
}

// The objects were read as JSON, so every value in them is.
function json(value: unknown): PatchOperation extends infer O ? (O extends { value: infer V } ? V : never) : never {
  return value as never;
}

import type { Managers } from '../owners/find-managers.ts';
import { nameOf } from '../owners/read-object.ts';
import type { Owner } from '../owners/read-owner.ts';
import type { Laid } from './lay-steps.ts';
import type { PlanInput, PlanOutcome } from './plan-input.ts';
import { awaitReady } from './scaling.ts';
import { type StepList, setField } from './steps.ts';

type Work = { readonly owner: Owner; readonly managers: Managers; readonly input: PlanInput; readonly steps: StepList };

/** Back: the inverse of each write that a run has done, the last one first; without a run, the template of the revision before. */
export function layUndo({ owner, managers, input, steps }: Work): Laid | Extract<PlanOutcome, { kind: 'refused' }> {
  const { ref } = owner.head;
  for (const { object, says, patch, inverse } of input.done.toReversed()) {
    const known = object.uid === ref.uid ? owner.object : undefined;
    steps.write({ ref: object, object: known }, `take back: ${says}`, { patch: inverse, inverse: patch });
  }
  if (input.done.length === 0) {
    if (input.previousTemplate === undefined || owner.template === undefined) {
      const says = 'No run of oombot has changed this workload, and its revision before was not read.';
      const paste = `kubectl -n ${ref.namespace} rollout undo ${ref.kind.toLowerCase()}/${ref.name}`;
      return { kind: 'refused', why: 'no-record', says, paste, hazards: [] };
    }
    const change = setField(owner.object, owner.template, input.previousTemplate);
    steps.write(
      { ref, object: owner.object },
      `put the template of the revision before back on ${nameOf(ref)}`,
      change,
    );
  }
  const total = Math.max(input.pods?.total ?? 0, owner.scale.kind === 'none' ? 0 : owner.scale.now);
  if (total > 0) awaitReady({ managers, input, steps }, total);
  const serving = input.pods?.ready ?? 0;
  return {
    kind: 'laid',
    edits: [],
    stopped: serving,
    outage: serving > 0 ? 'one-start' : 'none',
    freesGpus: false,
    confirm: false,
    hazards: [],
  };
}

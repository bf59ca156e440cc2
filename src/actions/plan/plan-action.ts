import type { Hazard } from '../../model/plan.ts';
import { findManagers, type Managers } from '../owners/find-managers.ts';
import { type Owner, readOwner } from '../owners/read-owner.ts';
import { changeContainer } from './change-container.ts';
import { drawDiff } from './draw-diff.ts';
import { type Laid, layChange, layStopBleed, layToZero, layUp } from './lay-steps.ts';
import { layUndo } from './lay-undo.ts';
import type { PlanInput, PlanOutcome } from './plan-input.ts';
import { restartChange } from './restart-change.ts';
import { createStepList, type StepList } from './steps.ts';

export type { PlanDraft, PlanInput, PlanOutcome } from './plan-input.ts';

type Refused = Extract<PlanOutcome, { kind: 'refused' }>;

/**
 * What an action would do to a workload, as ordered steps with their way back; or why it is not done, with what to paste
 * instead. Pure: the same objects give the same plan. Never throws.
 */
export function planAction(input: PlanInput): PlanOutcome {
  const owner = readOwner(input.object, input.target.container, input.beside);
  if (owner.kind === 'paste') return refused('unknown-owner', owner.says, owner.command);
  const managers = findManagers(owner.head, input.beside);
  const hazards = [...owner.hazards, ...managers.hazards, ...unread(input)];
  const steps = createStepList();
  const laid = lay({ owner, managers, input, steps });
  if (laid.kind === 'refused') return { ...laid, hazards };
  const blocking = hazards.filter(({ blocks }) => blocks);
  if (blocking.length > 0) {
    const paste = steps.steps.flatMap((step) => (step.kind === 'write' ? [step.command] : [])).join('\n');
    return { ...refused('would-be-undone', blocking.map(({ says }) => says).join(' '), paste), hazards };
  }
  return { kind: 'plan', draft: draftOf(input, owner, { steps, laid, hazards }) };
}

type Work = { readonly owner: Owner; readonly managers: Managers; readonly input: PlanInput; readonly steps: StepList };

function lay(work: Work): Laid | Refused {
  const { owner, input } = work;
  switch (input.action) {
    case 'scale-to-zero':
      return layToZero(work);
    case 'scale-up':
      return layUp(work);
    case 'roll-back':
      return layUndo(work);
    case 'restart-drained': {
      const restart = restartChange(owner, input);
      return restart.kind === 'refused' ? { ...restart, hazards: [] } : layChange(work, restart, 'drain');
    }
    case 'set-args':
    case 'set-allocator':
    case 'raise-ram':
    case 'stop-bleed': {
      const change = changeContainer(owner, input);
      if (change.kind === 'refused') return { ...change, hazards: [] };
      return input.action === 'stop-bleed' ? layStopBleed(work, change) : layChange(work, change, 'at-once');
    }
    case 'advise':
      return refused('no-button', 'This is something only people can do.', null);
  }
}

function unread({ notRead }: PlanInput): Hazard[] {
  if (notRead.length === 0) return [];
  const says = `Not read, so not known whether something would put the change back: ${notRead.join(', ')}.`;
  return [{ id: 'not-read', says, done: null, blocks: false }];
}

type Made = { readonly steps: StepList; readonly laid: Laid; readonly hazards: readonly Hazard[] };

function draftOf(
  input: PlanInput,
  owner: Owner,
  { steps, laid, hazards }: Made,
): Extract<PlanOutcome, { kind: 'plan' }>['draft'] {
  const { ready, total } = input.pods ?? { ready: 0, total: 0 };
  return {
    action: input.action,
    profile: input.profile,
    target: input.target,
    edits: [...laid.edits],
    bounds: [...input.bounds],
    steps: [...steps.steps],
    diff: drawDiff(owner.head.ref, steps, owner.object),
    serving: { ready, total, stopped: laid.stopped },
    outage: outageOf(input, laid),
    supply: supplyOf(input, laid),
    cost: costOf(input, laid),
    hazards: [...hazards, ...laid.hazards],
    notRuledOut: [...input.notRuledOut],
    confirm: laid.confirm ? owner.head.ref.name : null,
    approvals: input.approvals,
  };
}

function outageOf({ known }: PlanInput, laid: Laid) {
  if (laid.outage === 'none') return { ms: 0, says: 'No replica that serves is stopped.' };
  if (laid.outage === 'until-scaled-up') return { ms: null, says: 'Nothing serves until somebody scales up again.' };
  if (known.startupMs === null)
    return {
      ms: null,
      says: 'Until the engine has started again; how long that takes is not known, no start was seen.',
    };
  const minutes = Math.max(1, Math.round(known.startupMs / 60_000));
  return { ms: known.startupMs, says: `About ${minutes} min: the last start that was seen took that long.` };
}

function supplyOf({ known }: PlanInput, { freesGpus }: Laid): string {
  const gpus = known.gpus ?? 'Whether a GPU is free is not known.';
  return freesGpus ? `${gpus} GPUs that become free at zero can be taken by other pods meanwhile.` : gpus;
}

function costOf({ known }: PlanInput, { edits, outage }: Laid): string {
  if (outage === 'until-scaled-up') return 'All requests fail while it is at zero.';
  if (edits.length === 0) return 'No limit of requests changes.';
  return (
    known.requests ??
    'Which share of the requests the new limits would refuse or queue is not known: no histogram of lengths was read.'
  );
}

function refused(why: Refused['why'], says: string, paste: string | null): Refused {
  return { kind: 'refused', why, says, paste, hazards: [] };
}

import { MEMORY_LIMIT } from '../../model/flag-values.ts';
import type { Bound, Hazard } from '../../model/plan.ts';
import type { Edit } from '../../model/verdict.ts';
import { checkBounds, checkDirection, checkProtected, checkTaken, type GuardProblem } from '../guards.ts';
import { countServing } from '../owners/count-serving.ts';
import { findManagers, type Managers, VPA } from '../owners/find-managers.ts';
import { note } from '../owners/hazard.ts';
import type { Owner } from '../owners/owner.ts';
import { ownerAdapter } from '../owners/owner-adapter.ts';
import { hasReadinessProbe } from '../owners/pod-template.ts';
import { allocatorEdit } from './allocator-edit.ts';
import { changeArguments } from './change-arguments.ts';
import { boundOfMemory, changeMemory } from './change-memory.ts';
import { changeRestart } from './change-restart.ts';
import { type ChangeOutcome, type ChangeSet, gatherWrites, sayEdits } from './change-set.ts';
import { layToZero, layUp } from './count-steps.ts';
import { drawDiff } from './draw-diff.ts';
import { sayFailedBefore } from './failed-settings.ts';
import { sayByHand } from './manual-commands.ts';
import type { Laid, Work } from './plan-context.ts';
import { type PlanDraft, type PlanInput, type PlanOutcome, type Refused, refuse } from './plan-input.ts';
import { layReplacePod } from './replace-pod.ts';
import { layThroughZero, replaceSteps } from './replace-steps.ts';
import { checkCount, checkCounted } from './requested-replicas.ts';
import { rollbackSteps } from './rollback-steps.ts';
import { sayCost, sayOutage, saySupply } from './sentences.ts';
import { createStepList } from './steps.ts';

export type { PlanDraft, PlanInput, PlanOutcome } from './plan-input.ts';

/**
 * What an action would do to a workload, as ordered steps with their rollback; or why it is not done, with what to paste
 * instead. Pure: the same objects give the same plan. Never throws.
 */
export function planAction(input: PlanInput): PlanOutcome {
  const owner = ownerAdapter(input.object, { container: input.target.container, surroundings: input.surroundings });
  if (owner.kind === 'paste') return refuse('unknown-owner', owner.says, owner.command);
  const managers = managersOf(owner, input);
  const serving = countServing(owner, input.pods);
  const work: Work = { owner, managers, serving, input, steps: createStepList() };
  const guarded = checkEdits(input) ?? checkCount(work);
  const laid = guarded ?? layCounted(work);
  // Whatever looks after the workload has nothing to revert of a pod.
  const ofWorkload =
    input.action === 'replace-pod' ? [] : [...owner.hazards, ...managers.hazards, ...sayUncontested(work)];
  const hazards = [
    ...sayFailedBefore(work),
    ...ofWorkload,
    ...doubts(work),
    ...(laid.kind === 'laid' ? laid.hazards : []),
  ];
  if (laid.kind === 'refused') return { ...laid, hazards };
  const blocking = hazards.filter(({ blocks }) => blocks);
  if (blocking.length > 0) return undone(work, blocking, hazards);
  return { kind: 'plan', draft: draftOf(work, laid, hazards) };
}

// A VPA reverts limits alone.
function managersOf({ head }: Owner, { surroundings, target, action, edits }: PlanInput): Managers {
  const found = findManagers(head, surroundings, target.container);
  const setsLimit = action === 'roll-back' || edits.some(({ flag }) => flag === MEMORY_LIMIT);
  return setsLimit ? found : { ...found, hazards: found.hazards.filter(({ id }) => id !== VPA) };
}

function checkEdits({ edits, bounds, direction, engine }: PlanInput): Refused | undefined {
  const bounded = new Set(bounds.map(({ flag }) => flag));
  const problems: readonly GuardProblem[] = [
    ...checkProtected(edits),
    ...checkTaken(edits, engine.name),
    ...checkBounds(
      edits.filter(({ flag }) => bounded.has(flag)),
      bounds,
    ),
    ...checkDirection(edits, direction ?? 'none'),
  ];
  const [first] = problems;
  return first === undefined ? undefined : refuse(first.kind, `${problems.map(({ says }) => says).join('. ')}.`);
}

// A word that would be passed over makes another plan than was asked for.
function layCounted(work: Work): Laid | Refused {
  const laid = lay(work);
  return laid.kind === 'refused' ? laid : (checkCounted(work, laid) ?? laid);
}

function lay(work: Work): Laid | Refused {
  const { owner, input } = work;
  switch (input.action) {
    case 'scale-to-zero':
      return layToZero(work);
    case 'scale-up':
      return layUp(work);
    case 'roll-back':
      return rollbackSteps(work);
    case 'restart-drained':
      return withChange(changeRestart(owner, input), (set) => replaceSteps(work, set, { drain: true }));
    case 'set-args':
    case 'set-allocator':
    case 'raise-ram':
      return withChange(changeChecked(owner, input), (set) => replaceSteps(work, set));
    case 'stop-bleed':
      return withChange(changeChecked(owner, input), (set) => layStopBleed(work, set));
    case 'replace-pod':
      return layReplacePod(work);
    case 'advise':
      return refuse('no-button', 'This is a manual step.');
  }
}

function withChange(outcome: ChangeOutcome, next: (set: ChangeSet) => Laid | Refused): Laid | Refused {
  return outcome.kind === 'refused' ? outcome : next(outcome);
}

// All down, or someone has typed the name: through zero. Some serving: the broken ones are replaced one at a time.
function layStopBleed(work: Work, set: ChangeSet): Laid | Refused {
  return work.serving.ready > 0 && !work.input.toZero ? replaceSteps(work, set) : layThroughZero(work, set);
}

// Once more with the current values: they may differ from those of the evidence.
function changeChecked(owner: Owner, input: PlanInput): ChangeOutcome {
  const asked = changeAsked(owner, input);
  if (asked.kind === 'refused') return asked;
  const [turned] = checkDirection(asked.edits, input.direction ?? 'none');
  return turned === undefined ? asked : refuse(turned.kind, `${turned.says}.`);
}

/** The edits that were asked for: the memory limit, and flags and variables, as one change. */
function changeAsked(owner: Owner, input: PlanInput): ChangeOutcome {
  const memory = input.edits.find(({ flag }) => flag === MEMORY_LIMIT);
  const others = input.edits.filter(({ flag }) => flag !== MEMORY_LIMIT);
  if (memory === undefined && others.length === 0) return refuse('nothing-to-do', 'There is nothing to change.');
  const flags = others.length === 0 ? undefined : changeFlags(owner, others, input);
  const limit = memory === undefined ? undefined : changeMemory(owner, memory, input);
  if (flags === undefined || flags.kind === 'refused')
    return flags ?? limit ?? refuse('nothing-to-do', 'There is nothing to change.');
  if (limit === undefined || limit.kind === 'refused') return limit ?? flags;
  const edits = [...flags.edits, ...limit.edits];
  const { kind, name } = owner.head.ref;
  return {
    ...flags,
    writes: gatherWrites([...flags.writes, ...limit.writes]),
    edits,
    says: `change ${kind}/${name}: ${sayEdits(edits)}`,
  };
}

function changeFlags(owner: Owner, edits: PlanInput['edits'], input: PlanInput): ChangeOutcome {
  if (input.action !== 'set-allocator') return changeArguments(owner, edits, input);
  const adapted = edits.map((edit) =>
    allocatorEdit(owner.containers[0]?.value, edit, input.engine.version ?? undefined),
  );
  const fault = adapted.find((one) => one.kind === 'refused');
  if (fault?.kind === 'refused') return refuse('argument-editor', fault.says);
  return changeArguments(
    owner,
    adapted.flatMap((one) => (one.kind === 'edit' ? [one.edit] : [])),
    input,
  );
}

// Said only if every controller that could revert it was checked.
function sayUncontested({ managers, input }: Work): Hazard[] {
  const isHeld = managers.hpa !== undefined || managers.keda.length > 0 || managers.hazards.length > 0;
  if (isHeld || input.notRead.length > 0) return [];
  return [note('uncontested', 'Nothing found that would revert this.')];
}

function doubts({ input, owner, serving }: Work): Hazard[] {
  const [engine] = owner.containers;
  const unread = `Could not read ${input.notRead.join(', ')}: something there may revert this.`;
  const unseen = 'Could not read how many replicas are ready: all are counted as ready.';
  const unready = 'The engine has no readiness probe: Ready only means that the container runs.';
  const makesPods = owner.templates.length > 0 && engine !== undefined;
  return [
    ...(input.notRead.length === 0 ? [] : [note('not-read', unread)]),
    ...sayNodeMemory(input),
    ...(serving.isKnown ? [] : [note('serving-unknown', unseen)]),
    ...(makesPods && serving.ready > 0 && !hasReadinessProbe(engine.value)
      ? [note('no-readiness-probe', unready)]
      : []),
  ];
}

function sayNodeMemory({ edits, known }: PlanInput): Hazard[] {
  const asks = edits.some(({ flag }) => flag === MEMORY_LIMIT);
  if (!asks || typeof known.nodeMemoryBytes === 'number') return [];
  return [note('node-memory-unknown', 'Allocatable memory of the nodes unknown: the pod may stay Pending.')];
}

// Never against another controller: a person gets the diff for Git, and the commands for after it is paused.
function undone({ steps }: Work, blocking: readonly Hazard[], hazards: readonly Hazard[]): Refused {
  const paste = [drawDiff(steps), ...sayByHand(steps.steps)].filter((part) => part !== '').join('\n');
  return { ...refuse('would-be-undone', blocking.map(({ says }) => says).join(' '), paste), hazards };
}

// That of memory follows from the limit that is there, which the finding may not have seen.
function boundsOf(input: PlanInput, edits: readonly Edit[]): Bound[] {
  const memory = edits.find(({ flag }) => flag === MEMORY_LIMIT);
  if (memory === undefined) return [...input.bounds];
  return [...input.bounds.filter(({ flag }) => flag !== MEMORY_LIMIT), boundOfMemory(memory, input)];
}

function draftOf(work: Work, laid: Laid, hazards: readonly Hazard[]): PlanDraft {
  const { input, owner, serving, steps } = work;
  return {
    action: input.action,
    profile: input.profile,
    target: input.target,
    edits: [...laid.edits],
    bounds: boundsOf(input, laid.edits),
    replicas: input.wantedReplicas ?? null,
    steps: [...steps.steps],
    diff: drawDiff(steps),
    serving: { ready: serving.ready, total: serving.total, stopped: laid.stopped, replaced: laid.replaced ?? 0 },
    outage: sayOutage(work, laid),
    supply: saySupply(work, laid),
    cost: sayCost(work, laid),
    hazards: [...hazards],
    notRuledOut: [...input.notRuledOut],
    certain: input.certain,
    causeCertain: input.causeCertain,
    confirm: laid.confirm ? owner.head.ref.name : null,
    approvals: input.approvals,
  };
}

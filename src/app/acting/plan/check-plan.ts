import { checkBounds, checkDirection, checkTaken, type GuardProblem } from '../../../actions/guards.ts';
import { note } from '../../../actions/owners/hazard.ts';
import type { PlanDraft } from '../../../actions/plan/plan-input.ts';
import { findAltered, valuesTested } from '../../../actions/run/same-value.ts';
import type { CreateStep, Hazard, PlanStep, WriteStep } from '../../../model/plan.ts';
import type { ActContext, ActingCluster, Write, WriteOutcome } from '../../acting-ports.ts';
import { valuesOf } from '../describe.ts';
import type { ChosenEdits } from './choose-edits.ts';
import { type PlanRefused, refused } from './plan-refusals.ts';
import type { PlanRequest } from './plan-request.ts';

/** What is wrong with the values themselves, in words; undefined where nothing is. */
export function checkChosen({ edits, bounds, direction }: ChosenEdits): string | undefined {
  const offered = new Set(bounds.map(({ flag }) => flag));
  const bounded = edits.filter(({ flag }) => offered.has(flag));
  return sayFaults([...checkBounds(bounded, bounds), ...checkDirection(edits, direction)]);
}

/** Why values that were typed are none that their flags can take, in words; undefined where nothing is wrong. */
export function checkTyped(values: PlanRequest['values'], engine: string | undefined): string | undefined {
  const edits = values.map(({ flag, to }) => ({ flag, to, from: null, why: '', facts: [] }));
  return sayFaults(checkTaken(edits, engine));
}

function sayFaults(faults: readonly GuardProblem[]): string | undefined {
  return faults.length === 0 ? undefined : `${faults.map(({ says }) => says).join('. ')}.`;
}

type CheckedPlan =
  /** With the results of the dry run, for the approver. */
  { readonly kind: 'fine'; readonly hazards: readonly Hazard[] } | PlanRefused;

/** Asks the API server whether each write is allowed, and what its checks say to those that can be tried now. */
export async function checkPlan(cluster: ActingCluster, draft: PlanDraft, context: ActContext): Promise<CheckedPlan> {
  const writes = draft.steps.filter(isWriting);
  const warnings: string[] = [];
  const untried: number[] = [];
  for (const [index, step] of writes.entries()) {
    const write = wireOf(step);
    const access = await cluster.mayWrite(write, context);
    if (access.kind === 'no') {
      const says = `oombot has no permission to change ${step.object.kind}/${step.object.name}.`;
      return refused(says, 'Add this RBAC rule, or make the change by hand:', `${access.rule}\n${step.command}`);
    }
    const outcome = await cluster.write(write, context);
    // A later write tests what an earlier one will have set, so only its own values can be asked about now.
    const isLater = writes.slice(0, index).some(({ object }) => object.uid !== null && object.uid === step.object.uid);
    if (isLater && outcome.kind === 'stale') {
      untried.push(step.n);
      continue;
    }
    const fault = alteredBy(outcome, step) ?? faultOf(outcome, step, warnings);
    if (fault !== undefined) return fault;
  }
  return {
    kind: 'fine',
    hazards: [...sayUntried(untried), ...warnings.map((one) => note('api-warning', `The API server warns: ${one}`))],
  };
}

function sayUntried(untried: readonly number[]): Hazard[] {
  const last = untried.at(-1);
  if (last === undefined) return [];
  const before = untried.slice(0, -1).join(', ');
  const says =
    before === ''
      ? `Step ${last} depends on earlier steps, so it was not tested against the API server.`
      : `Steps ${before} and ${last} depend on earlier steps, so they were not tested against the API server.`;
  return [note('not-tried', says)];
}

type Writing = WriteStep | CreateStep;

function isWriting(step: PlanStep): step is Writing {
  return step.kind === 'write' || step.kind === 'create';
}

function wireOf(step: Writing): Write {
  const { object } = step;
  if (step.kind === 'create') {
    return { object, subresource: 'none', body: { kind: 'create', manifest: step.manifest }, dryRun: true };
  }
  return { object, subresource: step.subresource, body: { kind: 'patch', patch: step.patch }, dryRun: true };
}

// The approver would not see the value that a webhook makes, and a rollback would not find it.
function alteredBy(outcome: WriteOutcome, step: Writing): CheckedPlan | undefined {
  if (step.kind !== 'write' || outcome.kind !== 'written') return undefined;
  const altered = findAltered(valuesTested(step), outcome.object);
  if (altered === undefined) return undefined;
  const { path, expected, found } = altered;
  const says = `An admission webhook changes this value: ${valuesOf(path, expected, found)}.`;
  return refused(says, 'Change it where the webhook gets its values. By hand:', step.command);
}

function faultOf(outcome: WriteOutcome, { object, command }: Writing, warnings: string[]): CheckedPlan | undefined {
  const name = `${object.kind}/${object.name}`;
  switch (outcome.kind) {
    case 'written':
      warnings.push(...outcome.warnings);
      return undefined;
    case 'stale':
    case 'conflict':
      return refused(`${name} changed while oombot made the plan.`, 'Request the plan again.');
    case 'refused':
      return refused(
        `The API server rejects this change of ${name}: ${outcome.message}`,
        'Review, then make the change by hand:',
        command,
      );
    case 'forbidden':
      return refused(`oombot has no permission to change ${name}.`, 'Add this RBAC rule:', outcome.rule);
    case 'unavailable':
      return refused(`The API server did not answer: ${outcome.why}.`, 'Nothing was changed. Try again in a minute.');
  }
}

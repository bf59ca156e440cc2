import { bold, type Message, plain } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import { detailBlocks, failedBefore } from './plan-card.ts';
import { canRollBack, impactWords, planTitle } from './words/plan-words.ts';
import { flatten, paragraph } from './words/sentence.ts';

/** A plan that is not stored: what a terminal prints. */
type PlanPreview = Pick<
  Plan,
  | 'action'
  | 'target'
  | 'edits'
  | 'steps'
  | 'serving'
  | 'outage'
  | 'supply'
  | 'cost'
  | 'hazards'
  | 'notRuledOut'
  | 'certain'
  | 'causeCertain'
  | 'alternatives'
  | 'confirm'
>;

/** The top of a plan for the terminal: what it does and its impact. The diff follows as it is, to be copied. */
export function planPage(plan: PlanPreview): Message {
  const title = `Proposed: ${planTitle(plan)} · nothing is changed`;
  const typed = `This stops ready replicas: the bot asks for --confirm=${plan.confirm}.`;
  return flatten({
    summary: title.slice(0, 300),
    dense: true,
    blocks: [
      { kind: 'headline', mark: 'warn', spans: [plain(title)] },
      ...failedBefore(plan),
      paragraph(bold('Impact: '), `${impactWords(plan)} ${plan.supply}`),
      ...(plan.confirm === null ? [] : [paragraph(typed)]),
      ...(canRollBack(plan) ? [] : [paragraph('A restart cannot be rolled back.')]),
    ],
  });
}

/** What follows the diff: steps, notes and doubts. */
export function planDetails(plan: PlanPreview): Message {
  return flatten({ summary: `Details: ${planTitle(plan)}`.slice(0, 300), blocks: detailBlocks(plan, []) });
}

/** The commands that do the same by hand, in order, and those that roll it back. */
export function planCommands({ steps }: Pick<Plan, 'steps'>): { readonly forward: string[]; readonly back: string[] } {
  const forward = steps.map((step) => ('command' in step ? step.command : `# ${step.says}`));
  const back = steps.toReversed().flatMap((step) => (step.kind === 'write' ? [step.inverseCommand] : []));
  return { forward, back };
}

import { code, type Message, plain } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import { costBlocks, servingWords, stepsBlock } from './plan-card.ts';
import { flatten, paragraph } from './words/sentence.ts';

/** A plan that nobody has kept: what a terminal prints. */
export type PlanPreview = Pick<
  Plan,
  | 'action'
  | 'target'
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

/** The words of a plan for the terminal. Difference and commands are printed beside it as they are, to be copied. */
export function planPage(plan: PlanPreview): Message {
  const { object, cluster } = plan.target;
  const name = `${object.namespace}/${object.kind}/${object.name}`;
  return flatten({
    summary: `${plan.action} on ${name}: nothing is changed.`.slice(0, 300),
    blocks: [
      {
        kind: 'headline',
        mark: 'warn',
        spans: [plain(`${plan.action} · `), code(name), plain(` · ${cluster} · nothing is changed`)],
      },
      paragraph(servingWords(plan)),
      ...stepsBlock(plan),
      ...costBlocks(plan),
      ...(plan.confirm === null
        ? []
        : [paragraph(`This takes down what serves: by the bot it needs --confirm=${plan.confirm}.`)]),
    ],
  });
}

/** The commands that do the same by hand, in order, and those that take it back. */
export function planCommands({ steps }: Pick<Plan, 'steps'>): { readonly forward: string[]; readonly back: string[] } {
  const forward = steps.map((step) => ('command' in step ? step.command : `# ${step.says}`));
  const back = steps.toReversed().flatMap((step) => (step.kind === 'write' ? [step.inverseCommand] : []));
  return { forward, back };
}

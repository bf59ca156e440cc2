import { type Block, bold, type Choice, code, type Message, plain } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import { doubtBlocks } from './words/confidence.ts';
import { clip, flatten, list, note, paragraph, quote, user, type Words } from './words/sentence.ts';

const DIFF_LINES = 40;
// Half a command is worse than none: it would be pasted.
const COMMAND = 900;

export type PlanCardOptions = {
  readonly approvedBy?: readonly string[];
  /** What is typed before the words of the bot. */
  readonly command?: string;
};

/** What an approver has to see before the button: what changes, whom it stops, what is not known, and the way back. */
export function planCard(plan: Plan, { approvedBy = [], command = '/oom' }: PlanCardOptions = {}): Message {
  const name = `${plan.target.object.kind}/${plan.target.object.name}`;
  const { namespace } = plan.target.object;
  return flatten({
    summary: clip(`Plan: ${plan.action} on ${namespace}/${name}. Nothing is changed yet.`, 300),
    blocks: [
      {
        kind: 'headline',
        mark: 'warn',
        spans: [plain(`Plan: ${plan.action} · `), code(`${namespace}/${name}`), plain(` · ${plan.target.cluster}`)],
      },
      paragraph(`${servingWords(plan)} `, ...needWords(plan, approvedBy)),
      ...stepsBlock(plan),
      quote('Difference', diffLines(plan.diff)),
      ...costBlocks(plan),
      ...list('Rollback', wayBack(plan)),
      ...confirmBlock(plan, command),
      note(...noteWords(plan)),
    ],
    choices: choicesOf(plan),
  });
}

/** How many replicas serve, and how many of them a plan stops or replaces. */
export function servingWords({ serving: { ready, total, stopped, replaced = 0 } }: Pick<Plan, 'serving'>): string {
  const serves = `${ready} of ${total} replicas serve`;
  if (replaced > 1) {
    return `${serves}; all ${replaced} are replaced${ready > 0 ? ', at most 1 of those that serve at a time' : ''}.`;
  }
  if (replaced === 1 && stopped === 0 && ready > 0) return `${serves}; it is replaced once another serves.`;
  return `${ready} of ${total} replicas serve; this stops ${stopped} of them.`;
}

export function stepsBlock({ steps }: Pick<Plan, 'steps'>): Block[] {
  return list(
    'Steps',
    steps.map(({ n, says }) => [`${n}. ${says}`]),
  );
}

type Costly = Pick<Plan, 'outage' | 'supply' | 'cost' | 'hazards'> & Parameters<typeof doubtBlocks>[0];

/** What a plan costs, a sentence each; what to know of it, and what of its finding is in doubt. */
export function costBlocks(plan: Costly): Block[] {
  const { outage, supply, cost, hazards } = plan;
  const known = hazards.map(({ says, done }) => [done === null ? says : `${says} Done about it: ${done}.`]);
  return [
    ...list('What it costs', [[`Outage: ${outage.says}`], [supply], [cost]]),
    ...list('What to know', known),
    ...doubtBlocks(plan),
  ];
}

function needWords({ approvals }: Plan, approvedBy: readonly string[]): Words {
  if (approvedBy.length > 0) {
    return [bold(`${approvedBy.length} of ${approvals} approvals: `), ...nameAll(approvedBy), '.'];
  }
  return [approvals === 1 ? 'One approval is needed.' : `${approvals} approvals are needed.`];
}

/** People, each once, with commas between. */
export function nameAll(people: readonly string[]): Words {
  return [...new Set(people)].flatMap((id, i) => (i === 0 ? [user(id)] : [', ', user(id)]));
}

function diffLines(diff: string): string[] {
  const lines = diff.split('\n').filter((line) => line !== '');
  if (lines.length <= DIFF_LINES) return lines.length === 0 ? ['no field of the workload changes'] : lines;
  return [...lines.slice(0, DIFF_LINES), `… ${lines.length - DIFF_LINES} more lines: \`oom plan\` prints all`];
}

const COMMANDS = 6;

function wayBack({ steps }: Plan): readonly Words[] {
  const writes = steps.filter((step) => step.kind === 'write').toReversed();
  const more = writes.length - COMMANDS;
  if (writes.length === 0) return [['Nothing is written.']];
  const commands = writes
    .slice(0, COMMANDS)
    .map(({ n, inverseCommand }) =>
      inverseCommand.length <= COMMAND
        ? [code(inverseCommand)]
        : [`step ${n} is taken back by the button Roll back; its command is too long for a card.`],
    );
  return more > 0 ? [...commands, [`and ${more} more: \`oom plan\` prints all.`]] : commands;
}

function confirmBlock({ confirm, id }: Plan, command: string): Block[] {
  if (confirm === null) return [];
  const typed = code(`${command} approve ${id} --confirm=${confirm}`);
  return [paragraph(bold('This takes down what serves. '), 'It cannot be approved by the button alone: type ', typed)];
}

function noteWords({ id, profile, proposedBy, expiresAt, incidentId }: Plan): Words {
  return [
    'plan ',
    code(id),
    ' · incident ',
    code(incidentId),
    ...(profile === null ? [] : [` · profile ${profile}`]),
    ' · asked for by ',
    user(proposedBy),
    ' · expires ',
    { kind: 'time', at: expiresAt },
  ];
}

function choicesOf({ id, hash, confirm, edits }: Plan): Choice[] {
  const value = `${id} ${hash}`;
  const approve: Choice[] = confirm === null ? [{ asks: 'approve', label: 'Approve', value }] : [];
  const edit: Choice[] = edits.length > 0 ? [{ asks: 'edit', label: 'Edit', value }] : [];
  return [...approve, ...edit, { asks: 'reject', label: 'Reject', value }];
}

import { type Block, bold, type Choice, code, type Message, plain, type Span } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import { doubtBlocks } from './words/confidence.ts';
import { clip, flatten, paragraph } from './words/sentence.ts';

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
      paragraph(`${servingWords(plan)} `, ...needSpans(plan, approvedBy)),
      { kind: 'list', title: 'Steps', items: plan.steps.map(({ n, says }) => [plain(`${n}. ${says}`)]) },
      { kind: 'quote', title: 'Difference', lines: diffLines(plan.diff) },
      {
        kind: 'list',
        title: 'What it costs',
        items: costWords(plan).map((says) => [plain(says)]),
      },
      ...hazardBlock(plan),
      ...doubtBlocks(plan),
      { kind: 'list', title: 'The way back', items: wayBack(plan) },
      ...confirmBlock(plan, command),
      { kind: 'note', spans: noteSpans(plan) },
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

/** What a plan costs, a sentence each. */
export function costWords({ outage, supply, cost }: Pick<Plan, 'outage' | 'supply' | 'cost'>): string[] {
  return [`Outage: ${outage.says}`, supply, cost];
}

function needSpans({ approvals }: Plan, approvedBy: readonly string[]): Span[] {
  if (approvedBy.length > 0) {
    return [bold(`${approvedBy.length} of ${approvals} approvals: `), ...nameAll(approvedBy), plain('.')];
  }
  return [plain(approvals === 1 ? 'One approval is needed.' : `${approvals} approvals are needed.`)];
}

/** People, each once, with commas between. */
export function nameAll(people: readonly string[]): Span[] {
  return [...new Set(people)].flatMap((id, i): Span[] => [...(i === 0 ? [] : [plain(', ')]), { kind: 'user', id }]);
}

function diffLines(diff: string): string[] {
  const lines = diff.split('\n').filter((line) => line !== '');
  if (lines.length <= DIFF_LINES) return lines.length === 0 ? ['no field of the workload changes'] : lines;
  return [...lines.slice(0, DIFF_LINES), `… ${lines.length - DIFF_LINES} more lines: \`oom plan\` prints all`];
}

function hazardBlock({ hazards }: Plan): Block[] {
  const items = hazards.map(({ says, done }) => (done === null ? says : `${says} Done about it: ${done}.`));
  return items.length === 0 ? [] : [{ kind: 'list', title: 'What to know', items: items.map((says) => [plain(says)]) }];
}

const COMMANDS = 6;

function wayBack({ steps }: Plan): Span[][] {
  const writes = steps.filter((step) => step.kind === 'write');
  const more = writes.length - COMMANDS;
  return writes.length === 0
    ? [[plain('Nothing is written.')]]
    : [
        ...writes
          .toReversed()
          .slice(0, COMMANDS)
          .map(({ n, inverseCommand }) =>
            inverseCommand.length <= COMMAND
              ? [code(inverseCommand)]
              : [plain(`step ${n} is taken back by the button Roll back; its command is too long for a card.`)],
          ),
        ...(more > 0 ? [[plain(`and ${more} more: \`oom plan\` prints all.`)]] : []),
      ];
}

function confirmBlock({ confirm, id }: Plan, command: string): Block[] {
  if (confirm === null) return [];
  return [
    {
      kind: 'paragraph',
      spans: [
        bold('This takes down what serves. '),
        plain('It cannot be approved by the button alone: type '),
        code(`${command} approve ${id} --confirm=${confirm}`),
      ],
    },
  ];
}

function noteSpans({ id, profile, proposedBy, expiresAt, incidentId }: Plan): Span[] {
  return [
    plain('plan '),
    code(id),
    plain(' · incident '),
    code(incidentId),
    ...(profile === null ? [] : [plain(` · profile ${profile}`)]),
    plain(' · asked for by '),
    { kind: 'user', id: proposedBy },
    plain(' · expires '),
    { kind: 'time', at: expiresAt },
  ];
}

function choicesOf({ id, hash, confirm, edits }: Plan): Choice[] {
  const value = `${id} ${hash}`;
  const approve: Choice[] = confirm === null ? [{ asks: 'approve', label: 'Approve', value }] : [];
  const edit: Choice[] = edits.length > 0 ? [{ asks: 'edit', label: 'Edit', value }] : [];
  return [...approve, ...edit, { asks: 'reject', label: 'Reject', value }];
}

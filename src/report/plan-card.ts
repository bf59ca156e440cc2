import type { Approvers } from '../model/authorise.ts';
import { type Block, bold, type Choice, code, type Message, plain } from '../model/message.ts';
import { FAILED_BEFORE, type Plan } from '../model/plan.ts';
import { doubtBlocks, doubtWords } from './words/confidence.ts';
import { diffOf, shortDiff } from './words/diff-lines.ts';
import { approveConfirm, canRollBack, impactWords, planTitle } from './words/plan-words.ts';
import {
  clip,
  clipToThread,
  counted,
  flatten,
  list,
  note,
  paragraph,
  quote,
  sentencesOf,
  user,
  type Words,
} from './words/sentence.ts';
import { spanWords } from './words/span-words.ts';

type PlanCardOptions = {
  readonly approvedBy?: readonly string[];
  /** What is typed before the words of the bot. */
  readonly command?: string;
  /** Who may approve it: they are mentioned. */
  readonly approvers?: Approvers;
};

/** The plan on one screen: what it does, its impact, the changed lines, what may revert it, who approves. */
export function planCard(plan: Plan, options: PlanCardOptions = {}): Message {
  const title = planTitle(plan);
  const impact = paragraph(bold('Impact: '), clipToThread(impactWords(plan), plan.confirm === null ? 300 : 130));
  const typed = confirmBlocks(plan, options.command ?? '/oom');
  const ask = paragraph(...approvalWords(plan, options));
  const warning = failedBefore(plan);
  const around = [...warning, impact, ...typed, ask, paragraph(...riskWords(plan, 100))];
  const diff = shortDiff(plan.diff, Math.min(MOST_DIFF, roomBeside(title, around)));
  return flatten({
    summary: clip(`Proposed: ${title}. Nothing is changed yet.`, 300),
    dense: true,
    blocks: [
      { kind: 'headline', mark: 'warn', spans: [plain(`Proposed: ${title}`)] },
      ...warning,
      impact,
      quote('Diff', [...diff.lines]),
      paragraph(...riskWords(plan, diff.left)),
      ...typed,
      ask,
    ],
    choices: choicesOf(plan),
  });
}

/** That the plan starts what has failed before; none if it does not. */
export function failedBefore({ hazards }: Pick<Plan, 'hazards'>): Paragraph[] {
  return hazards.filter(({ id }) => id === FAILED_BEFORE).map(({ says }) => paragraph(bold('Warning: '), says));
}

function notesOf({ hazards }: Pick<Plan, 'hazards'>): string[] {
  const notes = hazards.filter(({ id }) => id !== FAILED_BEFORE);
  return notes.map(({ says, done }) => (done === null ? says : `${says} (${done})`));
}

const WHOLE = 1000;
// "Proposed", the heading of the diff, the buttons, and the text if no line fits.
const FIXED = 110;
const MOST_DIFF = 420;

type Paragraph = ReturnType<typeof paragraph>;

function roomBeside(title: string, blocks: readonly Paragraph[]): number {
  return blocks.reduce((room, { spans }) => room - spanWords(spans).length, WHOLE - FIXED - title.length);
}

// What would revert it comes first; the other notes are in the thread.
function riskWords(plan: Plan, left: number): Words {
  const [first, ...rest] = notesOf(plan);
  const thread = rest.length === 0 ? '' : ` ${counted(rest.length, 'more note')} in the thread.`;
  return [
    ...(left === 0 ? [] : [`${counted(left, 'more diff line')} in the thread. `]),
    ...(first === undefined ? [] : [`${shortRisk(first, plan.confirm === null ? 130 : 60)}${thread} `]),
    bold('Rollback: '),
    canRollBack(plan) ? 'one click.' : 'not possible for a restart.',
    ...doubtWords(plan),
  ];
}

// Half a command would be pasted: what follows the first sentence stays whole or is left to the thread.
function shortRisk(says: string, length: number): string {
  const [head = says, ...rest] = sentencesOf(says);
  return rest.length === 0 || says.length <= length
    ? clipToThread(says, length)
    : `${clip(head, length)} (more in the thread)`;
}

function approvalWords({ id, approvals, expiresAt }: Plan, { approvedBy = [], approvers }: PlanCardOptions): Words {
  const need =
    approvedBy.length === 0
      ? [`${counted(approvals, 'approval')} needed`]
      : [`${approvedBy.length} of ${approvals} approvals: `, ...nameAll(approvedBy)];
  return [...mentionWords(approvers), ...need, ', expires ', { kind: 'time', at: expiresAt }, ' · ', code(id)];
}

/** Said once to the approvers where a plan has waited for half of its time. */
export function planReminder(
  plan: Plan,
  { link, ...options }: PlanCardOptions & { readonly link?: string | undefined },
): Message {
  const title = `Still waiting for approval: ${planTitle(plan)}`;
  const where: Words = link === undefined ? [] : [' · ', { kind: 'link', text: 'open the plan', url: link }];
  return flatten({
    summary: clip(`${title}.`, 300),
    dense: true,
    blocks: [
      { kind: 'headline', mark: 'warn', spans: [plain(title)] },
      paragraph(...approvalWords(plan, options), ...where),
    ],
  });
}

const MOST_PEOPLE = 3;

/** Mentions the approvers: their groups, or where there are none the people. */
function mentionWords({ groups, users }: Approvers = { groups: [], users: [] }): Words {
  const all = groups.length > 0 ? groups.map((id) => ({ kind: 'group' as const, id })) : users.map(user);
  const named = all.slice(0, MOST_PEOPLE).flatMap((one, i) => (i === 0 ? [one] : [' ', one]));
  return named.length === 0 ? [] : [...named, ': '];
}

/** People, each once, with commas between. */
export function nameAll(people: readonly string[]): Words {
  const all = [...new Set(people)];
  const more = all.length > MOST_NAMED ? [` and ${all.length - MOST_NAMED} more`] : [];
  return [...all.slice(0, MOST_NAMED).flatMap((id, i) => (i === 0 ? [user(id)] : [', ', user(id)])), ...more];
}

const MOST_NAMED = 3;

function confirmBlocks({ confirm, id }: Plan, command: string): Paragraph[] {
  if (confirm === null) return [];
  const typed = code(`${command} approve ${id} --confirm=${confirm}`);
  return [paragraph(bold('This stops ready replicas. '), 'To approve it, type ', typed)];
}

function choicesOf(plan: Plan): Choice[] {
  const value = `${plan.id} ${plan.hash}`;
  const approve: Choice = { asks: 'approve', label: 'Approve…', value, confirm: approveConfirm(plan) };
  return [
    ...(plan.confirm === null ? [approve] : []),
    ...(plan.edits.length > 0 ? [{ asks: 'edit' as const, label: 'Edit…', value }] : []),
    { asks: 'reject', label: 'Reject', value },
  ];
}

type Detailed = Pick<Plan, 'steps' | 'hazards'> & Parameters<typeof doubtBlocks>[0];

type Shorten = (text: string, most: number) => string;

const MOST_NOTES = 8;

/** Steps and notes of a plan, with its impact between them. */
export function detailBlocks(plan: Detailed, impact: readonly Block[], shorten: Shorten = (text) => text): Block[] {
  const notes = notesOf(plan).map((says) => [shorten(says, 250)]);
  const numbered = plan.steps.map(({ n, says }) => [shorten(`${n}. ${says}`, 150)]);
  return [...list('Steps', numbered), ...impact, ...list('Notes', notes), ...doubtBlocks(plan)];
}

/** The reply under a plan: its steps, the commands that roll it back, the whole diff and all notes. */
export function planThread(plan: Plan): Message {
  const diff = diffOf(plan.diff);
  const back = rollbackLines(plan);
  let isCut = diff.left > 0 || back.isCut || plan.hazards.length > MOST_NOTES;
  const shorten: Shorten = (text, most) => {
    const cut = clip(text, most);
    isCut ||= cut !== text;
    return cut;
  };
  const { outage, supply, cost } = plan;
  // The card may have cut it.
  const impact = list('Impact', [
    [`Outage: ${shorten(outage.says, 290)}`],
    [shorten(supply, 300)],
    [shorten(cost, 300)],
  ]);
  const details = detailBlocks({ ...plan, hazards: plan.hazards.slice(0, MOST_NOTES) }, impact, shorten);
  return flatten({
    summary: clip(`Details of the plan: ${planTitle(plan)}.`, 300),
    blocks: [
      { kind: 'headline', mark: 'info', spans: [plain(`Details: ${planTitle(plan)}`)] },
      ...details,
      ...(diff.lines.length === 0 ? [] : [quote('Whole diff', [...diff.lines])]),
      quote('Rollback commands', back.lines),
      ...(isCut
        ? [paragraph('Not all of it fits here. In a terminal, ', code(`oom plan ${plan.incidentId}`), ' prints all.')]
        : []),
      note('incident ', code(plan.incidentId), ' · proposed by ', user(plan.proposedBy), ...profileWords(plan)),
    ],
  });
}

function profileWords({ profile }: Plan): Words {
  return profile === null ? [] : [` · profile ${profile}`];
}

// Half a command is worse than none: it would be pasted.
const COMMAND = 500;
const COMMANDS = 1_300;

function rollbackLines({ steps }: Plan): { lines: string[]; isCut: boolean } {
  const all = steps.toReversed().flatMap((step) => (step.kind === 'write' ? [step] : []));
  if (all.length === 0) return { lines: ['# nothing to roll back'], isCut: false };
  let left = COMMANDS;
  const lines = all.map(({ n, inverseCommand }) => {
    const isLong = inverseCommand.length > Math.min(COMMAND, left);
    const line = isLong ? `# step ${n}: command too long; use the button` : inverseCommand;
    left -= line.length;
    return { line, isLong };
  });
  return { lines: lines.map(({ line }) => line), isCut: lines.some(({ isLong }) => isLong) };
}

import { z } from 'zod';
import { AnyBlock, SURFACES } from './blocks.ts';
import { countText } from './count.ts';
import { type LimitProblem, toLimitProblems } from './limit-errors.ts';
import { id, plainText } from './texts.ts';

// Slack's limits, in one place: the edge checks what it sends, and the stand-in (src/standins/slack) imports this file to
// refuse what Slack would refuse. Sources stand in the project's Slack facts; where sources differ, the smaller number.

export type { LimitProblem } from './limit-errors.ts';
export { countText };

/** Slack's hard limits of a whole message or view. */
export const LIMITS = {
  messageBlocks: 50,
  viewBlocks: 100,
  // No number is published; refused from about here on.
  countedText: 13_200,
  postText: 40_000,
  updateTextBytes: 4_000,
  tableText: 10_000,
  charts: 2,
} as const;

/** What our own builders stay below. */
export const CAPS = {
  messageBlocks: 40,
  viewBlocks: 80,
  countedText: 10_000,
  text: 300,
  sectionText: 2_900,
  fieldText: 1_900,
  contextText: 1_000,
  paragraphText: 2_900,
  quoteText: 1_800,
  // The longest quote of a card with its place, so that no figure at its end is lost.
  quoteLine: 580,
  cellText: 200,
  listItems: 15,
  itemText: 600,
  titleText: 150,
  tasks: 12,
  chartPoints: 20,
  chartLabel: 20,
  chartTitle: 50,
  buttonText: 75,
  plainText: 3_000,
  plainTextBytes: 3_800,
} as const;

type Sent = { readonly text?: unknown; readonly blocks?: unknown };

/** Every breach in a message, in Slack's words; empty where Slack would take it. `update` has a smaller limit for `text`. */
export function validateMessage(message: Sent, method: 'post' | 'update' = 'post'): LimitProblem[] {
  const problems = checkText(message, method);
  if (message.blocks === undefined) return problems;
  const parsed = z.array(AnyBlock).max(LIMITS.messageBlocks).safeParse(message.blocks);
  if (!parsed.success) return [...problems, ...under('/blocks', toLimitProblems(parsed.error, message.blocks))];
  return [...problems, ...checkBlocks(parsed.data, 'M'), ...checkBudget(parsed.data)];
}

const blocks = z.array(AnyBlock).max(LIMITS.viewBlocks);

const Modal = z.strictObject({
  type: z.literal('modal'),
  title: plainText(24),
  submit: plainText(24).optional(),
  close: plainText(24).optional(),
  blocks,
  private_metadata: z.string().max(3000).optional(),
  callback_id: id().optional(),
});
const Home = z.strictObject({ type: z.literal('home'), blocks });

/** Every breach in a modal view. */
export function validateView(view: unknown): LimitProblem[] {
  const parsed = Modal.safeParse(view);
  if (!parsed.success) return toLimitProblems(parsed.error, view);
  const problems = checkBlocks(parsed.data.blocks, 'V');
  if (parsed.data.submit === undefined && parsed.data.blocks.some((b) => b.type === 'input'))
    problems.push(problem('/submit', 'missing required field: submit'));
  return problems;
}

/** Every breach in an App Home view. */
export function validateHome(view: unknown): LimitProblem[] {
  const parsed = Home.safeParse(view);
  return parsed.success ? checkBlocks(parsed.data.blocks, 'H') : toLimitProblems(parsed.error, view);
}

/** A problem as it stands in `response_metadata.messages` of an answer. */
export function formatProblem(found: LimitProblem): string {
  return `[ERROR] ${found.message} [json-pointer:${found.pointer}]`;
}

function checkText(message: Sent, method: 'post' | 'update'): LimitProblem[] {
  const { text, blocks } = message;
  if (text === undefined || text === '')
    return Array.isArray(blocks) && blocks.length > 0 ? [] : [problem('/text', 'no text or blocks given', 'no_text')];
  if (typeof text !== 'string') return [problem('/text', 'must provide a valid string', 'invalid_arguments')];
  const tooLong = method === 'post' ? text.length > LIMITS.postText : Buffer.byteLength(text) > LIMITS.updateTextBytes;
  return tooLong ? [problem('/text', 'text is too long', 'msg_too_long')] : [];
}

function checkBlocks(blocks: readonly AnyBlock[], surface: string): LimitProblem[] {
  const problems: LimitProblem[] = [];
  const ids = new Set<string>();
  blocks.forEach((block, index) => {
    const at = `/blocks/${index}`;
    if (!SURFACES[block.type].includes(surface))
      problems.push(problem(`${at}/type`, `unsupported type: ${block.type}`));
    if (block.block_id !== undefined && ids.has(block.block_id))
      problems.push(problem(`${at}/block_id`, `block_id already exists: ${block.block_id}`));
    if (block.block_id !== undefined) ids.add(block.block_id);
    problems.push(...checkActionIds(block, at), ...checkCells(block, at));
  });
  return problems;
}

function checkActionIds(block: AnyBlock, at: string): LimitProblem[] {
  if (block.type !== 'actions') return [];
  const seen = new Set<string>();
  return block.elements.flatMap((element, index) => {
    const twice = seen.has(element.action_id);
    seen.add(element.action_id);
    const pointer = `${at}/elements/${index}/action_id`;
    return twice ? [problem(pointer, `action_id already exists: ${element.action_id}`)] : [];
  });
}

function checkCells(block: AnyBlock, at: string): LimitProblem[] {
  return block.type === 'table' && countText(block.rows) > LIMITS.tableText
    ? [problem(`${at}/rows`, `must be less than ${LIMITS.tableText + 1} characters over all cells`)]
    : [];
}

function checkBudget(blocks: readonly AnyBlock[]): LimitProblem[] {
  const count = (type: AnyBlock['type']): number => blocks.filter((b) => b.type === type).length;
  const broken: readonly (readonly [boolean, string, string])[] = [
    [count('table') > 1, 'only one table is allowed in a message', 'only_one_table_allowed'],
    [count('plan') > 1, 'only one plan is allowed in a message', 'invalid_blocks'],
    [count('data_visualization') > LIMITS.charts, `no more than ${LIMITS.charts} charts allowed`, 'invalid_blocks'],
    [countText(blocks) > LIMITS.countedText, 'the text of all blocks is too long', 'msg_blocks_too_long'],
  ];
  return broken.flatMap(([is, message, code]) => (is ? [problem('/blocks', message, code)] : []));
}

function problem(pointer: string, message: string, code = 'invalid_blocks'): LimitProblem {
  return { pointer, message, code };
}

function under(prefix: string, problems: readonly LimitProblem[]): LimitProblem[] {
  return problems.map((p) => ({ ...p, pointer: `${prefix}${p.pointer}` }));
}

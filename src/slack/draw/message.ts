import type { Block, Message } from '../../model/message.ts';
import { CAPS, countText, LIMITS } from '../limits/message-limits.ts';
import {
  drawChoices,
  drawHeadline,
  drawList,
  drawNote,
  drawNoteSpans,
  drawParagraph,
  drawPlan,
  drawQuote,
  drawRow,
  drawSparklines,
  drawStepLines,
  drawSummary,
  type SlackBlock,
} from './blocks.ts';
import { drawChart } from './chart.ts';

export type { SlackBlock } from './blocks.ts';
export type Drawing = { readonly text: string; readonly blocks: SlackBlock[] };
export type HomeView = { readonly type: 'home'; readonly blocks: SlackBlock[] };

/** A neutral message as Slack draws it. Headlines come first, what does not fit is left out and said so; never throws. */
export function drawMessage(message: Message): Drawing {
  const page = createPage('message', CAPS.messageBlocks);
  drawOn(page, message);
  return { text: drawSummary(message.summary), blocks: finish(page) };
}

/** Neutral messages one below the other as an App Home view. */
export function drawHome(messages: readonly Message[]): HomeView {
  const page = createPage('home', CAPS.viewBlocks);
  messages.forEach((message, index) => {
    if (index > 0) put(page, { type: 'divider' });
    drawOn(page, message);
  });
  return { type: 'home', blocks: finish(page) };
}

// Slack allows one plan and two charts a message, and none of plan and chart in the Home tab.
type Page = {
  readonly blocks: SlackBlock[];
  readonly maxBlocks: number;
  textLeft: number;
  plans: number;
  charts: number;
  cut: number;
};

function createPage(surface: 'message' | 'home', maxBlocks: number): Page {
  const inMessage = surface === 'message';
  return {
    blocks: [],
    // One block is kept for saying what was left out.
    maxBlocks: maxBlocks - 1,
    textLeft: CAPS.countedText - 200,
    plans: inMessage ? 1 : 0,
    charts: inMessage ? LIMITS.charts : 0,
    cut: 0,
  };
}

function drawOn(page: Page, message: Message): void {
  const choices = message.choices ?? [];
  const buttons = choices.length > 0 ? drawChoices(choices, message.menu) : undefined;
  // Buttons are booked first: they are what is asked of the reader.
  if (buttons !== undefined) page.textLeft -= countText(buttons);
  const heads = message.blocks.filter((b) => b.kind === 'headline');
  const rest = message.blocks.filter((b) => b.kind !== 'headline');
  const isPlaced = rest.some(({ kind }) => kind === 'buttons');
  const room = page.maxBlocks - (buttons === undefined ? 0 : 1);
  const press = () => {
    if (buttons !== undefined && page.blocks.length < page.maxBlocks) page.blocks.push(withUniqueIds(buttons, page));
  };
  for (const block of [...heads, ...rest]) {
    if (block.kind === 'buttons') press();
    else if (page.blocks.length < room) put(page, draw(block, page));
    else page.cut += 1;
  }
  if (!isPlaced) press();
}

function put(page: Page, block: SlackBlock): void {
  const cost = countText(block);
  if (page.blocks.length >= page.maxBlocks || cost > page.textLeft) {
    page.cut += 1;
    return;
  }
  page.textLeft -= cost;
  page.blocks.push(block);
}

function draw(block: Exclude<Block, { kind: 'buttons' }>, page: Page): SlackBlock {
  switch (block.kind) {
    case 'headline':
      return drawHeadline(block);
    case 'paragraph':
      return drawParagraph(block.spans);
    case 'list':
      return drawList(block);
    case 'quote':
      return drawQuote(block);
    case 'progress':
      return block.steps.length > 0 && page.plans-- > 0 ? drawPlan(block) : drawStepLines(block);
    case 'chart':
      return drawPicture(block, page);
    case 'row':
      return { ...drawRow(block), block_id: `oom:row:${page.blocks.length}` };
    case 'note':
      return drawNoteSpans(block.spans);
  }
}

function drawPicture(block: Extract<Block, { kind: 'chart' }>, page: Page): SlackBlock {
  const chart = page.charts > 0 ? drawChart(block) : undefined;
  if (chart === undefined) return drawSparklines(block);
  page.charts -= 1;
  return chart;
}

// Several messages share one Home view; their blocks of buttons are told apart by their place in it.
function withUniqueIds(buttons: SlackBlock, page: Page): SlackBlock {
  return { ...buttons, block_id: `oom:choices:${page.blocks.length}` };
}

function finish(page: Page): SlackBlock[] {
  if (page.cut > 0) page.blocks.push(drawNote(`${page.cut} more parts do not fit in this message.`));
  return page.blocks;
}

import type { KnownBlock, Overflow, PlanBlock, RichTextBlock, SectionBlock } from '@slack/types';
import type { Block, Choice, Confirm, Span } from '../../model/message.ts';
import type { DataVisualization } from '../limits/charts.ts';
import { CAPS } from '../limits/message-limits.ts';
import { sparklines } from './chart.ts';
import { toMrkdwn, toRich } from './spans.ts';
import { clip, defuse, EMOJI, escapeWithin, literal, oneLine } from './text.ts';

export type SlackBlock = KnownBlock | DataVisualization;
type Of<K extends Block['kind']> = Extract<Block, { kind: K }>;

export function drawHeadline(block: Of<'headline'>): SectionBlock {
  const words = `${EMOJI[block.mark]} ${toMrkdwn(block.spans, CAPS.sectionText - 8)}`;
  return { type: 'section', text: { type: 'mrkdwn', text: words, verbatim: true } };
}

export function drawParagraph(spans: readonly Span[]): RichTextBlock {
  return rich([{ type: 'rich_text_section', elements: toRich(spans, CAPS.paragraphText) }]);
}

export function drawList(block: Of<'list'>): RichTextBlock {
  const more = block.items.length - CAPS.listItems;
  const shown = more > 0 ? block.items.slice(0, CAPS.listItems - 1) : block.items;
  const rest: Span[][] = more > 0 ? [[{ kind: 'plain', text: `and ${more + 1} more` }]] : [];
  const items = [...shown, ...rest].map((spans) => ({
    type: 'rich_text_section' as const,
    elements: toRich(spans, CAPS.itemText),
  }));
  return rich([...title(block.title), { type: 'rich_text_list', style: 'bullet', elements: items }]);
}

/** One line with its menu at the right. */
export function drawRow({ spans, menu }: Of<'row'>): SectionBlock {
  const text = { type: 'mrkdwn' as const, text: toMrkdwn(spans, CAPS.itemText), verbatim: true };
  return { type: 'section', text, accessory: drawMenu(menu) };
}

export function drawQuote(block: Of<'quote'>): RichTextBlock {
  return preformatted(block.title, block.lines);
}

/** Text in which nothing acts: for log lines, and for charts where no picture fits. */
function preformatted(heading: string, lines: readonly string[]): RichTextBlock {
  const text = clip(lines.map((line) => literal(line, CAPS.quoteLine)).join('\n'), CAPS.quoteText);
  return rich([...title(heading), { type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }]);
}

export function drawSparklines(block: Of<'chart'>): RichTextBlock {
  const lines = sparklines(block);
  return preformatted(block.title, lines.length > 0 ? lines : ['no samples']);
}

const STATUS = {
  pending: 'pending',
  running: 'in_progress',
  done: 'complete',
  failed: 'error',
  skipped: 'complete',
} as const;

type Step = Of<'progress'>['steps'][number];

/** A plan with one card per step. Slack knows no "skipped": the card is complete and its title says so. */
export function drawPlan(block: Of<'progress'>): PlanBlock {
  return {
    type: 'plan',
    title: oneLine(block.title, CAPS.titleText),
    tasks: block.steps.slice(0, CAPS.tasks).map((step, index) => ({
      type: 'task_card',
      task_id: `${index}-${oneLine(step.id, 60)}`,
      title: oneLine(wordsOf(step), CAPS.titleText),
      status: STATUS[step.status],
      ...(step.detail === undefined ? {} : { details: drawDetail(step.detail) }),
    })),
  };
}

const STEP_EMOJI = { pending: '▫️', running: '⏳', done: '✅', failed: '🔴', skipped: '➖' } as const;

/** The same steps where no plan can stand. */
export function drawStepLines(block: Of<'progress'>): RichTextBlock {
  const lines = block.steps.map(
    (step) => `${STEP_EMOJI[step.status]} ${wordsOf(step)}${step.detail === undefined ? '' : ` – ${step.detail}`}`,
  );
  return preformatted(block.title, lines.length > 0 ? lines : ['nothing to do']);
}

export function drawNote(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] };
}

export function drawNoteSpans(spans: readonly Span[]): KnownBlock {
  return drawNote(toMrkdwn(spans, CAPS.contextText));
}

/** Buttons, and a menu behind them; a number ends each id, since Slack refuses two alike in one block. */
export function drawChoices(choices: readonly Choice[], menu: readonly Choice[] = []): KnownBlock {
  const buttons = choices.slice(0, 5).map((choice, index) => ({
    type: 'button' as const,
    action_id: `oom:${choice.asks}:${index}`,
    text: plainText(choice.label, CAPS.buttonText),
    value: choice.value.slice(0, 2000).toWellFormed(),
    ...styleOf(choice),
    ...(choice.confirm === undefined ? {} : { confirm: drawConfirm(choice.confirm, choice) }),
  }));
  return { type: 'actions', elements: menu.length === 0 ? buttons : [...buttons, drawMenu(menu)] };
}

function drawMenu(menu: readonly Choice[]): Overflow {
  const options = menu.map((choice) => ({
    text: plainText(choice.label, CAPS.buttonText),
    value: `${choice.asks} ${choice.value}`.slice(0, 150).toWellFormed(),
  }));
  return { type: 'overflow', action_id: 'oom:menu:0', options };
}

// What changes production; all others are plain.
const STYLES: Readonly<Partial<Record<Choice['asks'], 'primary' | 'danger'>>> = {
  approve: 'primary',
  abort: 'danger',
  'go-on': 'danger',
  'roll-back': 'danger',
};

function styleOf({ asks }: Choice): { style?: 'primary' | 'danger' } {
  const style = STYLES[asks];
  return style === undefined ? {} : { style };
}

function drawConfirm({ title, text, yes }: Confirm, choice: Choice) {
  return {
    title: plainText(title, 100),
    text: plainText(text, 300),
    confirm: plainText(yes, 30),
    deny: plainText('Cancel', 30),
    ...styleOf(choice),
  };
}

function plainText(text: string, max: number) {
  return { type: 'plain_text' as const, text: oneLine(text, max), emoji: false };
}

/** A sentence for the notification and for clients without blocks. */
export function drawSummary(summary: string): string {
  return escapeWithin(defuse(oneLine(summary, CAPS.text)), CAPS.text);
}

function wordsOf(step: Step): string {
  return step.status === 'skipped' ? `${step.title} (skipped)` : step.title;
}

function drawDetail(text: string): RichTextBlock {
  return rich([{ type: 'rich_text_section', elements: [{ type: 'text', text: literal(text, CAPS.itemText) }] }]);
}

function title(text: string): RichTextBlock['elements'] {
  if (text.trim() === '') return [];
  const words = { type: 'text' as const, text: oneLine(text, CAPS.titleText), style: { bold: true } };
  return [{ type: 'rich_text_section', elements: [words] }];
}

function rich(elements: RichTextBlock['elements']): RichTextBlock {
  return { type: 'rich_text', elements };
}

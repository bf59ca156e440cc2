import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import * as words from '../../src/report/acting-words.ts';
import { helpMessage } from '../../src/report/help.ts';
import { planCard, planThread } from '../../src/report/plan-card.ts';
import { runCard } from '../../src/report/run-card.ts';
import { noStore } from '../../src/report/status.ts';
import { drawMessage, type SlackBlock } from '../../src/slack/draw/message.ts';
import { RUNS, stopBleed } from './acting-messages.ts';

const typed = { ...stopBleed, confirm: 'vllm-server' };
const REASONS = 'no-such-plan changed expired own-plan already-used already-rejected replaced busy paused'.split(' ');
const UNLIKE = /[“”‘’…–—ˋ∗＿]/;

const MESSAGES: readonly (readonly [string, Message])[] = [
  ...REASONS.map((why) => [`a click refused: ${why}`, words.clickRefused(why)] as const),
  ...['expired', 'replaced', 'already-rejected'].map(
    (why) => [`a plan that is ${why}`, words.planEnded(why, 'plan_1')] as const,
  ),
  ['a name to type', words.needsTyping(typed, '/oom')],
  ['words not known', words.wordsUnknown('--withot', 'abort')],
  ['break-glass without reason', words.breakGlassRefused('no-reason', 'plan_1', '/oom')],
  ['break-glass not allowed', words.breakGlassRefused('not-allowed', 'plan_1', '/oom')],
  ['no acting', words.noActing()],
  ['no form', words.formNotOpened()],
  ['no store', noStore('data/oom.db', 'status')],
  ['help', helpMessage('/oom', { acting: true })],
  ['a plan', planCard(typed)],
  ['its thread', planThread(stopBleed)],
  ...Object.entries(RUNS).map(([name, run]) => [`a run, ${name}`, runCard(run, stopBleed)] as const),
];

type Piece = { readonly type: string; readonly text: string; readonly style?: { readonly code?: boolean } };

/** All that is literal in Slack: rich text, buttons, dialogs. */
function piecesIn(value: unknown): Piece[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'text' in value && typeof value.text === 'string' && 'type' in value ? [value as Piece] : [];
  return [...own, ...Object.values(value).flatMap(piecesIn)];
}

const preformatted = (blocks: readonly SlackBlock[]): Piece[] =>
  blocks
    .flatMap((block) => (block.type === 'rich_text' ? block.elements : []))
    .filter(({ type }) => type === 'rich_text_preformatted')
    .flatMap(piecesIn);

describe.each(MESSAGES)('%s', (_, message) => {
  const { text, blocks } = drawMessage(message);

  it('shows no literal backtick', () => {
    expect(text).not.toMatch(/[`ˋ]/);
    for (const piece of piecesIn(blocks)) if (piece.type !== 'mrkdwn') expect(piece.text).not.toContain('`');
  });

  it('has what people copy as it is typed', () => {
    const copied = [...piecesIn(blocks).filter(({ style }) => style?.code === true), ...preformatted(blocks)];

    for (const piece of copied) expect(piece.text).not.toMatch(UNLIKE);
  });
});

it('a command in a code span survives: flags keep their dashes, quotes stay straight', () => {
  const { blocks } = drawMessage(words.breakGlassRefused('no-reason', 'plan_1', '/oom'));

  expect(piecesIn(blocks).map(({ text }) => text)).toContain('/oom approve plan_1 --break-glass="why it cannot wait"');
});

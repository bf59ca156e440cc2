import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import type { Plan, Run } from '../../src/model/plan.ts';
import { actingPaused, actRefused, brokeGlass, planRefused } from '../../src/report/acting-words.ts';
import { planCard, planReminder, planThread } from '../../src/report/plan-card.ts';
import { planDetails, planPage } from '../../src/report/plan-page.ts';
import { runCard, runReport } from '../../src/report/run-card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { drawPlain } from '../../src/slack/draw/plain.ts';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { examplePlan, exampleRun } from '../model/plan-examples.ts';
import { AS_TEXT } from './inputs.ts';

// What may stand in reasons, events, annotations, image names, warnings and admission messages.
const EVIL: readonly (readonly [string, string])[] = [
  ['a mention', '<!channel> <!here> <@U_STRANGER> <#C_LLM> <https://evil.example|Approve>'],
  ['styles', '*bold* _it_ ~no~ `code` ```block``` :fire: > quote'],
  ['a forged line', 'x\nFORGED: everything is verified\r\nFORGED'],
  ['separators', 'x\u2028FORGED\u2029FORGED\u0085FORGED'],
  ['escape sequences', '\u001b[2J\u001b[1;31mred\u001b]0;title\u0007\u009b31m'],
  ['turned letters', '\u202etxet\u202c \u2066x\u2069 \u200fy\u200e \u061cz'],
  ['ten thousand characters', 'a<&>'.repeat(2500)],
  ['half a character', `${'😀'.repeat(200)}\ud83d`],
];

/** What would act on a terminal or a client, or turn what is read. */
const ACTS = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

function evilPlan(text: string): Plan {
  const [write, ...rest] = examplePlan.steps;
  if (write?.kind !== 'write') throw new Error('no write');
  const name = text;
  return {
    ...examplePlan,
    profile: text,
    target: { ...examplePlan.target, object: { ...examplePlan.target.object, name }, container: text },
    steps: [{ ...write, says: text, command: text, inverseCommand: text }, ...rest],
    diff: `-  image: ${text}\n+  image: ${text}\n`,
    outage: { ms: null, says: text },
    supply: text,
    cost: text,
    hazards: [{ id: 'x', says: text, done: text, blocks: false }],
    certain: false,
    confirm: text,
  };
}

function evilRun(text: string): Run {
  return {
    ...exampleRun,
    target: evilPlan(text).target,
    steps: exampleRun.steps.map((step) => ({ ...step, message: text })),
    checks: [{ check: 'restarts', answer: 'no', says: text }],
    outcome: text,
    state: 'failed',
  };
}

const cards = (text: string): readonly (readonly [string, Message])[] => [
  ['the plan', planCard(evilPlan(text))],
  ['the page of the plan', planPage(evilPlan(text))],
  ['the run', runCard(evilRun(text), evilPlan(text))],
  [
    'a held run',
    runCard({ ...evilRun(text), state: 'running', outcome: null }, evilPlan(text), { by: text, reason: text }),
  ],
  ['a refused plan', planRefused(text, text, text)],
  ['a refusal', actRefused(text, text)],
  ['the thread of the plan', planThread(evilPlan(text))],
  ['the details of the plan', planDetails(evilPlan(text))],
  ['the reminder', planReminder(evilPlan(text), {})],
  ['the report', runReport(evilRun(text), evilPlan(text))],
  ['a pause', actingPaused(text, text)],
  ['break-glass', brokeGlass(text, text, text)],
];

/** Texts in which Slack interprets something; rich text is literal. */
const mrkdwnIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { type, text } = value as { type?: unknown; text?: unknown };
  const own = type === 'mrkdwn' && typeof text === 'string' ? [text] : [];
  return [...own, ...Object.values(value).flatMap(mrkdwnIn)];
};

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

describe.each(EVIL)('%s in foreign text', (_, text) => {
  it.each(cards(text))('does nothing in Slack or a terminal and forges no line on %s', (_name, message) => {
    const drawn = drawMessage(message);

    expect(validateMessage(drawn, 'post')).toEqual([]);
    for (const one of [drawn.text, drawPlain(message), ...mrkdwnIn(drawn.blocks)]) {
      expect(one).not.toMatch(/<!(?!date\^)|<#|<@U_STRANGER|<https/);
      // In a code span nothing is interpreted.
      expect(one.replace(/`[^`\n]*`/g, '')).not.toMatch(/\*bold\*|_it_|~no~|:fire:/);
    }
    for (const one of [drawn.text, drawPlain(message), ...stringsIn(drawn.blocks)]) {
      expect(one).not.toMatch(ACTS);
      expect(one.isWellFormed()).toBe(true);
    }
    expect(JSON.stringify(drawn.blocks)).not.toContain('"broadcast"');
    expect(drawTerminal(message, AS_TEXT)).not.toMatch(ACTS);
    for (const one of stringsIn({ ...message, choices: undefined })) expect(one).not.toMatch(/[\n\r]\s*FORGED/);
  });
});

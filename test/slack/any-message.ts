import fc from 'fast-check';
import { expect } from 'vitest';
import type { Block, Message } from '../../src/model/message.ts';
import { drawHome, drawMessage } from '../../src/slack/draw/message.ts';
import { drawPlain } from '../../src/slack/draw/plain.ts';
import { CAPS, validateHome, validateMessage } from '../../src/slack/limits/message-limits.ts';

const HOSTILE = [
  '<!channel>',
  '<@U_STRANGER>',
  '*bold*',
  '`x`',
  '```',
  '\u001b[31mred',
  '\ud800',
  '&amp;',
  '> quote',
  '',
];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(...HOSTILE),
  fc.integer({ min: 1, max: 9000 }).map((n) => '<&>*'.repeat(n).slice(0, n)),
);
const mark = fc.constantFrom('ok' as const, 'warn' as const, 'bad' as const, 'unknown' as const, 'info' as const);
const number = fc.oneof(fc.double(), fc.integer({ min: 0, max: 2_000_000_000_000 }));
const few = <T>(arb: fc.Arbitrary<T>, max = 12) => fc.array(arb, { minLength: 1, maxLength: max });

const span = fc.oneof(
  text.map((t) => ({ kind: 'plain' as const, text: t })),
  text.map((t) => ({ kind: 'bold' as const, text: t })),
  text.map((t) => ({ kind: 'code' as const, text: t })),
  fc.record({
    kind: fc.constant('link' as const),
    text,
    url: fc.constantFrom(
      'https://example.com/a?b=<c>|d',
      'javascript:alert(1)',
      `https://example.com/${'x'.repeat(4000)}`,
    ),
  }),
  fc.constantFrom('U_ONCALL', '<!here>', '').map((id) => ({ kind: 'user' as const, id })),
  fc.constantFrom('S_APPROVERS', '<!here>', '').map((id) => ({ kind: 'group' as const, id })),
  number.map((at) => ({ kind: 'time' as const, at })),
);
const spans = few(span);
const step = fc.record({
  id: text,
  title: text,
  status: fc.constantFrom(
    'pending' as const,
    'running' as const,
    'done' as const,
    'failed' as const,
    'skipped' as const,
  ),
  detail: fc.option(text, { nil: undefined }),
});
const series = fc.record({ name: text, points: fc.array(fc.tuple(number, number), { maxLength: 60 }) });

const choice = fc.record({
  asks: fc.constantFrom('triage-candidate' as const, 'explain' as const),
  label: text.filter((t) => t.length > 0),
  value: text.filter((t) => t.length > 0).map((t) => t.slice(0, 2000)),
});

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant('headline' as const), mark, spans }),
  fc.record({ kind: fc.constant('paragraph' as const), spans }),
  fc.record({ kind: fc.constant('buttons' as const) }),
  fc.record({ kind: fc.constant('list' as const), title: text, items: few(spans, 30) }),
  fc.record({ kind: fc.constant('quote' as const), title: text, lines: few(text, 40) }),
  fc.record({ kind: fc.constant('progress' as const), title: text, steps: fc.array(step, { maxLength: 20 }) }),
  fc.record({ kind: fc.constant('chart' as const), title: text, unit: text, series: few(series, 6) }),
  fc.record({ kind: fc.constant('note' as const), spans }),
  fc.record({ kind: fc.constant('row' as const), spans, menu: few(choice, 5) }),
);

/** Any message that the neutral schema allows, hostile and oversized ones above all. */
const anyMessage: fc.Arbitrary<Message> = fc.record({
  summary: text.filter((t) => t.length > 0).map((t) => t.slice(0, 300)),
  blocks: fc.array(block, { maxLength: 60 }),
  choices: fc.option(fc.array(choice, { maxLength: 5 }), { nil: undefined }),
});

/** Whatever a message holds: it is drawn within Slack's limits, and mentions nobody but whom we name. */
export function anyMessageHolds(numRuns: number): void {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const drawn = drawMessage(message);
      const text = drawPlain(message);

      expect(validateMessage(drawn, 'post')).toEqual([]);
      expect(validateMessage(drawn, 'update')).toEqual([]);
      expect(drawn.blocks.length).toBeLessThanOrEqual(CAPS.messageBlocks);
      expect(validateHome(drawHome([message, message]))).toEqual([]);
      for (const one of [drawn.text, ...strings(drawn.blocks)])
        expect(one).not.toMatch(/<!(?!date\^|subteam\^S_APPROVERS>)|<#|<@(?!U_ONCALL>)/);
      expect(JSON.stringify(drawn.blocks)).not.toContain('"broadcast"');
      expect(validateMessage({ text }, 'update')).toEqual([]);
      expect(text).not.toMatch(/<[!@#]/);
    }),
    { numRuns, seed: 20260115 },
  );
}

// The texts of mrkdwn objects: only there does Slack interpret anything.
function strings(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(strings);
  if (typeof value !== 'object' || value === null) return [];
  const object = value as Record<string, unknown>;
  return object.type === 'mrkdwn' ? [String(object.text)] : Object.values(object).flatMap(strings);
}

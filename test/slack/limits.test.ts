import { describe, expect, it } from 'vitest';
import { formatProblem, validateHome, validateMessage, validateView } from '../../src/slack/limits/message-limits.ts';

const long = (n: number): string => 'x'.repeat(n);
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = (more: object = {}) => ({
  type: 'button',
  action_id: 'a',
  text: { type: 'plain_text', text: 'Go' },
  ...more,
});
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const cell = (text: string) => ({ type: 'raw_text', text });
const table = (rows: object[][]) => ({ type: 'table', rows });
const line = (points: number, name = 'used', categories = points) => ({
  type: 'data_visualization',
  title: 'GPU',
  chart: {
    type: 'line',
    series: [{ name, data: Array.from({ length: points }, (_, i) => ({ label: `${i}`, value: i })) }],
    axis_config: { categories: Array.from({ length: categories }, (_, i) => `${i}`) },
  },
});
const rich = (n: number) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: long(n) }] }],
});
const repeat = <T>(n: number, one: T): T[] => Array.from({ length: n }, () => one);
const text = 'A sentence.';

// Each pair stands on both sides of a line: what Slack takes, and the next that it refuses.
describe('a message', () => {
  it.each([
    {
      name: 'section text',
      ok: section(long(3000)),
      bad: section(long(3001)),
      says: 'must be less than 3001 characters',
    },
    { name: 'empty text', ok: section('x'), bad: section(''), says: 'must be more than 0 characters' },
    {
      name: 'fields',
      ok: { type: 'section', fields: repeat(10, { type: 'mrkdwn', text: 'x' }) },
      bad: { type: 'section', fields: repeat(11, { type: 'mrkdwn', text: 'x' }) },
      says: 'no more than 10 items allowed',
    },
    {
      name: 'section without anything',
      ok: section('x'),
      bad: { type: 'section' },
      says: 'must have either text or fields',
    },
    {
      name: 'context elements',
      ok: { type: 'context', elements: repeat(10, { type: 'plain_text', text: 'x' }) },
      bad: { type: 'context', elements: repeat(11, { type: 'plain_text', text: 'x' }) },
      says: 'no more than 10 items allowed',
    },
    {
      name: 'button value',
      ok: actions(button({ value: long(2000) })),
      bad: actions(button({ value: long(2001) })),
      says: 'must be less than 2001 characters',
    },
    {
      name: 'button text',
      ok: actions(button({ text: { type: 'plain_text', text: long(75) } })),
      bad: actions(button({ text: { type: 'plain_text', text: long(76) } })),
      says: 'must be less than 76 characters',
    },
    {
      name: 'action ids of one block',
      ok: actions(button(), button({ action_id: 'b' })),
      bad: actions(button(), button()),
      says: 'action_id already exists: a',
    },
    {
      name: 'table rows',
      ok: table(repeat(100, [cell('x')])),
      bad: table(repeat(101, [cell('x')])),
      says: 'no more than 100 items',
    },
    {
      name: 'table cells',
      ok: table([repeat(20, cell('x'))]),
      bad: table([repeat(21, cell('x'))]),
      says: 'no more than 20 items',
    },
    {
      name: 'table text',
      ok: table([[cell(long(10_000))]]),
      bad: table([[cell(long(10_001))]]),
      says: 'over all cells',
    },
    { name: 'chart points', ok: line(20), bad: line(21), says: 'no more than 20 items allowed' },
    { name: 'chart names', ok: line(2, long(20)), bad: line(2, long(21)), says: 'must be less than 21 characters' },
    { name: 'chart categories', ok: line(3), bad: line(3, 'used', 4), says: 'one data point per category' },
    {
      name: 'unknown keys',
      ok: section('x'),
      bad: { ...section('x'), colour: 'red' },
      says: 'invalid additional property: colour',
    },
    { name: 'unknown blocks', ok: section('x'), bad: { type: 'alert', text: 'x' }, says: 'unsupported type: alert' },
    { name: 'missing fields', ok: { type: 'divider' }, bad: { type: 'table' }, says: 'missing required field: rows' },
    {
      name: 'calls to a whole channel',
      ok: rich(1),
      bad: {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'broadcast', range: 'here' }] }],
      },
      says: 'unsupported type: broadcast',
    },
  ])('is held to the limit of $name', ({ ok, bad, says }) => {
    expect(validateMessage({ text, blocks: [ok] })).toEqual([]);

    const [first] = validateMessage({ text, blocks: [bad] });
    expect(first).toMatchObject({ code: 'invalid_blocks', message: expect.stringContaining(says) });
    expect(first?.pointer).toMatch(/^\/blocks\/0/);
  });

  it.each([
    {
      name: 'blocks',
      ok: repeat(50, { type: 'divider' }),
      bad: repeat(51, { type: 'divider' }),
      code: 'invalid_blocks',
    },
    {
      name: 'tables',
      ok: [table([[cell('x')]])],
      bad: repeat(2, table([[cell('x')]])),
      code: 'only_one_table_allowed',
    },
    {
      name: 'plans',
      ok: [{ type: 'plan', title: 'x' }],
      bad: repeat(2, { type: 'plan', title: 'x' }),
      code: 'invalid_blocks',
    },
    { name: 'charts', ok: repeat(2, line(2)), bad: repeat(3, line(2)), code: 'invalid_blocks' },
    { name: 'counted text', ok: [rich(13_200)], bad: [rich(13_201)], code: 'msg_blocks_too_long' },
    {
      name: 'counted entities',
      ok: [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '&'.repeat(2640) }] }],
        },
      ],
      bad: [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '&'.repeat(2641) }] }],
        },
      ],
      code: 'msg_blocks_too_long',
    },
    {
      name: 'block ids',
      ok: [
        { type: 'divider', block_id: 'a' },
        { type: 'divider', block_id: 'b' },
      ],
      bad: repeat(2, { type: 'divider', block_id: 'a' }),
      code: 'invalid_blocks',
    },
  ])('is held to the budget of $name', ({ ok, bad, code }) => {
    expect(validateMessage({ text, blocks: ok })).toEqual([]);
    expect(validateMessage({ text, blocks: bad })[0]?.code).toBe(code);
  });

  it.each([
    { method: 'post' as const, ok: long(40_000), bad: long(40_001) },
    { method: 'update' as const, ok: 'é'.repeat(2_000), bad: `${'é'.repeat(2_000)}x` },
  ])('has a text that $method takes', ({ method, ok, bad }) => {
    expect(validateMessage({ text: ok }, method)).toEqual([]);
    expect(validateMessage({ text: bad }, method)[0]?.code).toBe('msg_too_long');
  });

  it('is not empty', () => {
    expect(validateMessage({ text: '', blocks: [] })[0]?.code).toBe('no_text');
  });

  it('is refused in Slack’s own words', () => {
    const [first] = validateMessage({ text, blocks: [section(long(3001))] });

    expect(formatProblem(first!)).toBe('[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]');
  });
});

describe('a view', () => {
  const input = {
    type: 'input',
    label: { type: 'plain_text', text: 'Why' },
    element: { type: 'plain_text_input', action_id: 'why' },
  };
  const modal = (more: object) => ({
    type: 'modal',
    title: { type: 'plain_text', text: 'Plan' },
    blocks: [section('x')],
    ...more,
  });
  const submit = { type: 'plain_text', text: 'Go' };

  it.each([
    { name: 'title', ok: modal({}), bad: modal({ title: { type: 'plain_text', text: long(25) } }) },
    { name: 'submit of inputs', ok: modal({ blocks: [input], submit }), bad: modal({ blocks: [input] }) },
    {
      name: 'private_metadata',
      ok: modal({ private_metadata: long(3000) }),
      bad: modal({ private_metadata: long(3001) }),
    },
    {
      name: 'blocks',
      ok: modal({ blocks: repeat(100, { type: 'divider' }) }),
      bad: modal({ blocks: repeat(101, { type: 'divider' }) }),
    },
    { name: 'surface', ok: modal({}), bad: modal({ blocks: [table([[cell('x')]])] }) },
  ])('is held to its $name', ({ ok, bad }) => {
    expect(validateView(ok)).toEqual([]);
    expect(validateView(bad)).not.toEqual([]);
  });

  it('of the Home tab holds tables, but no plan and no chart', () => {
    const home = (block: object) => ({ type: 'home', blocks: [block] });

    expect(validateHome(home(table([[cell('x')]])))).toEqual([]);
    expect(validateHome(home(line(2)))[0]?.message).toBe('unsupported type: data_visualization');
    expect(validateHome(home({ type: 'plan', title: 'x' }))[0]?.message).toBe('unsupported type: plan');
  });
});

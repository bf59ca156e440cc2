import { describe, expect, it } from 'vitest';
import { formatProblem, validateHome, validateMessage, validateView } from '../../src/slack/limits/message-limits.ts';

const long = (n: number): string => 'x'.repeat(n);
const repeat = <T>(n: number, one: T): T[] => Array.from({ length: n }, () => one);
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = (more: object = {}) => ({ type: 'button', action_id: 'a', text: plainText('Go'), ...more });
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const withValue = (n: number) => actions(button({ value: long(n) }));
const withLabel = (n: number) => actions(button({ text: plainText(long(n)) }));
const cell = (text: string) => ({ type: 'raw_text', text });
const table = (...rows: object[][]) => ({ type: 'table', rows });
const plainText = (text: string) => ({ type: 'plain_text', text });
const context = (n: number) => ({ type: 'context', elements: repeat(n, plainText('x')) });
const fields = (n: number) => ({ type: 'section', fields: repeat(n, { type: 'mrkdwn', text: 'x' }) });
const rich = (element: object) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [element] }],
});
const richText = (text: string) => rich({ type: 'text', text });
const divider = (block_id?: string) => ({ type: 'divider', ...(block_id && { block_id }) });
const plan = { type: 'plan', title: 'x' };
const line = (points: number, name = 'used', categories = points) => ({
  type: 'data_visualization',
  title: 'GPU',
  chart: {
    type: 'line',
    series: [{ name, data: Array.from({ length: points }, (_, i) => ({ label: `${i}`, value: i })) }],
    axis_config: { categories: Array.from({ length: categories }, (_, i) => `${i}`) },
  },
});
const below = (n: number): string => `must be less than ${n} characters`;
const text = 'A sentence.';

// Each pair stands on both sides of a line: what Slack takes, and the next that it refuses.
describe('a message', () => {
  it.each<[name: string, ok: object, bad: object, says: string]>([
    ['section text', section(long(3000)), section(long(3001)), below(3001)],
    ['empty text', section('x'), section(''), 'must be more than 0 characters'],
    ['fields', fields(10), fields(11), 'no more than 10 items allowed'],
    ['section without anything', section('x'), { type: 'section' }, 'must have either text or fields'],
    ['context elements', context(10), context(11), 'no more than 10 items allowed'],
    ['button value', withValue(2000), withValue(2001), below(2001)],
    ['button text', withLabel(75), withLabel(76), below(76)],
    [
      'action ids of one block',
      actions(button(), button({ action_id: 'b' })),
      actions(button(), button()),
      'action_id already exists: a',
    ],
    ['table rows', table(...repeat(100, [cell('x')])), table(...repeat(101, [cell('x')])), 'no more than 100 items'],
    ['table cells', table(repeat(20, cell('x'))), table(repeat(21, cell('x'))), 'no more than 20 items'],
    ['table text', table([cell(long(10_000))]), table([cell(long(10_001))]), 'over all cells'],
    ['chart points', line(20), line(21), 'no more than 20 items allowed'],
    ['chart names', line(2, long(20)), line(2, long(21)), below(21)],
    ['chart categories', line(3), line(3, 'used', 4), 'one data point per category'],
    ['unknown keys', section('x'), { ...section('x'), colour: 'red' }, 'invalid additional property: colour'],
    ['unknown blocks', section('x'), { type: 'alert', text: 'x' }, 'unsupported type: alert'],
    ['missing fields', divider(), { type: 'table' }, 'missing required field: rows'],
    [
      'calls to a whole channel',
      richText('x'),
      rich({ type: 'broadcast', range: 'here' }),
      'unsupported type: broadcast',
    ],
  ])('is held to the limit of %s', (_, ok, bad, says) => {
    expect(validateMessage({ text, blocks: [ok] })).toEqual([]);

    const [first] = validateMessage({ text, blocks: [bad] });
    expect(first).toMatchObject({ code: 'invalid_blocks', message: expect.stringContaining(says) });
    expect(first?.pointer).toMatch(/^\/blocks\/0/);
  });

  it.each<[name: string, ok: object[], bad: object[], code: string]>([
    ['blocks', repeat(50, divider()), repeat(51, divider()), 'invalid_blocks'],
    ['tables', [table([cell('x')])], repeat(2, table([cell('x')])), 'only_one_table_allowed'],
    ['plans', [plan], repeat(2, plan), 'invalid_blocks'],
    ['charts', repeat(2, line(2)), repeat(3, line(2)), 'invalid_blocks'],
    ['counted text', [richText(long(13_200))], [richText(long(13_201))], 'msg_blocks_too_long'],
    ['counted entities', [richText('&'.repeat(2640))], [richText('&'.repeat(2641))], 'msg_blocks_too_long'],
    ['block ids', [divider('a'), divider('b')], repeat(2, divider('a')), 'invalid_blocks'],
  ])('is held to the budget of %s', (_, ok, bad, code) => {
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
  const input = { type: 'input', label: plainText('Why'), element: { type: 'plain_text_input', action_id: 'why' } };
  const modal = (more: object) => ({ type: 'modal', title: plainText('Plan'), blocks: [section('x')], ...more });

  it.each([
    ['title', {}, { title: plainText(long(25)) }],
    ['submit of inputs', { blocks: [input], submit: plainText('Go') }, { blocks: [input] }],
    ['private_metadata', { private_metadata: long(3000) }, { private_metadata: long(3001) }],
    ['blocks', { blocks: repeat(100, divider()) }, { blocks: repeat(101, divider()) }],
    ['surface', {}, { blocks: [table([cell('x')])] }],
  ])('is held to its %s', (_, ok, bad) => {
    expect(validateView(modal(ok))).toEqual([]);
    expect(validateView(modal(bad))).not.toEqual([]);
  });

  it('of the Home tab holds tables, but no plan and no chart', () => {
    const home = (block: object) => ({ type: 'home', blocks: [block] });

    expect(validateHome(home(table([cell('x')])))).toEqual([]);
    expect(validateHome(home(line(2)))[0]?.message).toBe('unsupported type: data_visualization');
    expect(validateHome(home(plan))[0]?.message).toBe('unsupported type: plan');
  });
});

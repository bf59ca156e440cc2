import { describe, expect, it } from 'vitest';
import { type Block, bold, code, type Message, plain } from '../../src/model/message.ts';
import { drawHome, drawMessage } from '../../src/slack/draw/message.ts';
import { drawPlain } from '../../src/slack/draw/plain.ts';
import { CAPS } from '../../src/slack/limits/message-limits.ts';
import { anyMessageHolds } from './any-message.ts';

const aMessage = (...blocks: Block[]): Message => ({ summary: 'Container RAM ran out in llm/vllm-0.', blocks });
const draw = (...blocks: Block[]) => drawMessage(aMessage(...blocks)).blocks as unknown as Record<string, never>[];
const textOf = (value: unknown): string => JSON.stringify(value);

const aChart = (points: [number, number][], more: { name: string; points: [number, number][] }[] = []): Block => ({
  kind: 'chart',
  title: 'GPU memory',
  unit: 'bytes',
  series: [{ name: 'used', points }, ...more],
});
const minutes = (n: number, value: (i: number) => number): [number, number][] =>
  Array.from({ length: n }, (_, i) => [Date.UTC(2026, 0, 15, 3, i), value(i)]);

it('any message is drawn within Slack’s limits and mentions nobody but whom we name', () => anyMessageHolds(60));

describe('foreign text', () => {
  it.each([
    ['<!channel>', '&lt;!channel&gt;'],
    ['<@U_STRANGER>', '&lt;@U_STRANGER&gt;'],
    ['a & b', 'a &amp; b'],
    ['*bold*', '∗bold∗'],
    ['_it_ and max_model_len', '＿it＿ and max_model_len'],
    ['~gone~', '∼gone∼'],
    ['`code`', 'ˋcodeˋ'],
    [':fire: at 12:30:45', '꞉fire: at 12:30:45'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['a\u202eb', 'ab'],
    ['so\n> quote', 'so\n› quote'],
  ])('%s does nothing in a headline', (text, drawn) => {
    const [headline] = draw({ kind: 'headline', mark: 'bad', spans: [plain(text)] });

    expect(headline).toMatchObject({ text: { type: 'mrkdwn', text: `🔴 ${drawn}`, verbatim: true } });
  });

  it('cannot leave a code span', () => {
    const [headline] = draw({ kind: 'headline', mark: 'bad', spans: [code('a` *b* <!here>'), bold('x* y')] });

    expect(headline).toMatchObject({ text: { text: '🔴 `aˋ *b* &lt;!here&gt;`*x∗ y*' } });
  });

  it('stands as it is where Slack interprets nothing', () => {
    const [quote] = draw({ kind: 'quote', title: 'Log', lines: ['*x* <!channel> `y`'] });

    expect(quote).toMatchObject({
      elements: [{}, { type: 'rich_text_preformatted', elements: [{ type: 'text', text: '*x* <!channel> `y`' }] }],
    });
  });

  it('keeps the end of the longest quotes of a card, where figures stand', () => {
    const lines = Array.from({ length: 3 }, (_, i) => `${'x'.repeat(520)} reserved ${i} GiB`);

    expect(textOf(draw({ kind: 'quote', title: 'Proof', lines }))).toMatch(
      /reserved 0 GiB.*reserved 1 GiB.*reserved 2 GiB/,
    );
  });

  it('in the summary calls nobody', () => {
    expect(drawMessage({ summary: 'pod <!channel> died', blocks: [] }).text).toBe('pod &lt;!channel&gt; died');
  });

  it('is no link unless it leads to the web', () => {
    const link = (url: string) => draw({ kind: 'note', spans: [{ kind: 'link', text: 'docs', url }] });

    expect(textOf(link('https://example.com/a|b'))).toContain('<https://example.com/a%7Cb|docs>');
    expect(textOf(link('javascript:alert(1)'))).not.toContain('javascript');
  });
});

describe('the parts of a message', () => {
  it('keep a line break between spans of a list item', () => {
    const drawn = draw({
      kind: 'list',
      title: 'Evidence',
      items: [[plain('OOMKilled'), plain('\n'), code('pod.json')]],
    });

    expect(textOf(drawn)).toContain('{"type":"text","text":"\\n"}');
  });

  it('come with the headline first and the buttons last', () => {
    const message = aMessage(
      { kind: 'paragraph', spans: [plain('why')] },
      { kind: 'headline', mark: 'bad', spans: [plain('RAM ran out')] },
    );

    const choices = [{ asks: 'explain' as const, label: 'Show the way', value: 'inc_1' }];
    const { blocks } = drawMessage({ ...message, choices });

    expect(blocks.map((b) => b.type)).toEqual(['section', 'rich_text', 'actions']);
    expect(blocks[2]).toMatchObject({ elements: [{ action_id: 'oom:explain:0', value: 'inc_1' }] });
  });

  it('have the buttons where the message says', () => {
    const message = aMessage({ kind: 'buttons' }, { kind: 'paragraph', spans: [plain('why')] });

    const choices = [{ asks: 'explain' as const, label: 'Details', value: 'inc_1' }];

    expect(drawMessage({ ...message, choices }).blocks.map((b) => b.type)).toEqual(['actions', 'rich_text']);
  });

  it('say of a skipped step that it was skipped', () => {
    const statuses = ['running', 'skipped', 'failed'] as const;
    const steps = statuses.map((status) => ({ id: status, title: 'Read metrics', status }));
    const [plan] = draw({ kind: 'progress', title: 'Reading', steps });

    expect(plan).toMatchObject({
      type: 'plan',
      tasks: [
        { status: 'in_progress', title: 'Read metrics' },
        { status: 'complete', title: 'Read metrics (skipped)' },
        { status: 'error' },
      ],
    });
  });

  it('say how many did not fit', () => {
    const blocks = draw(...Array.from({ length: 60 }, (): Block => ({ kind: 'note', spans: [plain('x')] })));

    expect(blocks).toHaveLength(CAPS.messageBlocks);
    expect(textOf(blocks.at(-1))).toContain('21 more parts do not fit');
  });

  it('shorten a long list and count the rest', () => {
    const items = Array.from({ length: 40 }, (_, i) => [plain(`pod ${i}`)]);

    const [list] = draw({ kind: 'list', title: 'Pods', items });

    expect(textOf(list)).toContain('and 26 more');
  });
});

describe('plain text', () => {
  it('is cut by bytes, since updates are limited by them', () => {
    const text = drawPlain(aMessage({ kind: 'quote', title: 'Log', lines: Array(40).fill('日'.repeat(80)) }));

    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(CAPS.plainTextBytes);
    expect(text).toMatch(/日…$/);
  });

  it('says all that the blocks say', () => {
    const text = drawPlain(
      aMessage(
        { kind: 'headline', mark: 'bad', spans: [plain('RAM ran out')] },
        { kind: 'list', title: 'Not ruled out', items: [[plain('a leak')]] },
        { kind: 'progress', title: 'Reading', steps: [{ id: 'l', title: 'Logs', status: 'failed', detail: 'gone' }] },
        { kind: 'note', spans: [{ kind: 'time', at: Date.UTC(2026, 0, 15) }] },
      ),
    );

    for (const words of ['RAM ran out', 'a leak', 'Logs: failed, gone', '2026-01-15']) expect(text).toContain(words);
  });
});

describe('a chart', () => {
  it('keeps the peak when it thins out the points', () => {
    const [chart] = draw(aChart(minutes(600, (i) => (i === 301 ? 79 : 40) * 2 ** 30)));

    const line = (chart as never as { chart: { series: { data: { value: number }[] }[] } }).chart.series[0];
    expect(line?.data).toHaveLength(20);
    expect(Math.max(...(line?.data ?? []).map((p) => p.value))).toBe(79);
    const drawn = { type: 'line', axis_config: { y_label: 'GiB' } };
    expect(chart).toMatchObject({ type: 'data_visualization', chart: drawn });
  });

  const DAY_LATER: [number, number][] = [[Date.UTC(2026, 0, 16), 2]];
  const apart = aChart(
    minutes(20, () => 1),
    [{ name: 'limit', points: DAY_LATER }],
  );
  it.each([
    ['one sample only', aChart([[Date.UTC(2026, 0, 15), 1]])],
    ['no sample', aChart([])],
    ['series that share no time', apart],
  ])('is a line of text with %s', (_, chart) => {
    expect(draw(chart)[0]).toMatchObject({ type: 'rich_text' });
  });

  it('is a line of text from the third on', () => {
    const chart = aChart(minutes(30, (i) => i));

    const types = ['data_visualization', 'data_visualization', 'rich_text'];
    expect(draw(chart, chart, chart).map((b) => b.type)).toEqual(types);
    expect(textOf(draw(chart, chart, chart)[2])).toContain('▁');
  });

  it('is a line of text in the Home tab, as is a plan', () => {
    const view = drawHome([aMessage(aChart(minutes(30, (i) => i)), { kind: 'progress', title: 'Reading', steps: [] })]);

    expect(view.blocks.map((b) => b.type)).toEqual(['rich_text', 'rich_text']);
  });
});

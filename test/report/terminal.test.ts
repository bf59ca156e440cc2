import { describe, expect, it } from 'vitest';
import { type Message, plain } from '../../src/model/message.ts';
import { widthOf } from '../../src/report/terminal/text-width.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { exampleMessage } from '../model/message-examples.ts';
import { AS_TEXT } from './inputs.ts';

const said = (...lines: string[]): Message => ({
  summary: 's',
  blocks: lines.map((line) => ({ kind: 'paragraph', spans: [plain(line)] })),
});
describe('a message on a terminal', () => {
  it.each([40, 60, 69, 70, 80, 120])('keeps to %d columns', (width) => {
    const shown = drawTerminal(exampleMessage, { ...AS_TEXT, width });

    expect(shown.split('\n').filter((line) => widthOf(line) > width)).toEqual([]);
  });

  it.each([
    ['an escape sequence', 'a\u001b[31mb', 'a^[[31mb'],
    ['a carriage return', 'a\rb', 'a^Mb'],
    ['a bell', 'a\u0007b', 'a^Gb'],
    ['a C1 control', 'a\u009bb', 'a\\u009bb'],
    ['a mark that turns the writing', 'a\u202eb', 'a\\u202eb'],
  ])('shows %s and does not send it', (_name, given, shown) => {
    expect(drawTerminal(said(given), AS_TEXT)).toBe(shown);
  });

  it.each([40, 60, 80])('keeps a chart to %d columns, with its legend below where it must', (width) => {
    const points = Array.from({ length: 60 }, (_, i): [number, number] => [i * 60_000, i]);
    const chart: Message = {
      summary: 's',
      blocks: [
        { kind: 'chart', title: 'RAM', unit: 'GiB', series: [{ name: 'working set of the container', points }] },
      ],
    };

    const shown = drawTerminal(chart, { ...AS_TEXT, width });

    expect(shown.replace(/\s+/g, ' ')).toContain('█ working set of the container 0 to 59 GiB, 00:00-00:59 UTC');
    expect(shown.split('\n').filter((line) => widthOf(line) > width)).toEqual([]);
  });

  it.each([
    ['values that still fit', 'weights                            17.20 GiB', ['weights  17.20 GiB']],
    [
      'a value that does not',
      'context, communication, libraries   not known',
      ['context, communication, libraries', '  not known'],
    ],
    [
      'several',
      'each token takes   131,095 bytes   131,095 bytes',
      ['each token takes  131,095 bytes', '  131,095 bytes'],
    ],
    [
      'text with two blanks in it',
      'ERROR 10:47  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate',
      ['ERROR 10:47  torch.OutOfMemoryError:', 'CUDA out of memory. Tried to', 'allocate'],
    ],
  ])('puts columns of a quote below each other where there is no room: %s', (_name, line, shown) => {
    const quote: Message = { summary: 's', blocks: [{ kind: 'quote', title: 't', lines: [line] }] };

    const [, ...lines] = drawTerminal(quote, { ...AS_TEXT, width: 40 }).split('\n');

    expect(lines).toEqual(shown.map((part) => `  ┃ ${part}`));
  });

  it('draws with ASCII alone where asked', () => {
    expect(drawTerminal(exampleMessage, { ...AS_TEXT, unicode: false })).not.toMatch(/[✔▲✖•│┃→▁█]/);
  });

  it('gives a choice as the command to type', () => {
    const message: Message = { ...said('x'), choices: [{ asks: 'explain', label: 'Explain', value: 'inc_1' }] };

    expect(drawTerminal(message, AS_TEXT)).toMatch(/oom explain inc_1$/);
  });

  it('shows the summary where there are no blocks', () => {
    expect(drawTerminal({ summary: 'All is well.', blocks: [] }, AS_TEXT)).toBe('All is well.');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/model/message.ts';
import type { Evidence } from '../../src/model/verdict.ts';
import { card } from '../../src/report/card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { thread } from '../../src/report/thread.ts';
import { exampleSeriesFile, exampleSnapshot } from '../model/examples.ts';
import { AS_TEXT, anInput } from './inputs.ts';

const MB = 1_000_000;
const bytesOf = (text: string | undefined): number => Buffer.byteLength(text ?? '');
const withFiles = (files: Readonly<Record<string, string>>, evidence: Evidence[] = []) =>
  thread(anInput({ snapshot: { id: 's', files }, verdict: { evidence } })).files;
const proofIn = (file: string): Evidence => ({
  says: 'It stands there.',
  fact: 'gpu.want',
  from: [{ kind: 'line', file, line: 1, text: 'x' }],
});

describe('the messages', () => {
  const { messages } = thread(anInput({ series: exampleSeriesFile, snapshot: exampleSnapshot }));
  const shown = messages.map((message) => drawTerminal(message, AS_TEXT)).join('\n');

  it.each([
    ['every proof with all that it stands on', /The allocation failed on GPU 0/],
    ['the line of it', /vllm\.previous\.log:2/],
    ['the field of it', /pod\.json \/status\/containerStatuses\/0\/lastState/],
    ['the way through the playbook', /Which memory ran out\? Capturing CUDA graphs needs more than is left/],
    ['what was seen on that way', /left \(a line proves that GPU memory ran out\)\./],
    ['what could not be read, and why', /not read \(empty\): gpu\.temperature/],
  ])('hold %s', (_name, words) => {
    expect(shown.replace(/\s+/g, ' ')).toMatch(words);
  });

  it('hold a chart where there is a series, and none where there is none', () => {
    const isChart = (block: Block) => block.kind === 'chart';

    expect(messages.flatMap(({ blocks }) => blocks).some(isChart)).toBe(true);
    expect(
      thread(anInput())
        .messages.flatMap(({ blocks }) => blocks)
        .some(isChart),
    ).toBe(false);
  });
});

describe('a ReplicaSet that cannot create all of its pods', () => {
  const why = 'exceeded quota: gpus, requested: 1, used: 8, limited: 8';
  const owner = (kind: string, replicas: number, status: string) => ({
    kind,
    metadata: { name: 'vllm' },
    spec: { replicas: 3 },
    status: { replicas, conditions: [{ type: 'ReplicaFailure', status, message: why }] },
  });
  const shownOf = (owners: readonly unknown[], evidence: 'full' | 'verdict-only' = 'full') => {
    const snapshot = { id: 's', files: { 'owners.json': JSON.stringify(owners) } };
    const input = anInput({ snapshot, evidence });
    const texts = [card(input), ...thread(input).messages].map((message) => drawTerminal(message, AS_TEXT));
    return texts.join(' ').replace(/\s+/g, ' ');
  };

  it('is named once in the card and once in the thread, with its pods and the reason', () => {
    const shown = shownOf([owner('ReplicaSet', 2, 'True'), owner('Deployment', 2, 'True')]);

    expect(shown.split('ReplicaSet/vllm has 2 of 3 pods')).toHaveLength(3);
    expect(shown.split(why)).toHaveLength(3);
    expect(shown).not.toContain('Deployment/vllm has');
  });

  it.each([
    ['that can again', shownOf([owner('ReplicaSet', 3, 'False')])],
    ['without a status', shownOf([{ kind: 'ReplicaSet', metadata: { name: 'vllm' } }])],
    ['of an organization that others read along with', shownOf([owner('ReplicaSet', 2, 'True')], 'verdict-only')],
  ])('is not named: one %s', (_, shown) => {
    expect(shown).not.toContain('cannot create');
    expect(shown).not.toContain(why);
  });
});

describe('the files', () => {
  it.each<[string, string[], string[], string[]]>([
    [
      'logs before status',
      ['pod.json', 'current.log', 'previous.log'],
      [],
      ['previous.log', 'current.log', 'pod.json'],
    ],
    [
      'the log with the most proof first',
      ['a.previous.log', 'b.previous.log', 'c.current.log'],
      ['b.previous.log', 'c.current.log', 'c.current.log'],
      ['c.current.log', 'b.previous.log', 'a.previous.log'],
    ],
    [
      'a file that proof stands in before a log that says nothing',
      ['current.log', 'kernel.txt', 'pod.json'],
      ['kernel.txt'],
      ['kernel.txt', 'current.log', 'pod.json'],
    ],
  ])('come in this order: %s', (_name, given, cited, order) => {
    const files = withFiles(Object.fromEntries(given.map((name) => [name, 'text'])), cited.map(proofIn));

    expect(files.map(({ title }) => title)).toEqual(order);
  });

  it('are eight at most, and never empty', () => {
    const names = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [`${name}.previous.log`, `${name}.current.log`]);

    const files = withFiles({ ...Object.fromEntries(names.map((name) => [name, 'text'])), 'z.previous.log': ' \n' });

    expect(files).toHaveLength(8);
    expect(files.map(({ title }) => title)).not.toContain('z.previous.log');
  });

  it.each([
    ['just at the cap', 'a'.repeat(MB), false],
    ['one byte above it', 'a'.repeat(MB + 1), true],
    ['above it only in bytes', 'é'.repeat(MB / 2 + 1), true],
    ['one line of emoji', '🔥'.repeat(MB / 3), true],
  ])('keep to a megabyte: %s', (_name, given, clipped) => {
    const text = withFiles({ 'previous.log': given })[0]?.text ?? '';

    expect(bytesOf(text)).toBeLessThanOrEqual(MB);
    expect(/bytes are not in this file/.test(text)).toBe(clipped);
    expect(text.isWellFormed() && !text.includes('\uFFFD')).toBe(true);
  });

  it('keep first and last lines whole and count what is left out between', () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i} ${'ü'.repeat(i % 17)}`);
    const whole = `${lines.join('\n')}\n`;

    const text = withFiles({ 'previous.log': whole })[0]?.text ?? '';

    const [head = '', remark = '', tail = ''] = text.split(/(# \.\.\. .*)\n/);
    expect(whole.startsWith(head)).toBe(true);
    expect(whole.endsWith(`\n${tail}`)).toBe(true);
    const left = Number(/(\d+) bytes/.exec(remark)?.[1]);
    // The line feed before the remark is the one that ended the head.
    expect(bytesOf(head) - 1 + left + bytesOf(tail)).toBe(bytesOf(whole));
  });

  it('hold all of a text or say what they lack, whatever it is made of', () => {
    const unit = fc.constantFrom('a', '\n', 'é', '記', '🔥', '\r\n', ' ');
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 400_000 }), (bit, n) => {
        const given = `x${bit
          .join('')
          .repeat(n)
          .slice(0, 3 * MB)}`.toWellFormed();
        const text = withFiles({ 'previous.log': given })[0]?.text ?? '';

        expect(bytesOf(text)).toBeLessThanOrEqual(MB);
        expect(text === given || text.includes('bytes are not in this file')).toBe(true);
      }),
      { seed: 5, numRuns: 15 },
    );
  });
});

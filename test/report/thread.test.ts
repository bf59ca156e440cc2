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
const excerptOf = (files: Readonly<Record<string, string>>): string => {
  const [first] = withFiles(files);
  return first !== undefined && 'text' in first ? first.text : '';
};
const proofIn = (file: string): Evidence => ({
  says: 'It stands there.',
  fact: 'gpu.want',
  from: [{ kind: 'line', file, line: 1, text: 'x' }],
});

describe('the reply', () => {
  const { messages } = thread(anInput({ series: exampleSeriesFile, snapshot: exampleSnapshot }));
  const shown = messages.map((message) => drawTerminal(message, AS_TEXT)).join('\n');

  it.each([
    ['every proof with all that it stands on', /The allocation failed on GPU 0/],
    ['the line of it', /vllm\.previous\.log:2/],
    ['the field of it', /pod\.json \/status\/containerStatuses\/0\/lastState/],
    ['the decision path', /Which memory ran out\? The cause above/],
    ['what could not be read, and why', /not read \(empty\): gpu\.temperature/],
  ])('hold %s', (_name, words) => {
    expect(shown.replace(/\s+/g, ' ')).toMatch(words);
  });

  it('is one, and says nothing that the card says whole', () => {
    const { diagnosis, facts } = anInput();
    const says = 'The only sentence.';
    const verdict = { ...diagnosis.verdict, remedies: [] };
    const input = anInput({ facts, verdict, diagnosis: { headline: undefined, says, next: ['Look there.'] } });
    const below = thread(input).messages;

    expect(messages).toHaveLength(1);
    expect(JSON.stringify(card(input))).toMatch(/The only sentence.*Look there/);
    expect(JSON.stringify(below)).not.toMatch(/The only sentence|Look there/);
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

  it('is named once, in the thread, with its pods and the reason', () => {
    const shown = shownOf([owner('ReplicaSet', 2, 'True'), owner('Deployment', 2, 'True')]);

    expect(shown.split('ReplicaSet/vllm has 2 of 3 pods')).toHaveLength(2);
    expect(shown.split(why)).toHaveLength(2);
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
  it.each<[string, string[], string[], string]>([
    ['the log of the container that ended', ['pod.json', 'current.log', 'previous.log'], [], 'previous.log'],
    [
      'the log with the most proof',
      ['a.previous.log', 'b.previous.log', 'c.current.log'],
      ['b.previous.log', 'c.current.log', 'c.current.log'],
      'c.current.log',
    ],
    ['what has the proof', ['current.log', 'kernel.txt', 'pod.json'], ['kernel.txt'], 'kernel.txt'],
  ])('are one to read and one with all of it: %s', (_name, given, cited, first) => {
    const files = withFiles(Object.fromEntries(given.map((name) => [name, 'text'])), cited.map(proofIn));

    expect(files.map(({ title }) => title)).toEqual([first, 'Evidence']);
    expect(files[1]).toMatchObject({ files: given.map((name) => ({ name, text: 'text' })) });
  });

  it('are none that is empty', () => {
    expect(withFiles({ 'z.previous.log': ' \n' })).toEqual([]);
  });

  it.each([
    ['just at the cap', 'a'.repeat(MB), false],
    ['one byte above it', 'a'.repeat(MB + 1), true],
    ['above it only in bytes', 'é'.repeat(MB / 2 + 1), true],
    ['one line of emoji', '🔥'.repeat(MB / 3), true],
  ])('keep to a megabyte: %s', (_name, given, clipped) => {
    const text = excerptOf({ 'previous.log': given });

    expect(bytesOf(text)).toBeLessThanOrEqual(MB);
    expect(/bytes are not in this file/.test(text)).toBe(clipped);
    expect(text.isWellFormed() && !text.includes('\uFFFD')).toBe(true);
  });

  it('keep first and last lines whole and count what is left out between', () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i} ${'ü'.repeat(i % 17)}`);
    const whole = `${lines.join('\n')}\n`;

    const text = excerptOf({ 'previous.log': whole });

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
        const text = excerptOf({ 'previous.log': given });

        expect(bytesOf(text)).toBeLessThanOrEqual(MB);
        expect(text === given || text.includes('bytes are not in this file')).toBe(true);
      }),
      { seed: 5, numRuns: 15 },
    );
  });
});

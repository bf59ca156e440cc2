import { describe, expect, it } from 'vitest';
import { mythKey } from '../../src/model/myth.ts';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { COMPILED } from '../playbooks/shipped.ts';
import { CATALOGUES, factsOf, playbookOf, smallText } from './builders.ts';

const myths = (more = '') => `${smallText()}
myths:
  block-size:
    also: [kv block size]
    for: [gpu.burst.headroom]
    engines: [vllm]
    says: It gives no room.
    instead: Shorten the length.
    source: here
${more}`;

const EDGE = { 'gpu.oom-logged': true, 'engine.became-ready': true, 'death.uptime': 7200, 'gpu.want': 20 * 2 ** 20 };

describe('a remedy that is none', () => {
  it.each([
    ['vllm', true],
    [undefined, true],
    ['ollama', false],
  ])('stands beside the verdicts of its causes, at %s: %s', (engine, isTold) => {
    const facts = factsOf({ ...EDGE, ...(engine === undefined ? {} : { 'engine.name': engine }) });
    const told = diagnose(playbookOf(myths()), facts, 'snap').myths;

    expect(told).toEqual(
      isTold ? [{ id: 'block-size', says: 'It gives no room.', instead: 'Shorten the length.' }] : undefined,
    );
  });

  it('is not told at another cause', () => {
    const facts = factsOf({ 'gpu.oom-logged': true, 'engine.became-ready': false });

    expect(diagnose(playbookOf(myths()), facts, 'snap').myths).toBeUndefined();
  });

  it('has its words for itself', () => {
    const more = '  blocks: { also: [KV Block-Size], says: a, instead: b, source: c }\n';
    const compiled = compilePlaybook([{ path: 'p.yaml', text: myths(more) }], CATALOGUES);

    expect(compiled.kind === 'bad' ? compiled.problems.map(({ message }) => message) : []).toEqual([
      'kv-block-size is already a word for block-size',
    ]);
  });

  it.each(['block-size', '--block-size', '--block_size', ' Block size ', 'BLOCK_SIZE', '`block size`'])(
    'is found by %j',
    (word) => {
      expect(mythKey(word)).toBe('block-size');
    },
  );
});

describe('the shipped ones', () => {
  const known = COMPILED.kind === 'sound' ? COMPILED.playbook.myths : [];
  const _keys = new Set(known.flatMap((one) => one.keys));

  it('are offered by no finding', () => {
    const offers = COMPILED.kind === 'sound' ? COMPILED.playbook.findings.flatMap((finding) => finding.offers) : [];
    const parameters = JSON.stringify(offers.map((offer) => offer.parameters));

    expect(parameters).not.toMatch(/--block-size|--disable-sliding-window|--cpu-offload-gb|on-the-fly/);
  });
});

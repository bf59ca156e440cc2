import { describe, expect, it } from 'vitest';
import { topicKey } from '../../src/model/topic.ts';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { lintPlaybook } from '../../src/playbook/lint-playbook.ts';
import { COMPILED } from '../playbooks/shipped.ts';
import { CATALOGUES, factsOf, playbookOf, smallText } from './builders.ts';

const topics = (more = '') => `${smallText()}
topics:
  block-size:
    also: [kv block size]
    for: [gpu.burst.headroom]
    engines: [vllm]
    says: It gives no room.
    helps: No OOM.
    instead: Shorten the length.
    source: here
${more}`;

const EDGE = { 'gpu.oom-logged': true, 'engine.became-ready': true, 'death.uptime': 7200, 'gpu.want': 20 * 2 ** 20 };

describe('a topic', () => {
  it.each([
    ['vllm', true],
    [undefined, true],
    ['ollama', false],
  ])('stands beside the verdicts of its causes, at %s: %s', (engine, isTold) => {
    const facts = factsOf({ ...EDGE, ...(engine === undefined ? {} : { 'engine.name': engine }) });
    const told = diagnose(playbookOf(topics()), facts, 'snap').topics;

    expect(told).toEqual(
      isTold
        ? [
            {
              id: 'block-size',
              says: 'It gives no room.',
              helps: 'No OOM.',
              instead: 'Shorten the length.',
              source: 'here',
            },
          ]
        : undefined,
    );
  });

  it('is not told at another cause', () => {
    const facts = factsOf({ 'gpu.oom-logged': true, 'engine.became-ready': false });

    expect(diagnose(playbookOf(topics()), facts, 'snap').topics).toBeUndefined();
  });

  it.each([
    ['seven sentences', 'A. B. C. D. E.', /at most 6 sentences/],
    ['a long sentence', `${'word '.repeat(21)}.`, /more than 20 words/],
  ])('is warned of by lint with %s', (_name, says, problem) => {
    const text = topics(`  more: { says: '${says}', helps: F., instead: G., source: s }\n`);
    const compiled = compilePlaybook([{ path: 'p.yaml', text }], CATALOGUES);

    const problems = compiled.kind === 'sound' ? lintPlaybook(compiled.linted) : [];
    expect(problems.filter(({ message }) => problem.test(message))).toHaveLength(1);
  });

  it('has its words for itself', () => {
    const more = '  blocks: { also: [KV Block-Size], says: a, helps: h, instead: b, source: c }\n';
    const compiled = compilePlaybook([{ path: 'p.yaml', text: topics(more) }], CATALOGUES);

    expect(compiled.kind === 'bad' ? compiled.problems.map(({ message }) => message) : []).toEqual([
      'kv-block-size is already a word for block-size',
    ]);
  });

  it.each(['block-size', '--block-size', '--block_size', ' Block size ', 'BLOCK_SIZE', '`block size`'])(
    'is found by %j',
    (word) => {
      expect(topicKey(word)).toBe('block-size');
    },
  );
});

describe('the shipped ones', () => {
  const known = COMPILED.kind === 'sound' ? COMPILED.playbook.topics : [];
  const keys = new Set(known.flatMap((one) => one.keys));

  it.each(
    [
      'quantization awq gptq fp8 int8 kv-cache-dtype tensor-parallelism garbage_collection_threshold swap-space',
      'block-size empty_cache sliding-window static-batching on-the-fly-batches gpu-reset pkill expandable_segments',
      'smaller-model larger-gpu separate-pools planned-restarts memory-limit drain prefix-caching cpu-offload',
    ].flatMap((line) => line.split(' ')),
  )('explain %s', (word) => {
    expect(keys).toContain(topicKey(word));
  });

  it('are offered by no finding', () => {
    const offers = COMPILED.kind === 'sound' ? COMPILED.playbook.findings.flatMap((finding) => finding.offers) : [];
    const parameters = JSON.stringify(offers.map((offer) => offer.parameters));

    expect(parameters).not.toMatch(/--block-size|--disable-sliding-window|--cpu-offload-gb|on-the-fly/);
  });
});

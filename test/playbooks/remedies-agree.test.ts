import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/diagnose.ts';
import type { Diagnosis } from '../../src/model/verdict.ts';
import { fill } from '../../src/playbook/fill.ts';
import { aSnapshot, BOOK, COMPILED, COMPILED_PHRASES, judge } from './shipped.ts';

type Change = readonly [what: string | RegExp, to: string];

async function diagnosed(incident: string, ...changes: readonly Change[]): Promise<Diagnosis> {
  const folder = new URL(`../../playbooks/oom/incidents/${incident}/`, import.meta.url);
  const read = (name: string) => changes.reduce((text, [what, to]) => text.replaceAll(what, to), textOf(folder, name));
  const files = Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]));
  return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge, book: BOOK })).diagnosis;
}

function textOf(folder: URL, name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

function saysOf({ verdict }: Diagnosis, kind: 'stop-bleed' | 'lasting'): readonly string[] {
  return verdict.remedies.filter((remedy) => remedy.kind === kind).map(({ says }) => says);
}

function firstEdit({ verdict }: Diagnosis): unknown {
  return verdict.remedies.flatMap(({ edits }) => edits)[0];
}

describe('a KV pool that was too small by itself', () => {
  it('takes a shorter length, and no lower fraction: that would make the pool smaller still', async () => {
    const found = await diagnosed('sglang-one-long-request');

    expect(firstEdit(found)).toMatchObject({ flag: '--context-length', from: '65536', to: '26096' });
    expect([...saysOf(found, 'stop-bleed'), ...saysOf(found, 'lasting')].join('\n')).not.toMatch(
      /fraction|outside the KV pool|tokens of one pass|Chunk/,
    );
  });

  it('takes the length in words where the size of the pool is not known', async () => {
    const found = await diagnosed('sglang-one-long-request', [/^.*(?:#tokens|max_total_num_tokens).*\n/gm, '']);

    expect(saysOf(found, 'stop-bleed')[0]).toMatch(/^Lower the maximum length below what the KV pool holds/);
    expect(saysOf(found, 'stop-bleed').join('\n')).not.toMatch(/fraction|outside/);
  });

  it.each([
    ['LMDeploy', 'AssertionError: Sequence requires more blocks than total gpu blocks.', 'lmdeploy'],
    ['SGLang', 'AssertionError: No space left for only one request', 'sglang'],
  ])('in %s as well', async (_name, line, engine) => {
    const files = { 'previous.log': `${line}\n`, 'incident.json': JSON.stringify({ engine }) };
    const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge, book: BOOK });

    expect(diagnosis.verdict.finding).toBe('gpu-burst-long');
    expect(saysOf(diagnosis, 'stop-bleed').join('\n')).not.toMatch(/outside the KV pool/);
  });
});

describe('a start to which nothing is left for the cache', () => {
  const WEIGHTS: Change = ['8.7065', '5.2065'];

  it('asks for less weight where the weights alone are above the fraction', async () => {
    const found = await diagnosed('vllm-mig-slice');
    const [first, second] = saysOf(found, 'stop-bleed');

    expect(first).toMatch(/^Start what ran before .* no length and no number of sequences helps, .* take 8\.71 GiB/);
    expect(first).toContain('744 MiB more than the fraction of 84 % gives');
    expect(second).toMatch(/^Do not raise the fraction: above 84 % too little of this card is left/);
    expect(saysOf(found, 'lasting').join('\n')).not.toContain('8-bit KV cache');
  });

  it('asks for a smaller trial run where the weights are not', async () => {
    expect(saysOf(await diagnosed('vllm-mig-slice', WEIGHTS), 'stop-bleed')[0]).toMatch(
      /^Lower the tokens of one pass/,
    );
  });

  it('asks for a shorter length where something is left', async () => {
    const found = await diagnosed('vllm-mig-slice', WEIGHTS, ['-1.81', '0.81']);

    expect(saysOf(found, 'stop-bleed')[0]).toMatch(/^Shorten the maximum length first/);
  });

  it('names the fraction where it may be raised far enough', async () => {
    const found = await diagnosed('vllm-mig-slice', WEIGHTS, ['-1.81', '-0.05'], ['0.84', '0.7']);

    expect(saysOf(found, 'stop-bleed')).toEqual([
      expect.stringMatching(/^Lower the tokens of one pass, and the sequences/),
      expect.stringMatching(
        /^Or raise the fraction, if nothing else uses the card: .* More than 84 % is too much on this card/,
      ),
    ]);
  });

  it('raises it first where it is what the weights do not fit into, and the card has the room', async () => {
    const [first, second] = saysOf(await diagnosed('vllm-mig-slice', WEIGHTS, ['0.84', '0.5']), 'stop-bleed');

    expect(first).toMatch(/^Raise the fraction, if nothing else uses the card: the weights alone take 5\.21 GiB/);
    expect(first).toMatch(/more than the fraction of 50 % gives\. More than 84 % is too much on this card/);
    expect(second).toMatch(/^Start what ran before/);
  });

  it('does not raise it where the weights are above what the card allows, or where it is as high already', async () => {
    const heavy = await diagnosed('vllm-mig-slice', ['-1.81', '0.81'], ['0.84', '0.5']);
    const high = await diagnosed('vllm-mig-slice', WEIGHTS, ['-1.81', '0.81'], ['0.84', '0.9']);

    for (const found of [heavy, high]) {
      expect(found.verdict.remedies.filter(({ direction }) => direction === 'raise')).toEqual([]);
      expect(saysOf(found, 'stop-bleed').join('\n')).toContain('Do not raise the fraction: above 84 %');
    }
  });
});

describe('a memory limit that is to be raised', () => {
  const limit = (diagnosis: Diagnosis) =>
    diagnosis.verdict.remedies.flatMap(({ edits }) => edits).find(({ flag }) => flag === 'resources.limits.memory');

  it.each([
    ['by half', 'oomkilled-at-load', [], '48Gi', '72Gi', '48 GiB to 72 GiB (half as much again)'],
    // One rank, the server and the core.
    [
      'to what the processes hold',
      'vllm-limit-copied',
      [],
      '1Gi',
      '9Gi',
      '1 GiB to 9 GiB (3 GiB for each of 3 processes',
    ],
    // 16 ranks of two nodes read files of 27 GiB: 8 x (1 + 25.1) GiB x 1.3.
    [
      'to what the start takes',
      'sglang-eight-ranks-load',
      [
        ['512Gi', '96Gi'],
        ['536870912kB', '100663296kB'],
      ],
      '96Gi',
      '272Gi',
      '(1.3 times what',
    ],
  ] as const)('%s', async (_what, incident, changes, from, to, says) => {
    const found = await diagnosed(incident, ...changes);

    expect(limit(found)).toMatchObject({ from, to });
    expect(saysOf(found, 'stop-bleed').join('\n')).toContain(says);
  });

  it('is said by its size where the line asks for it', async () => {
    expect(saysOf(await diagnosed('ollama-system-memory'), 'stop-bleed')[0]).toMatch(
      /^Raise the memory limit to 50\.2 GiB, 1\.3 times the 38\.6 GiB that the line asks for/,
    );
    const line: Change = [
      /msg="(?:Load failed|model request).*/g,
      'msg="model request too large for system" requested="45.9 GiB" available=33321123840 total="31.2 GiB"',
    ];
    expect(saysOf(await diagnosed('ollama-system-memory', line), 'stop-bleed')[0]).toContain('to 59.7 GiB');
  });

  it.each([
    ['600Gi', undefined, /^Place the pod on a node with more memory, .* 768 GiB .* this node has 600 GiB for pods/],
    ['768Gi', '768Gi', /^Raise the memory limit from 512 GiB to 768 GiB/],
  ])('on a node with %s for pods only as far as that', async (node, to, says) => {
    const found = await diagnosed('sglang-eight-ranks-load', ['2000Gi', node]);

    expect(limit(found)?.to).toBe(to);
    expect(saysOf(found, 'stop-bleed')[0]).toMatch(says);
  });

  it('and that nobody knows is raised where the node has the room, in every finding', () => {
    const texts =
      COMPILED.kind === 'bad'
        ? []
        : COMPILED.playbook.findings.flatMap(({ id, offers }) =>
            offers.map(({ says }) => `${id}: ${fill(says, new Map())}`),
          );
    const blind = texts.filter((text) => /Raise the memory limit of the container by half/.test(text));

    expect(blind.length).toBeGreaterThan(15);
    expect(
      blind.filter((text) => !/by half, if the node has room for it.* it is the node that ran out/.test(text)),
    ).toEqual([]);
  });

  it('tells nothing of what would do, by a kill in less than the processes take', async () => {
    expect(saysOf(await diagnosed('vllm-limit-copied'), 'lasting').join('\n')).not.toContain('By what was seen');
    expect(saysOf(await diagnosed('vllm-limit-copied', ['1Gi', '16Gi']), 'lasting').join('\n')).toContain('20.8 GiB');
  });
});

describe('a load that was killed', () => {
  it('is the cause where the weights can fill the limit, and the likeliest where they can not', async () => {
    const [large, small] = await Promise.all([
      diagnosed('oomkilled-at-load'),
      diagnosed('oomkilled-at-load', ['falcon-40b', 'falcon-9b']),
    ]);

    expect(large.verdict).toMatchObject({ finding: 'host-startup-staging', certain: true });
    expect(small.verdict).toMatchObject({ certain: true, causeCertain: false });
  });

  it.each([
    [
      'an offload of a size that is not known',
      ['"0.9"]', String.raw`"0.9", "--kv-transfer-config", "{\"kv_connector\":\"OffloadingConnector\"}"]`] as const,
    ],
    ['a model of a size that is not known', ['falcon-9b', 'ours'] as const],
    ['weights that are quantised on load', ['"0.9"]', '"0.9", "--quantization", "fp8"]'] as const],
    ['weights that a library quantises on load', ['"0.9"]', '"0.9", "--torchao-config", "int4wo-128"]'] as const],
    [
      'a draft model',
      ['"0.9"]', String.raw`"0.9", "--speculative-config", "{\"model\":\"acme/falcon-70b\"}"]`] as const,
    ],
    ['the path of a draft model', ['"0.9"]', '"0.9", "--speculative-draft-model-path", "acme/falcon-70b"]'] as const],
  ])('is not measured against %s', async (_what, change) => {
    const found = await diagnosed('oomkilled-at-load', ['falcon-40b', 'falcon-9b'], change);

    expect(found.verdict.finding).not.toBe('host-startup-load-fits');
  });

  it.each([
    ['weights that were quantised beforehand', ['falcon-40b', 'falcon-9b-FP8'], '"--quantization", "fp8"'],
    [
      'drafts out of n-grams',
      ['falcon-40b', 'falcon-9b'],
      String.raw`"--speculative-config", "{\"method\":\"ngram\"}"`,
    ],
    ['what goes to RAM when it sleeps, and not before', ['falcon-40b', 'falcon-9b'], '"--enable-sleep-mode"'],
  ] as const)('is measured against %s', async (_what, named, words) => {
    const found = await diagnosed('oomkilled-at-load', named, ['"0.9"]', `"0.9", ${words}]`]);

    expect(found.verdict.finding).toBe('host-startup-load-fits');
  });

  it('counts the ranks of its own node', async () => {
    const found = await diagnosed('sglang-eight-ranks-load');

    expect(saysOf(found, 'lasting').join('\n')).toContain('leaves 64 GiB for each of 8 ranks');
  });
});

describe('a cache of prompts that is to be bounded', () => {
  it('has the room that one server leaves, not that of three processes of Python', async () => {
    expect(saysOf(await diagnosed('llamacpp-prompt-cache'), 'stop-bleed')[0]).toContain(
      'Below 12 GiB there is room for 6.2 GiB.',
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/model/verdict.ts';
import { diagnoseFiles, known, logged } from '../facts/incident.ts';
import { filesOfIncident } from './shipped.ts';

type Change = readonly [what: string | RegExp, to: string];

async function diagnosed(incident: string, ...changes: readonly Change[]): Promise<Diagnosis> {
  const files = Object.entries(filesOfIncident(incident)).map(([name, whole]) => [
    name,
    changes.reduce((text, [what, to]) => text.replaceAll(what, to), whole),
  ]);
  return (await diagnoseFiles(Object.fromEntries(files))).diagnosis;
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
      /fraction|outside the KV pool|tokens per step|prefill chunks/,
    );
  });

  it('takes the length in words where the size of the pool is not known', async () => {
    const found = await diagnosed('sglang-one-long-request', [/^.*(?:#tokens|max_total_num_tokens).*\n/gm, '']);

    expect(saysOf(found, 'stop-bleed')[0]).toMatch(/^Lower the maximum length below the KV pool size/);
    expect(saysOf(found, 'stop-bleed').join('\n')).not.toMatch(/fraction|outside/);
  });

  it.each([
    ['LMDeploy', 'AssertionError: Sequence requires more blocks than total gpu blocks.', 'lmdeploy'],
    ['SGLang', 'AssertionError: No space left for only one request', 'sglang'],
  ])('in %s as well', async (_name, line, engine) => {
    const { diagnosis } = await diagnoseFiles({ ...logged(line), ...known({ engine }) });

    expect(diagnosis.verdict.finding).toBe('gpu-burst-long');
    expect(saysOf(diagnosis, 'stop-bleed').join('\n')).not.toMatch(/outside the KV pool/);
  });
});

describe('a start to which nothing is left for the cache', () => {
  const WEIGHTS: Change = ['8.7065', '5.2065'];

  it.each([
    ['a smaller trial run', [WEIGHTS], /^Lower tokens per step and sequences/],
    ['a shorter length where something is left', [WEIGHTS, ['-1.81', '0.81']], /^Shorten the maximum length first/],
    [
      'a higher fraction where it may be raised far enough',
      [WEIGHTS, ['-1.81', '-0.05'], ['0.84', '0.7']],
      /^Or raise the memory fraction, if nothing else uses the GPU: .* Do not exceed 84% on this GPU/,
    ],
  ] as const)('asks for %s', async (_what, changes, says) => {
    const found = await diagnosed('vllm-mig-slice', ...(changes as readonly Change[]));

    expect(saysOf(found, 'stop-bleed')).toContainEqual(expect.stringMatching(says));
  });

  it('does not raise it where the weights are above what the card allows, or where it is as high already', async () => {
    const heavy = await diagnosed('vllm-mig-slice', ['-1.81', '0.81'], ['0.84', '0.5']);
    const high = await diagnosed('vllm-mig-slice', WEIGHTS, ['-1.81', '0.81'], ['0.84', '0.9']);

    for (const found of [heavy, high]) {
      expect(found.verdict.remedies.filter(({ direction }) => direction === 'raise')).toEqual([]);
      expect(saysOf(found, 'stop-bleed').join('\n')).toContain('Do not raise the memory fraction above 84%');
    }
  });
});

describe('a memory limit that is to be raised', () => {
  const limit = (diagnosis: Diagnosis) =>
    diagnosis.verdict.remedies.flatMap(({ edits }) => edits).find(({ flag }) => flag === 'resources.limits.memory');

  it.each([
    ['by half', 'oomkilled-at-load', '48Gi', '72Gi'],
    // One rank, the server and the core.
    ['to what the processes hold', 'vllm-limit-copied', '1Gi', '9Gi'],
  ])('%s', async (_what, incident, from, to) => {
    expect(limit(await diagnosed(incident))).toMatchObject({ from, to });
  });

  it.each([
    ['600Gi', undefined, /^Move the pod to a node with more memory, .* 768 GiB.* this node has 600 GiB for pods/],
    ['768Gi', '768Gi', /^Raise the memory limit from 512 GiB to 768 GiB/],
  ])('on a node with %s for pods only as far as that', async (node, to, says) => {
    const found = await diagnosed('sglang-eight-ranks-load', ['2000Gi', node]);

    expect(limit(found)?.to).toBe(to);
    expect(saysOf(found, 'stop-bleed')[0]).toMatch(says);
  });

  it('tells nothing of what would do, by a kill in less than the processes take', async () => {
    expect(saysOf(await diagnosed('vllm-limit-copied'), 'lasting').join('\n')).not.toContain('By what was seen');
    expect(saysOf(await diagnosed('vllm-limit-copied', ['1Gi', '16Gi']), 'lasting').join('\n')).toContain('20.8 GiB');
  });
});

it('a load that was killed is the cause where the weights can fill the limit, and the likeliest where they cannot', async () => {
  const [large, small] = await Promise.all([
    diagnosed('oomkilled-at-load'),
    diagnosed('oomkilled-at-load', ['falcon-40b', 'falcon-9b']),
  ]);

  expect(large.verdict).toMatchObject({ finding: 'host-startup-staging', certain: true });
  expect(small.verdict).toMatchObject({ certain: true, causeCertain: false });
});

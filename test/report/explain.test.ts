import { describe, expect, it } from 'vitest';
import type { PathStep, Verdict } from '../../src/model/verdict.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { AS_TEXT, aFacts, anInput } from './inputs.ts';

const shown = (given: Parameters<typeof anInput>[0]): string =>
  explainMessages(anInput(given))
    .map((message) => drawTerminal(message, AS_TEXT))
    .join('\n')
    .replace(/\s+/g, ' ');

const line = (n: number, text: string) => ({ kind: 'line' as const, file: 'previous.log', line: n, text });

const step = (over: Partial<PathStep>): PathStep => ({
  ...{ question: 'q', ask: 'What?', branch: 'a', answer: 'yes', conditions: [] },
  ...over,
});

describe('an explanation', () => {
  it('quotes a line once, under all that rests on it', () => {
    const oom = line(7, 'CUDA out of memory. Tried to allocate 2 GiB.');

    const text = shown({
      verdict: {
        evidence: [
          { says: 'GPU memory ran out', fact: 'gpu.oom-logged', from: [oom, oom] },
          { says: 'Wanted: 2 GiB', fact: 'gpu.want', from: [oom] },
        ],
      },
    });

    expect(text.match(/Tried to allocate/g)).toHaveLength(1);
    expect(text).toMatch(/GPU memory ran out · Wanted: 2 GiB/);
  });

  it('ends with the cause and the category of a handover, and says what that holds', () => {
    expect(shown({ diagnosis: { bucket: 'kv-cache' } })).toMatch(
      /cause: [a-z.-]+ · category: kv-cache \(KV cache\) · playbook: \S+ v\d+$/,
    );
  });

  it('shows the decision path by questions and facts, with the branches that had no data', () => {
    const told = (says: string): PathStep['conditions'] => [
      { text: 'ram.x is yes', says, fact: 'ram.x', seen: 'yes', answer: 'yes', depth: 0 },
    ];
    const ask = 'Whose RAM ran out?';
    const path = [
      step({ ask, branch: 'helper', answer: 'no', conditions: told('') }),
      step({ ask, branch: 'node-dry', answer: 'unknown', conditions: told('') }),
      step({ ask, branch: 'offload', conditions: told('blocks are kept in host memory') }),
    ];

    const text = shown({ diagnosis: { path, headline: 'A cache fills RAM' } });

    expect(text).toContain(
      'Whose RAM ran out? The cause above (blocks are kept in host memory). 1 branch had no data.',
    );
    expect(text).not.toMatch(/helper|offload:|node dry|ram\.x/);
  });

  it('says each fact of a step once, and none of which nothing is known', () => {
    const said = (fact: string, says: string) =>
      ({ text: fact, says, fact, seen: '', answer: 'yes', depth: 0 }) as const;
    const conditions = [
      said('gpu.want', 'wanted: 2 GiB (at least 1 GiB)'),
      said('gpu.want', 'wanted: 2 GiB (at least 512 MiB)'),
      said('gpu.foreign', 'held by others: not known'),
      said('log.stage', 'stage: nothing'),
    ];
    const path = [step({ branch: 'large', conditions })];
    const facts = new Map([
      ...aFacts({ 'gpu.want': 2 ** 31, 'log.stage': 'nothing' }),
      ['gpu.foreign', { kind: 'unknown' as const, reason: 'not-in-snapshot' as const, detail: '' }] as const,
    ]);

    expect(shown({ diagnosis: { path, headline: 'One tensor did not fit' }, facts })).toContain(
      'What? The cause above (wanted: 2 GiB (at least 1 GiB)).',
    );
  });

  it.each([
    ['what an error is about', 'log.exception-kind', 'config', 'a setting or a missing file'],
    ['what a pod waits for', 'pod.pending-for', 'config', 'its configuration'],
    ['the step that failed', 'log.stage', 'profile', 'the profile run'],
    ['a cause', 'log.first-cause', 'none.comm', 'communication between processes failed'],
    ['a memory', 'log.first-plane', 'gpu', 'GPU memory'],
    ['a milestone', 'engine.last-milestone', 'load-end', 'weights were loaded'],
    ['an order', 'sequence.order', 'host-then-gpu', 'RAM first, then GPU memory'],
  ])('puts %s into words', (_name, fact, value, words) => {
    const evidence = [{ says: `Told: ${value}`, fact, from: [line(1, 'a line')] }];

    expect(shown({ verdict: { evidence }, facts: aFacts({ [fact]: value }) })).toContain(`Told: ${words} `);
  });

  it('quotes a line no second time under what rests on it and another', () => {
    const [first, second] = [line(3, 'killed by the monitor'), line(4, 'the node ran low')];
    const evidence = [
      { says: 'Ended by the monitor', fact: 'ram.monitor-killed', from: [first, second] },
      { says: 'Host memory ran out', fact: 'ram.oom-logged', from: [first] },
    ];

    const text = shown({ verdict: { evidence } });

    expect(text).toContain('Ended by the monitor · Host memory ran out');
    expect(text.match(/killed by the monitor/g)).toHaveLength(1);
  });

  it('shows the cause in a line, and not which memory that is about', () => {
    const from = [line(3, 'NCCL error')];
    const evidence = [
      { says: 'Cause that some line hints at: none.comm', fact: 'log.hint-cause', from },
      { says: 'What some line hints at: none', fact: 'log.hint-plane', from },
    ];
    const facts = aFacts({ 'log.hint-cause': 'none.comm', 'log.hint-plane': 'none' });

    const text = shown({ verdict: { evidence }, facts });

    expect(text).toContain('Cause that some line hints at: communication between processes failed previous.log:3');
    expect(text).not.toContain('What some line hints at');
  });

  it('answers each question with what the next one knows, and never with the name of a branch', () => {
    const otherwise = { branch: 'otherwise', answer: 'otherwise' } as const;
    const path = [
      step({ question: 'which', ask: 'Which memory failed?', branch: 'gpu-held' }),
      step({ question: 'when', ask: 'GPU memory ran out. When in the life of the process?', ...otherwise }),
      step({ question: 'what', ask: 'GPU memory ran out while serving. What asked for it?', ...otherwise }),
    ];

    const text = shown({ diagnosis: { path, headline: 'Nothing tells why' } });

    expect(text).toContain('Which memory failed? GPU memory ran out.');
    expect(text).toContain('When in the life of the process? No known case.');
    expect(text).toContain('What asked for it? No known case.');
    expect(text).not.toMatch(/held|otherwise/);
  });

  it('counts the branches without data next to an answer that no branch gave', () => {
    const ask = 'What asked for it?';
    const path = [
      step({ ask, branch: 'logits', answer: 'unknown' }),
      step({ ask, branch: 'otherwise', answer: 'otherwise' }),
    ];

    expect(shown({ diagnosis: { path, headline: 'Nothing tells why' } })).toContain(
      'What asked for it? No known case. 1 branch had no data.',
    );
  });

  it('tells what it is about: pod, engine, GPU and age', () => {
    const facts = aFacts({
      'pod.name': 'llm/vllm-0',
      'pod.node': 'gpu-node-3',
      'death.container': 'engine',
      'engine.name': 'vllm',
      'engine.version': '0.11.0',
      'engine.generation': 'V1',
      'engine.model': 'acme/falcon-9b',
      'gpu.count': 2,
      'gpu.product': 'NVIDIA-L40S',
      'gpu.total': 44 * 2 ** 30,
      'engine.became-ready': true,
      'death.restarts': 3,
    });

    const text = shown({ facts, verdict: { plane: 'gpu' } });

    expect(text).toContain('pod llm/vllm-0, container engine, node gpu-node-3');
    expect(text).toContain('vLLM 0.11.0 (engine V1), model acme/falcon-9b, 2 GPUs, NVIDIA-L40S, 44 GiB each');
    expect(text).toContain('became ready, restarts: 3');
  });

  it.each([
    [
      'the memory once where the model names it',
      { 'gpu.product': '24 GB class (22.05 GiB)', 'gpu.total': 22.05 * 2 ** 30 },
      'GPU, 24 GB class (22.05 GiB)',
    ],
    [
      'what was measured beside the size of the class',
      { 'gpu.product': '48 GB card', 'gpu.total': 47 * 2 ** 30 },
      'GPU, 48 GB card, 47 GiB',
    ],
    [
      'of cards that differ what is known of one',
      { 'gpu.count': 2, 'gpu.uneven': true, 'gpu.product': 'RTX 5070 Ti', 'gpu.total': 16 * 2 ** 30 },
      '2 GPUs that differ; one is RTX 5070 Ti, 16 GiB',
    ],
  ] as const)('tells of the GPUs %s', (_name, values, words) => {
    const gpus = explainMessages(anInput({ facts: aFacts(values) }))[0]?.blocks.find(
      (one) => one.kind === 'list' && one.title === 'Workload',
    );

    expect(gpus).toMatchObject({ items: [[{ text: words }]] });
  });

  it.each([
    ['nothing of what is not known', {}, 'gpu', /Workload/],
    ['no age of one run where two failed', { 'engine.uptime': 51 }, 'both', /process age/],
    ['no zero of restarts', { 'engine.uptime': 51, 'death.restarts': 0 }, 'gpu', /restarts: /],
  ] as const)('says there %s', (_name, values, plane, words) => {
    expect(shown({ facts: aFacts(values), verdict: { plane } })).not.toMatch(words);
  });

  it('tells the rollout and the start of the container in their places', () => {
    const end = Date.parse('2026-09-14T10:47:20Z');
    const facts = aFacts({
      'revision.lead': 49 * 60 + 10,
      'gpu.oom-at': Date.parse('2026-09-14T10:47:10Z'),
      'death.at': end,
      'death.uptime': 2840,
      'death.reason': 'Error',
    });

    expect(shown({ facts })).toMatch(
      /09:58:00 +last rollout .*10:00:00 +container started .*10:47:10 +GPU memory ran out.*10:47:20 +container ended/,
    );
  });

  it('shows what to do, then the evidence and the reasons, under nouns', () => {
    const facts = aFacts({ 'pod.name': 'llm/vllm-0', 'death.restarts': 3 });
    const path = [step({})];
    const notRuledOut = [
      {
        branch: 'q/b',
        finding: 'b',
        headline: 'RAM ran out',
        missing: [{ fact: 'x', reason: 'not-in-snapshot' as const, needs: 'the log' }],
      },
    ];
    const topics = [
      { id: 'swap-space', says: 'It takes RAM.', helps: 'No OOM.', instead: 'Admit fewer.', source: 's' },
    ];

    const [message] = explainMessages(anInput({ facts, verdict: { notRuledOut }, diagnosis: { path, topics } }));
    const parts = message?.blocks.map((one) => ('title' in one ? one.title : one.kind));

    expect(parts).toEqual([
      'headline',
      'paragraph',
      'Next steps',
      'Evidence',
      'Workload',
      'Decision path',
      'Not ruled out',
      'Popular fixes',
      'note',
    ]);
  });

  it('names at most three other causes, and all that is no memory as one', () => {
    const verdict = { plane: 'gpu', phase: 'startup', cause: 'gpu.startup.weights', certain: false } as const;
    const none = ['none.gpu-fault', 'none.probe-kill', 'none.comm'] as const;
    const say = (alternatives: Verdict['alternatives']) => shown({ verdict: { ...verdict, alternatives } });

    expect(say(['host.shm', ...none, 'host.offload', 'host.startup.limit'])).toContain(
      'Alternatives: shared memory (/dev/shm) is full; something other than memory; caches or weights in RAM exceed the limit.',
    );
    expect(say(['none.comm', 'host.shm'])).toContain(
      'Alternatives: communication between processes failed; shared memory (/dev/shm) is full.',
    );
    expect(
      shown({ verdict: { plane: 'none', cause: 'none.other', certain: false, alternatives: [...none, 'host.shm'] } }),
    ).toContain('Alternatives: shared memory (/dev/shm) is full.');
  });
});

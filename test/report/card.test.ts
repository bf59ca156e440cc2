import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/model/fact.ts';
import { Message } from '../../src/model/message.ts';
import type { Evidence, Verdict } from '../../src/model/verdict.ts';
import { card } from '../../src/report/card.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { thread } from '../../src/report/thread.ts';
import { spanWords } from '../../src/report/words/span-words.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';

import { exampleCapture, exampleIncident, exampleSnapshot } from '../model/examples.ts';
import { AS_TEXT, aFacts, anInput, anyInput } from './inputs.ts';
import { visibleText } from './visible-text.ts';

const GIB = 2 ** 30;

const text = (message: Message): string => drawTerminal(message, AS_TEXT);
const flat = (message: Message): string => text(message).replace(/\s+/g, ' ');
const headline = (input: ReturnType<typeof anInput>) => text(card(input)).split('\n')[0];

/** The words behind a label of the card: `Cause`, `Do now`, `Evidence`; undefined where it has none. */
const part = (message: Message, label: string): string | undefined => {
  const found = message.blocks.find((one) => one.kind === 'paragraph' && spanWords(one.spans).startsWith(`${label}: `));
  return found?.kind === 'paragraph' ? spanWords(found.spans).slice(label.length + 2) : undefined;
};
const memories = (values: Parameters<typeof aFacts>[0], verdict: Partial<Verdict> = {}): string =>
  flat(card(anInput({ facts: aFacts(values), verdict }))).match(
    /RAM .*? · GPU memory[^→E]*|RAM .*?: no data \([^)]*\)/,
  )?.[0] ?? '';

const PROVEN = { certain: true, causeCertain: true } as const;
const GPU = { ...PROVEN, plane: 'gpu', phase: 'burst', cause: 'gpu.burst.headroom' } as const;
const BOTH = { ...GPU, plane: 'both' } as const;
const KILLED = { 'death.oom-killed': true };
const HOST = { ...PROVEN, plane: 'host', phase: 'burst', cause: 'host.burst.payload' } as const;

it('joins a second mitigation with “Or”, and a warning without it', () => {
  const aRemedy = (says: string): Verdict['remedies'][number] => ({
    ...{ action: 'advise', says, edits: [], direction: 'none', kind: 'stop-bleed' },
  });
  const doNow = (second: string) =>
    part(card(anInput({ verdict: { ...GPU, remedies: [aRemedy('Lower the length.'), aRemedy(second)] } })), 'Do now');

  expect(doNow('Add a GPU.')).toBe('Lower the length. Or: Add a GPU.');
  expect(doNow('Do not raise the fraction.')).toBe('Lower the length. Do not raise the fraction.');
});

describe('evidence that oombot was kept from reading', () => {
  const NO_LOG = { item: 'previous.log', reason: 'forbidden', detail: 'missing right: pods/log get in namespace llm' };
  const SLOW = { item: 'events.json', reason: 'deadline', detail: 'the API server did not answer in time' };
  const GONE = { item: 'metrics', reason: 'gone', detail: 'the container took its /metrics with it' };
  const unread = (verdict: Partial<Verdict>, ...notRead: readonly object[]) =>
    part(
      card(anInput({ verdict, diagnosis: { next: [] }, capture: { ...exampleCapture, notRead: notRead as never } })),
      'Not read',
    );
  const NO_CONTAINER = { item: 'container nope', reason: 'gone', detail: 'no such container; the pod has vllm' };
  const HEALTHY: Partial<Verdict> = { ...PROVEN, plane: 'none', phase: 'n/a', cause: 'none.other', remedies: [] };
  const OPEN = { plane: 'unknown', certain: false, causeCertain: false } as const;
  const LIKELY = { ...GPU, causeCertain: false };

  it.each([
    [
      'a log, where the cause is open',
      OPEN,
      [GONE, NO_LOG],
      'previous.log (missing right: pods/log get in namespace llm).',
    ],
    [
      'a log, where the cause is likely',
      LIKELY,
      [NO_LOG],
      'previous.log (missing right: pods/log get in namespace llm).',
    ],
    [
      'the log first',
      OPEN,
      [SLOW, NO_LOG],
      'previous.log (missing right: pods/log get in namespace llm); events.json (the API server did not answer in time).',
    ],
    ['nothing else, where the memory is known', LIKELY, [SLOW], undefined],
    ['nothing, where nothing more is needed', GPU, [NO_LOG], undefined],
    ['a container that was asked for', GPU, [NO_CONTAINER], 'container nope (no such container; the pod has vllm).'],
    ['it, where all is well', HEALTHY, [NO_CONTAINER], 'container nope (no such container; the pod has vllm).'],
    ['nothing that was never there', OPEN, [GONE, { ...NO_LOG, reason: 'gone' }], undefined],
  ])('is named: %s', (_what, verdict, notRead, says) => {
    expect(unread(verdict, ...notRead)).toBe(says);
  });
});

describe('the headline', () => {
  it.each([
    ['GPU memory at startup', { ...GPU, phase: 'startup' }, {}, /^✖ CUDA OOM: \S+ ran out of GPU memory at startup/],
    ['no phase that is not proven', { ...GPU, causeCertain: false }, {}, /ran out of GPU memory while serving/],
    [
      'a kill with its limit',
      HOST,
      { ...KILLED, 'ram.limit': 32 * GIB },
      /^✖ OOMKilled: \S+ hit its 32 GiB memory limit under load/,
    ],
    ['RAM that ran out without a kill', HOST, {}, /^✖ RAM OOM: \S+ ran out of RAM/],
    ['the node where it ran out', HOST, { 'kernel.oom-kill': 'node' }, /^✖ Node OOM: .* its node ran out of RAM/],
    ['an eviction', HOST, { 'death.evicted-for': 'memory' }, /^✖ Evicted: /],
    [
      'two failures in their order',
      BOTH,
      { ...KILLED, 'sequence.order': 'gpu-then-host' },
      /^✖ CUDA OOM, then OOMKilled: /,
    ],
    [
      'two failures, RAM first',
      BOTH,
      { ...KILLED, 'sequence.order': 'host-then-gpu' },
      /^✖ OOMKilled, then CUDA OOM: /,
    ],
    ['two failures without an order', BOTH, {}, /^✖ CUDA OOM and RAM OOM: /],
    [
      'another container of the pod',
      HOST,
      { 'death.container-role': 'sidecar', 'death.container': 'proxy' },
      /\(container proxy\)/,
    ],
    [
      'what is likely as likely',
      { ...GPU, certain: false, causeCertain: false },
      {},
      /^▲ Likely CUDA OOM: \S+ while serving/,
    ],
    [
      'what nothing proves',
      { plane: 'unknown', cause: 'unknown' },
      { 'death.exit-code': 137 },
      /^\? Inconclusive: \S+ exited with 137/,
    ],
  ] as const)('names %s', (_name, verdict, facts, words) => {
    const input = anInput({ facts: aFacts(facts), verdict, diagnosis: { headline: 'Some finding' } });

    expect(headline(input)).toMatch(words);
    expect(card(input).summary).toMatch(new RegExp(words.source.replace(/^\^(✖|▲|\\\?) /, '^')));
  });

  it('is the finding where no memory failed', () => {
    const verdict = { ...PROVEN, plane: 'none', phase: 'n/a', cause: 'none.probe-kill' } as const;

    expect(headline(anInput({ verdict, diagnosis: { headline: 'A probe ended it' } }))).toMatch(
      /^• A probe ended it: /,
    );
  });

  it('has the pod, the cluster and how often it was seen', () => {
    const words = headline(anInput({ incident: { ...exampleIncident, seen: 3 } }));

    for (const one of [exampleCapture.pod, exampleCapture.cluster, 'seen 3 times']) expect(words).toContain(one);
  });

  it('has no name of CUDA where no line has', () => {
    const from = [{ kind: 'line' as const, file: 'previous.log', line: 1, text: 'HIP out of memory.' }];

    expect(headline(anInput({ verdict: { ...GPU, evidence: [{ says: 's', fact: 'gpu.want', from }] } }))).toMatch(
      /^✖ GPU OOM: /,
    );
  });
});

describe('a dead engine behind a Ready pod', () => {
  const line = (text: string) => ({ kind: 'line' as const, file: 'current.log', line: 9, text });
  const dead = (verdict: Partial<Verdict>, ...lines: readonly string[]) => {
    const facts = new Map<string, Fact>(aFacts({ 'engine.name': 'vllm' }));
    const from = ['EngineDeadError', ...lines].map(line);
    facts.set('instance.state', { kind: 'known', value: 'engine-dead', from, at: Date.UTC(2026, 0, 15, 9, 12) });
    const evidence = [{ says: 's', fact: 'gpu.want', from: [line('CUDA out of memory')] }];
    return card(anInput({ verdict: { ...GPU, causeCertain: false, evidence, ...verdict }, facts }));
  };
  const FAILED = 'INFO: 10.0.0.9:4 - "POST /v1/completions HTTP/1.1" 500 Internal Server Error';
  const PROBED = 'INFO: 10.0.0.1:5 - "GET /health HTTP/1.1" 200 OK';

  it('says what clients get and what the probe gets', () => {
    const message = dead({}, FAILED, PROBED);

    expect(message.summary).toMatch(/^Engine dead, pod still Ready: \S+ answers 500 and still gets traffic/);
    expect(part(message, 'Cause')).toMatch(
      /^CUDA OOM at 09:12 UTC stopped the engine core; \/health still returns 200\./,
    );
    expect(flat(message)).toContain('Confidence: high ·');
  });

  it('claims no answers that were not seen', () => {
    const message = dead({});

    expect(message.summary).toMatch(/^Engine dead, pod still Ready: \S+ still gets traffic/);
    expect(part(message, 'Cause')).toMatch(/its pod is still Ready\./);
  });

  it('is told of whatever ended it, also where that is not known', () => {
    const message = dead({ plane: 'unknown', cause: 'unknown', certain: false });

    expect(part(message, 'Cause')).toMatch(/^The engine core died at 09:12 UTC; /);
    expect(flat(message)).toContain('Confidence: high that the engine is dead, unclear on the cause');
  });
});

describe('a recent change', () => {
  const change = { says: 'The rollout at 02:00 UTC cut the memory limit from 64Gi to 32Gi.', proved: false };
  const [example] = anInput().diagnosis.verdict.remedies;
  if (example === undefined) throw new Error('the example has a remedy');
  const remedy = (action: 'roll-back' | 'raise-ram', says: string) => {
    return { ...example, action, says, edits: [], kind: 'stop-bleed' as const };
  };
  const remedies = [remedy('roll-back', 'Roll back that rollout.'), remedy('raise-ram', 'Raise the limit.')];
  const verdict = { ...HOST, causeCertain: false, remedies };

  it('is the cause, and rolling it back is what to do first and the first button', () => {
    const message = card(anInput({ verdict, diagnosis: { change }, mayPlan: true }));

    expect(part(message, 'Cause')).toBe(change.says);
    expect(part(message, 'Do now')).toBe('Roll back that rollout. Or: Raise the limit.');
    expect(message.choices?.map(({ label, value }) => [label, value.split(' ')[1]])).toEqual([
      ['Roll back rollout…', 'roll-back'],
      ['Raise limit…', 'raise-ram'],
      ['Details', undefined],
    ]);
  });

  it.each([
    [false, true, 'high on RAM, likely on the cause'],
    [true, true, 'high ·'],
    [true, false, 'likely ·'],
  ])('is as sure as its figures: proved %s, memory certain %s', (proved, certain, words) => {
    const given = { ...verdict, causeCertain: true, certain, alternatives: [] };

    expect(flat(card(anInput({ verdict: given, diagnosis: { change: { ...change, proved } } })))).toContain(
      `Confidence: ${words}`,
    );
  });
});

const healthy = (facts: ReturnType<typeof aFacts>) => {
  const verdict = {
    ...PROVEN,
    plane: 'none',
    phase: 'n/a',
    cause: 'none.other',
    remedies: [],
  } satisfies Partial<Verdict>;
  return card(anInput({ facts, verdict, diagnosis: { headline: 'Healthy', next: [] } }));
};

it('tells of a healthy pod in two lines', () => {
  const facts = aFacts({
    'pod.restarting': false,
    'requests.running': 14,
    'ram.used': 20 * GIB,
    'ram.limit': 64 * GIB,
  });

  const lines = text(healthy(facts)).split('\n');

  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^✔ Healthy: \S+ is ready, 0 restarts, serving 14 requests/);
  expect(lines[1]).toMatch(/RAM 20 of 64 GiB \(31%\).*Confidence: high/);
});

it.each([
  [
    { 'ram.used': 20 * GIB, 'ram.limit': 64 * GIB, 'gpu.used': 72 * GIB, 'gpu.total': 80 * GIB },
    '(90%, KV pool 96%, normal)',
  ],
  [{ 'ram.used': 20 * GIB }, 'GPU memory no data (no memory metrics) · KV pool 96%, normal · Confidence'],
])('tells that a full KV pool is normal next to the memories of %o', (values, words) => {
  const facts = aFacts({ ...values, 'pod.restarting': false, 'kv-cache.used-share': 0.96 });

  expect(flat(healthy(facts))).toContain(words);
});

describe('the confidence', () => {
  it.each([
    [GPU, 'high'],
    [{ ...GPU, causeCertain: false }, 'high on GPU memory, likely on the cause'],
    [{ ...GPU, certain: false, causeCertain: false }, 'likely'],
    [{ ...GPU, plane: 'unknown', causeCertain: false }, 'unclear'],
  ] as const)('is said once: %j', (verdict, words) => {
    const shown = flat(card(anInput({ verdict: { ...verdict, alternatives: [] } })));

    expect(shown.match(/Confidence: /g)).toHaveLength(1);
    expect(shown).toContain(`Confidence: ${words} · ${exampleIncident.id}`);
  });

  it('counts the alternatives where the cause is open', () => {
    const alternatives: Verdict['alternatives'] = ['gpu.burst.logits', 'gpu.burst.long-context'];

    expect(flat(card(anInput({ verdict: { ...GPU, causeCertain: false, alternatives } })))).toContain(
      '· 2 alternatives',
    );
  });
});

describe('cause and action', () => {
  const given = (says: string, headlineText = 'Too little space') =>
    part(card(anInput({ verdict: GPU, diagnosis: { headline: headlineText, says } })), 'Cause');

  it('are as many sentences as fit', () => {
    expect(given('It asked for 2 GiB with 1.1 GiB free.')).toBe(
      'Too little space. It asked for 2 GiB with 1.1 GiB free.',
    );
    expect(given(`It asked for 2 GiB. X${'x'.repeat(180)}.`)).toBe('Too little space. It asked for 2 GiB.');
    expect(given('x'.repeat(2000), 'y'.repeat(2000))).toMatch(/^y{170,179}…$/);
  });

  it('leave out a headline that opens like the sentence behind it', () => {
    expect(given('RAM ran out before the engine was ready.', 'RAM ran out at startup')).toBe(
      'RAM ran out before the engine was ready.',
    );
  });

  const [remedy] = anInput().diagnosis.verdict.remedies;
  if (remedy === undefined) throw new Error('the example has a remedy');
  const look = { next: ['Look at it.'] };

  it.each([
    ['the mitigation with its change', [{ ...remedy, kind: 'lasting' as const }, remedy], /^Set --max-num-seqs 256 → /],
    ['what to look at where there is none', [{ ...remedy, kind: 'lasting' as const }], /^Look at it\.$/],
  ])('do first %s', (_name, remedies, words) => {
    expect(part(card(anInput({ verdict: { ...GPU, remedies }, diagnosis: look })), 'Do now')).toMatch(words);
  });

  it('name what is missing where nothing decides', () => {
    const message = card(anInput({ verdict: { plane: 'unknown', cause: 'unknown' } }));

    expect(part(message, 'Cause')).toBeUndefined();
    expect(part(message, 'Missing')).toContain('kernel log');
  });
});

describe('both memories', () => {
  it.each([
    [
      'use of both',
      { 'ram.used': 30 * GIB, 'ram.limit': 32 * GIB, 'gpu.used': 76 * GIB, 'gpu.total': 80 * GIB },
      'RAM 30 of 32 GiB (94%) · GPU memory 76 of 80 GiB (95%)',
    ],
    [
      'a peak as a peak',
      { 'ram.peak': 30 * GIB, 'ram.limit': 32 * GIB },
      'RAM 30 of 32 GiB (94%) at its peak · GPU memory no data',
    ],
    ['no limit as none', { 'ram.used': 30 * GIB, 'ram.limited': false }, 'RAM 30 GiB, no limit'],
    [
      'what the failure left free',
      { 'gpu.total': 80 * GIB, 'gpu.free': GIB },
      'GPU memory 79 of 80 GiB (99%) at the failure',
    ],
    ['no data once', {}, 'RAM and GPU memory: no data (no memory metrics)'],
    [
      'what is known without metrics',
      { 'ram.limit': 32 * GIB, 'death.oom-killed': false },
      'RAM (limit 32 GiB, not OOMKilled) and GPU memory: no data',
    ],
  ])('show %s', (_name, values, words) => {
    expect(memories(values)).toContain(words);
  });

  it.each([
    ['series.json', / at the last sample · /],
    ['kernel.txt', / at the kill · /],
  ])('say when the use of a killed container was read: %s', (file, words) => {
    const facts = aFacts({ 'ram.limit': 32 * GIB, 'death.oom-killed': true });
    const from = [{ kind: 'line' as const, file, line: 1, text: 'a line' }];
    const used: Fact = { kind: 'known', value: 32 * GIB, from };

    expect(flat(card(anInput({ facts: new Map<string, Fact>([...facts, ['ram.used', used]]) })))).toMatch(words);
  });

  it('give the reason for missing data', () => {
    const facts = new Map([
      ['ram.used', { kind: 'unknown' as const, reason: 'unreachable' as const, detail: 'Prometheus did not answer' }],
    ]);

    expect(flat(card(anInput({ facts })))).toContain('no data (Prometheus did not answer)');
  });
});

describe('the evidence', () => {
  const of = (evidence: Evidence[], facts = aFacts({})) =>
    part(card(anInput({ verdict: { ...GPU, evidence }, facts })), 'Evidence')?.split('\n');
  const at = (file: string, line: number, words = `text ${line}`) => [
    { kind: 'line' as const, file, line, text: words },
  ];
  const proof = (from: Evidence['from'], fact = 'gpu.want'): Evidence => ({ says: 'The fraction: 90%', fact, from });

  it('is two lines at most, what the machine said first', () => {
    const note = [{ kind: 'field' as const, file: 'incident.json', path: '/uptime', text: '"startup"' }];

    expect(
      of([note, at('previous.log', 7), at('previous.log', 8), at('describe.txt', 2)].map((from) => proof(from))),
    ).toEqual(['previous.log:7 text 7', '· previous.log:8 text 8']);
  });

  it('has what is so before what is not', () => {
    const facts = aFacts({ 'death.killed-unexplained': false, 'death.evicted-for': 'memory' });
    const evidence = [
      proof(at('describe.txt', 11), 'death.killed-unexplained'),
      proof(at('describe.txt', 5), 'death.evicted-for'),
    ];

    expect(of(evidence, facts)?.[0]).toBe('describe.txt:5 text 5');
  });

  it.each([
    [
      'an account of PyTorch by its figures',
      '(EngineCore_DP0 pid=212) ERROR 09-14 10:47:10 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.07 GiB is free. Including',
      'previous.log:1 torch.OutOfMemoryError: Tried to allocate 2.50 GiB … 1.07 GiB is free',
    ],
    ['a line without what the logger put in front', 'INFO 09-14 10:47:10 [core.py:710] ready', 'previous.log:1 ready'],
  ])('quotes %s', (_name, line, words) => {
    expect(of([proof(at('previous.log', 1, line))])).toEqual([words]);
  });

  it('is cut to 120 characters', () => {
    expect(of([proof(at('previous.log', 1, 'x'.repeat(3000)))])?.[0]?.length).toBeLessThanOrEqual(120);
  });

  it.each([
    [
      'a field as kubectl prints it',
      '/status/containerStatuses/0/lastState/terminated/reason',
      '"OOMKilled"',
      'pod.json lastState.terminated.reason=OOMKilled',
    ],
    [
      'a flag with what it proves',
      '/args/7',
      '"--kv_fraction"',
      'pod.json /args/7 "--kv_fraction" (The fraction: 90%)',
    ],
  ])('quotes %s', (_name, path, value, words) => {
    expect(of([proof([{ kind: 'field', file: 'pod.json', path, text: value }])])).toEqual([words]);
  });

  it.each([
    ['container.memory.working-set', 49_875_307_724, '46.4 GiB'],
    ['kv-cache.used-share', 0.97, '97%'],
    ['requests.running', 12, '12'],
  ])('quotes samples of %s as they are read', (series, value, words) => {
    const from = [{ kind: 'sample' as const, file: 'series.json' as const, series, at: 0, value }];

    expect(of([proof(from, 'ram.used')])).toEqual([`series.json ${series} ${words} at 1970-01-01 00:00:00Z`]);
  });
});

describe('the buttons', () => {
  const asks = (given: Parameters<typeof anInput>[0]) => card(anInput(given)).choices?.map((one) => one.asks);

  it('offer a plan where one may be made, and the details always', () => {
    const remedies = anInput().diagnosis.verdict.remedies.map((one) => ({
      ...one,
      kind: 'stop-bleed' as const,
      action: 'set-args' as const,
    }));

    expect(asks({ mayPlan: true, verdict: { remedies } })).toEqual(['plan', 'explain']);
    expect(asks({ mayPlan: false, verdict: { remedies } })).toEqual(['explain']);
    expect(asks({ incident: undefined, folder: 'a/folder' })).toEqual(['explain']);
    expect(asks({ incident: undefined })).toBeUndefined();
  });

  it('stand behind what to do, in Slack and on a terminal', () => {
    const message = card(anInput({ verdict: GPU }));
    const kinds = message.blocks.map(({ kind }) => kind);

    expect(drawMessage(message).blocks.findIndex(({ type }) => type === 'actions')).toBe(kinds.indexOf('buttons'));
    expect(text(message)).toMatch(/Do now[\s\S]*→ oom explain[\s\S]*GPU memory/);
  });
});

it('says in explain why nothing of a kind is offered', () => {
  const { diagnosis, facts } = anInput();
  const verdict = { ...diagnosis.verdict, remedies: [] };
  const without = [{ kind: 'stop-bleed' as const, why: 'nothing has failed' }];

  const [shown] = explainMessages({ diagnosis: { ...diagnosis, verdict, without }, facts, evidence: 'full' });

  expect(shown === undefined ? '' : text(shown)).toContain('nothing to change: nothing has failed.');
});

it('shows neither evidence nor figures where another organization reads along', () => {
  const verdict = { ...HOST };
  const facts = aFacts({ 'gpu.want': GIB, 'ram.limit': GIB, 'death.oom-killed': true });
  const input = anInput({ evidence: 'verdict-only', facts, verdict, snapshot: exampleSnapshot });

  const shown = text(card(input));

  expect(shown).toMatch(/OOMKilled: .* ran out of RAM under load/);
  expect(shown).not.toMatch(/GiB|previous\.log|CUDA out of memory/);
  expect(thread(input)).toEqual({ messages: [], files: [] });
});

it('draws anything the types allow as a sound message that keeps its budget and does nothing to a terminal', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const finding = card(input);

      expect(drawMessage(finding).blocks.length).toBeLessThanOrEqual(8);
      expect(visibleText(finding).length).toBeLessThanOrEqual(1000);
      for (const message of [finding, ...thread(input).messages, ...explainMessages(input)]) {
        expect(Message.safeParse(message).error).toBeUndefined();
        const shown = drawTerminal(message, AS_TEXT);
        expect(shown).not.toMatch(/\p{Cc}(?<![\n\t])/u);
      }
    }),
    { seed: 11, numRuns: 150 },
  );
});

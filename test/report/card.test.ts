import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, Message } from '../../src/model/message.ts';
import { card } from '../../src/report/card.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { thread } from '../../src/report/thread.ts';
import { exampleCapture, exampleIncident, exampleSnapshot } from '../model/examples.ts';
import { AS_TEXT, aFacts, anInput, anyInput } from './inputs.ts';

const GIB = 2 ** 30;

const text = (message: Message): string => drawTerminal(message, AS_TEXT);
const block = <K extends Block['kind']>(message: Message, kind: K) =>
  message.blocks.find((one): one is Extract<Block, { kind: K }> => one.kind === kind);

const OF_CONTAINER = aFacts({ 'death.container': 'engine' });

describe('the headline', () => {
  it.each([
    ['gpu', 'startup', 'gpu.startup.kv-room', 'GPU memory, at start-up'],
    ['host', 'chronic', 'host.chronic.leak', 'Container RAM, over time'],
    ['both', 'burst', 'gpu.burst.headroom', 'RAM and GPU memory, under traffic'],
    ['none', 'n/a', 'none.probe-kill', 'Not memory'],
    ['unknown', 'startup', 'unknown', 'Cannot tell which memory'],
  ] as const)('names plane %s and when', (plane, phase, cause, words) => {
    const verdict = { plane, phase, cause, certain: true, causeCertain: true };
    const message = card(anInput({ facts: OF_CONTAINER, verdict }));

    expect(text(message).split('\n')[0]).toContain(words);
    expect(message.summary).toContain(words);
  });

  it.each([
    ['gpu', 'burst', 'gpu.burst.headroom', /^Probably GPU memory, under traffic:/],
    ['host', 'n/a', 'host.startup.limit', /^Probably container RAM:/],
    ['none', 'n/a', 'none.comm', /^Probably not memory:/],
    ['unknown', 'startup', 'unknown', /^Cannot tell which memory, probably at start-up:/],
  ] as const)('is no surer of the memory than the verdict is: %s', (plane, phase, cause, words) => {
    const message = card(anInput({ facts: OF_CONTAINER, verdict: { plane, phase, cause, certain: false } }));

    expect(message.summary).toMatch(words);
  });

  it('speaks of RAM and of no container where nothing shows one', () => {
    const verdict = { plane: 'host', phase: 'n/a', cause: 'host.startup.limit' } as const;

    expect(card(anInput({ verdict: { ...verdict, certain: true, causeCertain: true } })).summary).toMatch(/^RAM:/);
    expect(card(anInput({ verdict: { ...verdict, certain: false } })).summary).toMatch(/^Probably RAM:/);
  });

  it.each([
    ['startup', 'GPU memory, at start-up:'],
    ['burst', 'GPU memory, while serving:'],
    ['chronic', 'GPU memory, while serving:'],
    ['n/a', 'GPU memory:'],
  ] as const)('says of the time what is proved where the cause is open: %s', (phase, words) => {
    const verdict = { plane: 'gpu', phase, cause: 'gpu.burst.headroom', certain: true, causeCertain: false } as const;

    expect(card(anInput({ verdict })).summary).toContain(words);
  });

  it.each([
    ['host.node-pressure', { 'death.evicted-for': 'memory' }, 'RAM of the node', 'the RAM of the node ran out'],
    ['host.startup.weight-staging', { 'kernel.oom-kill': 'node' }, 'RAM of the node', 'the RAM of the node ran out'],
    ['host.node-pressure', {}, 'RAM', 'RAM ran out'],
    ['host.burst.payload', { 'kernel.oom-kill': 'container' }, 'Container RAM', 'container RAM ran out'],
  ] as const)('does not blame the container where the node ran out: %s, %j', (cause, facts, label, proved) => {
    const verdict = { plane: 'host', phase: 'burst', cause, certain: true, causeCertain: false } as const;
    const input = anInput({ verdict, facts: aFacts(facts) });

    expect(card(input).summary).toMatch(new RegExp(`^${label}, while serving: `));
    expect(text(card(input)).replace(/\s+/g, ' ')).toContain(`Certain: ${proved} while serving.`);
    expect(text(explainMessages(input)[0] as Message)).toContain(`${label}, while serving: `);
    expect(block(card(input), 'memories')?.ram.mark === 'bad').toBe(label !== 'RAM of the node');
  });

  it('counts a repeat, and says since when', () => {
    const message = card(anInput({ incident: { ...exampleIncident, seen: 3 } }));

    expect(message.summary).toContain('seen 3 times');
    expect(text(message).replace(/\s+/g, ' ')).toMatch(/seen 3 times since 2026-01-15 03:00/);
  });

  it.each([
    ['previous', 'the instance before this one'],
    ['current', 'this instance'],
  ] as const)('names the instance whose %s log holds the proof where both were read', (instance, words) => {
    const file = `vllm.${instance}.log`;
    const from = [{ kind: 'line' as const, file, line: 1, text: 'x' }];
    const log = (previous: boolean) => ({
      file: `vllm.${previous ? 'previous' : 'current'}.log`,
      container: 'vllm',
      previous,
      readBytes: 1,
      keptBytes: 1,
      totalBytes: null,
      parts: ['whole' as const],
      cut: null,
    });
    const capture = { ...exampleCapture, logs: [log(true), log(false)] };

    const proven = card(anInput({ capture, verdict: { evidence: [{ says: 's', fact: 'gpu.want', from }] } }));
    const unproven = card(anInput({ capture, verdict: { evidence: [] } }));

    expect(text(proven).split('\n\n')[0]?.replace(/\s+/g, ' ')).toContain(`container vllm, ${words}`);
    expect(text(unproven).split('\n\n')[0]).not.toContain('instance');
  });
});

describe('how sure it is', () => {
  it.each([
    [
      'certain',
      { certain: true, causeCertain: true },
      /Certain: the evidence decides, and nothing in it points to another cause/,
    ],
    [
      'certain of the memory, with what it could be',
      { phase: 'burst' as const, certain: true },
      /Certain: GPU memory ran out while serving\. Not certain: why\. Likeliest: .* It could also be: the memory fraction/s,
    ],
    [
      'certain of the memory alone',
      { phase: 'n/a' as const, certain: true },
      /GPU memory ran out\. Not certain: when and why/,
    ],
    [
      'probable, with what else it could be',
      { certain: false },
      /Probable, not certain\. Likeliest: .*CUDA graphs.*memory fraction leaves no room/s,
    ],
    ['cannot tell, with what would', { plane: 'unknown' as const }, /Cannot tell.*kernel log/s],
  ])('says %s', (_name, verdict, words) => {
    expect(text(card(anInput({ verdict }))).replace(/\s+/g, ' ')).toMatch(words);
  });
});

describe('both memories', () => {
  it('are there when nothing is known of either, with the reason', () => {
    const memories = block(card(anInput({ facts: aFacts({}) })), 'memories');

    expect(memories?.ram.lines.join(' ')).toMatch(/not known: no metrics/);
    expect(memories?.gpu.lines.join(' ')).toMatch(/not known: no metrics/);
    expect(memories?.ram.mark).toBe('unknown');
  });

  it('show use against limit and total', () => {
    const facts = aFacts({ 'ram.used': 30 * GIB, 'ram.limit': 32 * GIB, 'gpu.used': 76 * GIB, 'gpu.total': 80 * GIB });

    const memories = block(card(anInput({ facts })), 'memories');

    expect(memories?.ram.lines).toContain('used 30 GiB of 32 GiB (94%)');
    expect(memories?.gpu.lines).toContain('used 76 GiB of 80 GiB (95%)');
  });

  it.each([
    [
      'a kill with GPU memory free',
      { 'death.oom-killed': true, 'gpu.used-share': 0.6 },
      '40% of GPU memory was free and the container was still OOMKilled',
    ],
    ['what others hold', { 'gpu.foreign': 20 * GIB }, '20 GiB held by other processes'],
  ])('say %s', (_name, values, sentence) => {
    const memories = block(card(anInput({ facts: aFacts(values) })), 'memories');

    expect([...(memories?.ram.lines ?? []), ...(memories?.gpu.lines ?? [])]).toContain(sentence);
  });
});

describe('the mark beside a memory', () => {
  it.each([
    ['ram', 'gpu', 'nothing is known', {}, 'unknown'],
    ['ram', 'gpu', 'the status says it was not killed', { 'death.oom-killed': false }, 'ok'],
    ['ram', 'gpu', 'it was killed, though GPU memory failed first', { 'death.oom-killed': true }, 'warn'],
    ['ram', 'gpu', 'it was full', { 'ram.used': 31 * GIB, 'ram.used-share': 0.97 }, 'warn'],
    ['ram', 'gpu', 'it had room', { 'ram.used': 3 * GIB, 'ram.used-share': 0.1 }, 'ok'],
    ['ram', 'host', 'it failed', {}, 'bad'],
    ['gpu', 'host', 'nothing is known', {}, 'unknown'],
    ['gpu', 'host', 'the error is another', { 'gpu.oom-logged': false }, 'ok'],
    ['gpu', 'host', 'the log tells of it too', { 'gpu.oom-logged': true }, 'warn'],
    ['gpu', 'host', 'it is full by design', { 'gpu.used': 79 * GIB, 'gpu.total': 80 * GIB }, 'ok'],
    ['gpu', 'both', 'it failed', {}, 'bad'],
  ] as const)('%s, plane %s: where %s', (side, plane, _name, values, mark) => {
    const verdict = { plane, certain: true };
    const memories = block(card(anInput({ verdict, facts: aFacts(values) })), 'memories');

    expect(memories?.[side].mark).toBe(mark);
  });

  it.each(['ram', 'gpu'] as const)('warns of %s where it is not proved which one failed', (side) => {
    const memories = block(card(anInput({ verdict: { plane: 'both', certain: false } })), 'memories');

    expect(memories?.[side].mark).toBe('warn');
  });

  it.each([
    ['what would tell of RAM', {}, 'ram', /use not known.*container memory from Prometheus would tell/],
    ['what would tell of the GPU', {}, 'gpu', /use not known.*DCGM metrics or nvidia-smi would tell/],
    ['why a tick stands beside an unknown use', { 'gpu.oom-logged': false }, 'gpu', /^the error in the log is not/],
    ['a peak as a peak', { 'ram.peak': 30 * GIB, 'ram.limit': 32 * GIB }, 'ram', /^at its peak 30 GiB of 32 GiB/],
    ['what would tell of a kill', {}, 'ram', /OOMKilled or not: not known; the pod status would tell/],
    ['who may have killed it', { 'death.killed-unexplained': true }, 'ram', /signal 9.*kernel log of the node/],
    ['that there is no limit', { 'ram.used': 30 * GIB, 'ram.limited': false }, 'ram', /^used 30 GiB, no limit set/],
    ['who holds the GPU', { 'gpu.allocated': 75 * GIB }, 'gpu', /75 GiB in live tensors of the engine/],
    ['who came before', { 'gpu.taken-before-start': 9 * GIB }, 'gpu', /9 GiB in use before the engine started/],
  ] as const)('is followed by %s', (_name, values, side, words) => {
    const memories = block(card(anInput({ facts: aFacts(values) })), 'memories');

    expect(memories?.[side].lines.some((line) => words.test(line))).toBe(true);
  });

  it('is followed by the reason where a metric was asked for in vain', () => {
    const facts = new Map([
      ['ram.used', { kind: 'unknown' as const, reason: 'unreachable' as const, detail: 'Prometheus did not answer' }],
    ]);

    expect(block(card(anInput({ facts })), 'memories')?.ram.lines.join(' ')).toContain('Prometheus did not answer');
  });
});

describe('the rows', () => {
  it.each([
    [0.89, 'ok', 'has room'],
    [0.9, 'warn', 'nearly full'],
    [0.95, 'bad', 'full'],
  ])('say of a pool %d in use what the playbook says', (share, mark, verdict) => {
    const message = card(anInput({ facts: aFacts({ 'kv-cache.used-share': share }) }));

    expect(block(message, 'rows')?.rows).toMatchObject([{ name: 'KV cache in use', mark, verdict }]);
  });

  it('begin with what proves the finding and hold no unknown', () => {
    const facts = aFacts({ 'engine.weights': 17 * GIB, 'gpu.want': GIB, 'gpu.free': 2 ** 28 });
    const from = [{ kind: 'line' as const, file: 'previous.log', line: 1, text: 'x' }];

    const rows = block(
      card(anInput({ facts, verdict: { evidence: [{ says: 'w', fact: 'engine.weights', from }] } })),
      'rows',
    )?.rows;

    expect(rows?.[0]).toMatchObject({ name: 'weights per GPU', seen: '17 GiB' });
    expect(rows?.[1]).toMatchObject({ name: 'one allocation', limit: 'free 256 MiB', verdict: 'did not fit' });
    expect(rows).toHaveLength(2);
  });

  it.each([
    ['nothing is known', {}],
    ['what is known says that nothing was seen', { 'engine.last-milestone': 'none' }],
  ])('are left out where %s', (_name, values) => {
    expect(block(card(anInput({ facts: aFacts(values), verdict: { evidence: [] } })), 'rows')).toBeUndefined();
  });

  it.each([
    ['climb', 'bad', 'grows without end'],
    ['plateau', 'info', 'rose, then stayed'],
    ['spike', 'warn', 'one sudden rise'],
  ])('put the shape %s into words', (shape, mark, verdict) => {
    const message = card(anInput({ verdict: { plane: 'host' }, facts: aFacts({ 'ram.shape': shape }) }));

    expect(block(message, 'rows')?.rows).toContainEqual(expect.objectContaining({ seen: shape, mark, verdict }));
  });

  it.each([
    ['the verdict says so', { cause: 'gpu.chronic.fragmentation', causeCertain: true }, 2 * GIB, 'bad', 'in pieces'],
    ['the verdict thinks so', { cause: 'gpu.chronic.fragmentation' }, 2 * GIB, 'warn', 'in pieces'],
    ['it is another cause', { alternatives: ['gpu.chronic.fragmentation'] }, 2 * GIB, 'warn', 'perhaps in pieces'],
    ['the verdict is another', { causeCertain: true }, 2 * GIB, 'info', 'no piece was large enough'],
    ['they are fewer than was wanted', {}, GIB / 2, 'info', 'less than was wanted'],
  ] as const)('speak of pieces as the verdict does: %s', (_name, verdict, slack, mark, words) => {
    const facts = aFacts({ 'gpu.want': GIB, 'gpu.reserved-unallocated': slack });
    const given = { plane: 'gpu', certain: true, cause: 'gpu.startup.weights', alternatives: [], ...verdict } as const;

    const rows = block(
      card(anInput({ facts, verdict: { ...given, alternatives: [...given.alternatives] } })),
      'rows',
    )?.rows;

    expect(rows).toContainEqual(expect.objectContaining({ name: 'reserved, not allocated', mark, verdict: words }));
  });

  it.each([
    [undefined, 'as configured'],
    [true, 'by default'],
  ] as const)('say of a setting whether it is a default: %s', (byDefault, words) => {
    const from = [{ kind: 'line' as const, file: 'previous.log', line: 1, text: 'v1' }];
    const facts = new Map([
      ['engine.utilization', { kind: 'known' as const, value: 0.9, from, ...(byDefault && { byDefault }) }],
    ]);

    expect(block(card(anInput({ facts })), 'rows')?.rows).toMatchObject([{ name: 'memory fraction', verdict: words }]);
  });

  it('are six at most', () => {
    const facts = aFacts({
      'death.reason': 'Error',
      'gpu.want': GIB,
      'engine.kv-needed': GIB,
      'engine.max-model-len': 8192,
      'gpu.unmanaged': GIB,
      'gpu.reserved-unallocated': GIB,
      'engine.weights': GIB,
      'gpu.used-share': 0.9,
    });

    expect(block(card(anInput({ facts })), 'rows')?.rows).toHaveLength(6);
  });
});

describe('what follows', () => {
  it('quotes the second line of a proof where there is room', () => {
    const line = (n: number, words: string) => ({ kind: 'line' as const, file: 'describe.txt', line: n, text: words });
    const from = [line(5, 'Reason: Evicted'), line(6, 'Message: The node was low on resource: memory.')];
    const evidence = [{ says: 'Evicted for: memory', fact: 'death.evicted-for', from }];

    expect(block(card(anInput({ verdict: { evidence } })), 'quote')?.lines).toEqual([
      'describe.txt:5  Reason: Evicted',
      'describe.txt:6  Message: The node was low on resource: memory.',
    ]);
  });

  it('quotes what is so before what is not', () => {
    const said = (fact: string, line: number) => ({
      says: fact,
      fact,
      from: [{ kind: 'line' as const, file: 'describe.txt', line, text: `line ${line}` }],
    });
    const evidence = [said('death.killed-unexplained', 11), said('death.evicted-for', 5)];
    const facts = aFacts({ 'death.killed-unexplained': false, 'death.evicted-for': 'memory' });

    expect(block(card(anInput({ verdict: { evidence }, facts })), 'quote')?.lines).toEqual([
      'describe.txt:5  line 5',
      'describe.txt:11  line 11',
    ]);
  });

  it.each([
    ['a flag whose value stands behind it', '/args/7', '"--kv_fraction"', '  (The fraction: 90%)'],
    ['an image whose default it is', '/image', '"tgi:3.0.1"', '  (The fraction: 90%)'],
    ['a flag with its value', '/args/7', '"--kv-fraction=0.9"', ''],
  ])('says what %s proves', (_name, path, value, words) => {
    const from = [{ kind: 'field' as const, file: 'pod.json', path, text: value }];
    const evidence = [{ says: 'The fraction: 90%', fact: 'engine.utilization', from }];

    expect(block(card(anInput({ verdict: { evidence } })), 'quote')?.lines).toEqual([
      `pod.json ${path}  ${value}${words}`,
    ]);
  });

  it.each([
    ['container.memory.working-set', 49_875_307_724, '46.4 GiB'],
    ['kv-cache.used-share', 0.97, '97%'],
    ['requests.running', 12, '12'],
  ])('quotes samples of %s as they are read', (series, value, words) => {
    const from = [{ kind: 'sample' as const, file: 'series.json' as const, series, at: 0, value }];
    const evidence = [{ says: 'Use', fact: 'ram.used', from }];

    expect(block(card(anInput({ verdict: { evidence } })), 'quote')?.lines).toEqual([
      `series.json ${series}  ${words} at 1970-01-01 00:00:00Z`,
    ]);
  });

  it('quotes what the machine said before what somebody noted, three at most', () => {
    const at = (file: string, line: number) => [{ kind: 'line' as const, file, line, text: `text ${line}` }];
    const note = [{ kind: 'field' as const, file: 'incident.json', path: '/uptime', text: '"startup"' }];
    const evidence = [note, at('previous.log', 7), at('previous.log', 8), at('describe.txt', 2)].map((from) => ({
      says: 's',
      fact: 'gpu.want',
      from,
    }));

    const lines = block(card(anInput({ verdict: { evidence } })), 'quote')?.lines;

    expect(lines).toEqual(['previous.log:7  text 7', 'previous.log:8  text 8', 'describe.txt:2  text 2']);
  });

  it('puts the stop-bleed before the lasting', () => {
    const [remedy] = anInput().diagnosis.verdict.remedies;
    if (remedy === undefined) throw new Error('the example has a remedy');
    const remedies = [{ ...remedy, kind: 'lasting' as const, says: 'Later.' }, remedy];

    const shown = text(card(anInput({ verdict: { remedies } })));

    expect(shown.indexOf('Now:')).toBeLessThan(shown.indexOf('For good:'));
    expect(shown).toContain('--max-num-seqs 256');
  });

  it('says why nothing of a kind is offered', () => {
    const { diagnosis, facts } = anInput();
    const verdict = { ...diagnosis.verdict, remedies: [] };
    const without = [{ kind: 'stop-bleed' as const, why: 'nothing has failed' }];

    const [shown] = explainMessages({ diagnosis: { ...diagnosis, verdict, without }, facts, evidence: 'full' });

    expect(shown === undefined ? '' : text(shown)).toContain('Now: nothing to change: nothing has failed.');
  });
});

describe('where another organisation reads along', () => {
  it('neither card nor thread shows evidence or figures', () => {
    const input = anInput({ evidence: 'verdict-only', facts: aFacts({ 'gpu.want': GIB }), snapshot: exampleSnapshot });

    const shown = text(card(input));

    expect(shown).toMatch(/Probably GPU memory, at start-up/);
    expect(shown).not.toMatch(/GiB|previous\.log|CUDA out of memory/);
    expect(thread(input)).toEqual({ messages: [], files: [] });
  });
});

it('draws anything the types allow as a sound message that does nothing to a terminal', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const messages = [card(input), ...thread(input).messages, ...explainMessages(input)];

      for (const message of messages) {
        expect(Message.safeParse(message).error).toBeUndefined();
        const shown = drawTerminal(message, AS_TEXT);
        expect(shown).not.toMatch(/\p{Cc}(?<![\n\t])/u);
      }
    }),
    { seed: 11, numRuns: 150 },
  );
});

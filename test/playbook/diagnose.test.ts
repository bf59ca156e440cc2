import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/model/fact.ts';
import { Diagnosis, type Verdict } from '../../src/model/verdict.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { factsOf, known, oneQuestion, playbookOf, smallText, unknown } from './builders.ts';

const START = { 'gpu.oom-logged': true, 'engine.became-ready': false };
const READY = { 'gpu.oom-logged': true, 'engine.became-ready': true, 'prefix-cache.enabled': false };
const EDGE = { ...READY, 'death.uptime': 7200, 'gpu.want': 20 * 2 ** 20 };
const PROOF = 'proof: [gpu.oom-logged, gpu.want]';
const SMALL = 'A small allocation of {{gpu.want}} failed.';

function verdictOf(facts: Parameters<typeof factsOf>[0], text = smallText()): Verdict {
  return diagnose(playbookOf(text), factsOf(facts), 'snap').verdict;
}

describe('a verdict', () => {
  it('keeps to the contract and names snapshot and playbook', () => {
    const diagnosis = diagnose(playbookOf(smallText()), factsOf(EDGE), 'snap');

    expect(Diagnosis.parse(diagnosis)).toEqual(diagnosis);
    expect(diagnosis.verdict.id).toBe('snap');
    expect(diagnosis.playbook).toEqual({ name: 'small', version: 1, hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(diagnosis.bucket).toBe('overhead');
    expect(diagnosis.headline).toBe('GPU memory is used to the edge');
    expect(diagnosis.says).toBe('A small allocation of 20 MiB failed.');
  });

  it('cites each known proof in the order of the finding, and leaves unknown ones out', () => {
    const facts = { 'gpu.oom-logged': true, 'engine.became-ready': false, 'gpu.free': 2 ** 20, 'gpu.want': unknown() };

    const { evidence } = verdictOf(facts);

    expect(evidence.map(({ fact, says }) => [fact, says])).toEqual([
      ['gpu.oom-logged', 'A line proves a GPU memory shortage'],
      ['gpu.free', 'Free on the GPU at that moment: 1 MiB'],
    ]);
    expect(evidence[0]?.from).toEqual([{ kind: 'line', file: 'previous.log', line: 1, text: 'a line' }]);
  });

  it.each([
    ['was not asked for', { 'gpu.want': 20 * 2 ** 20 }, 'prefix-cache.enabled', []],
    ['was asked for by the way', { 'gpu.want': 20 * 2 ** 20 }, 'engine.became-ready', ['engine.became-ready']],
  ])('leaves out a no that %s', (_name, facts, no, left) => {
    const text = smallText(['proof: [gpu.oom-logged, gpu.want, gpu.free]', `proof: [gpu.oom-logged, ${no}]`]);

    const { evidence, certain } = verdictOf({ ...START, 'prefix-cache.enabled': false, ...facts }, text);

    expect(evidence.map(({ fact }) => fact)).toEqual(['gpu.oom-logged', ...left]);
    expect(certain).toBe(verdictOf({ ...START, ...facts }).certain);
  });

  it.each([
    ['has words for that', 'engine.became-ready', ['The container had not become ready']],
    ['has none, since the words of what is so would be read as proof', 'log.terminated', []],
  ])('lists a no where its fact %s', (_name, no, said) => {
    const text = smallText(['- { fact: engine.became-ready, is: false }', `- { fact: ${no}, is: false }`]).replace(
      'proof: [gpu.oom-logged, gpu.want, gpu.free]',
      `proof: [${no}]`,
    );
    const facts = { ...EDGE, 'evidence.cause': 'gpu.startup.kv-room', [no]: false };

    const { evidence, certain } = verdictOf(facts, text);

    expect(evidence.map(({ says }) => says)).toEqual(said);
    // That something is not so may be all the proof there is.
    expect(certain).toBe(true);
  });

  it('says of a default that nobody set it, and cites what it is the default of', () => {
    const line = (n: number, text: string) => ({ kind: 'line' as const, file: 'previous.log', line: n, text });
    const want: Fact = { kind: 'known', value: 128, from: [line(1, 'v1'), line(2, '--model')], byDefault: true };
    const text = smallText(['proof: [gpu.oom-logged, gpu.want, gpu.free]', 'proof: [engine.max-num-seqs]']);

    const [evidence] = verdictOf({ ...EDGE, 'engine.became-ready': false, 'engine.max-num-seqs': want }, text).evidence;

    expect(evidence).toMatchObject({ says: 'Maximum sequences per batch: 128, by default', from: [line(1, 'v1')] });
  });

  it.each([
    ['elsewhere', 2, ['evidence.plane', 'gpu.free']],
    ['in the proof', 1, ['gpu.free']],
  ])('quotes the line that named the memory, which stands %s', (_name, line, cited) => {
    const text = oneQuestion('      - { id: gpu, if: { fact: evidence.plane, is: gpu }, finding: a }', {
      findings: 'a: { plane: gpu, phase: n/a, cause: gpu.burst.headroom, headline: a, says: a., proof: [gpu.free] }',
    });
    const named: Fact = {
      kind: 'known',
      value: 'gpu',
      from: [{ kind: 'line', file: 'previous.log', line, text: 'OOM' }],
    };

    const { evidence } = verdictOf({ 'evidence.plane': named, 'gpu.free': 2 ** 20 }, text);

    expect(evidence.map(({ fact }) => fact)).toEqual(cited);
  });

  it('says "not known" for a fact that is missing, and leaves a sentence out as long as one is left', () => {
    const more = smallText([SMALL, `${SMALL} Free: {{gpu.free}}. So it is.`]);
    const says = (facts: Parameters<typeof factsOf>[0], text = smallText()) =>
      diagnose(playbookOf(text), factsOf(facts), 'snap').says;

    expect(says(START)).toMatch(/asked for not known with not known free/);
    expect(says(EDGE, more)).toBe('A small allocation of 20 MiB failed. So it is.');
  });

  it('keeps foreign text to one short line', () => {
    const text = smallText(['A small allocation of {{gpu.want}}', 'Engine {{engine.name}}']);
    const name = `v\n\u001b[31mllm\u202e${'x'.repeat(5000)}`;

    const { says } = diagnose(playbookOf(text), factsOf({ ...EDGE, 'engine.name': name }), 'snap');

    expect(says).toMatch(/^Engine v \[31mllm x+\.\.\. failed\.$/);
    expect(says.length).toBeLessThan(350);
  });

  it.each([
    [{ 'evidence.cause': 'gpu.startup.kv-room' }, 'gpu.startup.kv-room', true],
    [{ 'evidence.cause': 'gpu.burst.logits' }, 'gpu.startup.weights', false],
    [{}, 'gpu.startup.weights', false],
  ])('takes the cause from a fact where it is among those named: %j', (named, cause, certain) => {
    expect(verdictOf({ ...START, ...named })).toMatchObject({ cause, certain });
  });

  it('takes the phase from the cause where told to', () => {
    const causeOf = (cause: string) => `cause: ${cause}\n    headline: GPU memory is used`;
    const text = smallText([causeOf('gpu.burst.headroom'), causeOf('gpu.startup.shared-gpu')]);

    expect([verdictOf(EDGE).phase, verdictOf(EDGE, text).phase]).toEqual(['burst', 'startup']);
  });

  it('makes advice of an offer whose flag the engine does not have, and names the profile that has the values', () => {
    const offer =
      '{ set: [{ flag: --max-model-len, was: engine.max-model-len, to: "8192", why: leaves room for the weights }] }';
    const of = (engine: string, text?: string) => verdictOf({ 'engine.name': engine, ...START }, text).remedies[0];
    const profile = smallText([offer, '{ profile: emergency }']);

    expect(of('triton')).toMatchObject({ action: 'advise', says: 'Start once with short contexts.', edits: [] });
    expect(of('vllm', profile)).toMatchObject({ action: 'stop-bleed', profile: 'emergency', edits: [] });
    expect(of('vllm')).not.toHaveProperty('profile');
  });

  it.each([
    ['behind the own ones, where it is the cause', ['gpu.startup.weights'], true, ['advise', 'advise', 'roll-back']],
    ['not where it is another', ['gpu.burst.headroom'], true, ['advise', 'advise']],
    ['not where its condition is not met', ['gpu.startup.weights'], false, ['advise', 'advise']],
  ])('makes the offers of a cause %s', (_name, causes, changed, actions) => {
    const offer = `  roll-back:
    for: [${causes}]
    action: roll-back
    if: { fact: gpu.oom-bare, is: true }
    kind: stop-bleed
    direction: none
    says: Go back.
  twice: { for: [${causes}], action: advise, kind: lasting, direction: none, says: Twice. }
`;
    const start = { ...START, 'engine.name': 'triton', 'gpu.oom-bare': changed };

    const { remedies, cause } = verdictOf(start, `${smallText()}${offer}`);

    expect(cause).toBe('gpu.startup.weights');
    expect(remedies.map(({ action }) => action)).toEqual(actions);
    expect(remedies.map(({ says }) => says)).not.toContain('Twice.');
  });

  it.each([
    ['with what its figures prove', { 'revision.took-ram': 'cut it', 'death.oom-killed': true }, true],
    ['as likely where they do not', { 'revision.took-ram': 'cut it', 'death.oom-killed': false }, false],
    ['not where its condition is not met', { 'revision.took-ram': 'nothing', 'death.oom-killed': true }, undefined],
  ])('puts an offer that leads first, and its words before the cause, %s', (_name, given, proved) => {
    const offer = `  lead:
    for: [gpu.startup.weights]
    leads: { says: "It {{revision.took-ram}}.", proof: [revision.took-ram], proved: { fact: death.oom-killed, is: true } }
    action: roll-back
    if: { not: { fact: revision.took-ram, is: nothing } }
    kind: stop-bleed
    direction: none
    says: Go back.
`;
    const { verdict, change } = diagnose(
      playbookOf(`${smallText()}${offer}`),
      factsOf({ ...START, 'engine.name': 'triton', ...given }),
      'snap',
    );

    expect(change).toEqual(proved === undefined ? undefined : { says: 'It cut it.', proved });
    expect(verdict.remedies[0]?.action).toBe(proved === undefined ? 'advise' : 'roll-back');
    expect(verdict.evidence.map(({ fact }) => fact).includes('revision.took-ram')).toBe(proved !== undefined);
  });

  it.each([
    ['engines: [vllm, sglang]', 'sglang', true],
    ['engines: [vllm, sglang]', 'ollama', false],
    ['engines: [vllm, sglang]', undefined, false],
    ['not-engines: [ollama]', 'ollama', false],
    ['not-engines: [ollama]', 'vllm', true],
    ['not-engines: [ollama]', undefined, true],
    ['unless: { fact: engine.name, is: ollama }', 'ollama', false],
    ['unless: { fact: engine.name, is: ollama }', 'vllm', true],
    ['unless: { fact: engine.name, is: ollama }', undefined, true],
  ])('offers under `%s` to %s: %s', (key, engine, isOffered) => {
    const text = smallText(['direction: set', `direction: set\n    ${key}`]);
    const facts = { ...EDGE, 'gpu.fragmented': true, ...(engine === undefined ? {} : { 'engine.name': engine }) };

    expect(verdictOf(facts, text).remedies.some(({ action }) => action === 'set-allocator')).toBe(isOffered);
    expect(verdictOf({ ...facts, 'gpu.fragmented': false }, text).remedies).toEqual([]);
  });

  it('takes its headline from a fact that is known, and nowhere else', () => {
    const edge = 'GPU memory is used to the edge';
    const text = smallText([`headline: ${edge}`, `headline: { fact: engine.model, otherwise: ${edge} }`]);
    const of = (more: Parameters<typeof factsOf>[0]) =>
      diagnose(playbookOf(text), factsOf({ ...EDGE, ...more }), 'snap');
    const open = of({ 'engine.model': 'a model', 'gpu.want': unknown() });

    expect(of({ 'engine.model': 'a model' }).headline).toBe('a model');
    expect(of({}).headline).toBe(edge);
    expect(open.verdict.notRuledOut.map(({ headline }) => headline)).not.toContain('a model');
  });

  it.each([
    ['a cause that cannot be', true, ['gpu.burst.long-context']],
    ['one that may be', false, ['gpu.startup.kv-room', 'gpu.burst.long-context']],
    ['one of which that is not known', undefined, ['gpu.startup.kv-room', 'gpu.burst.long-context']],
  ])('names %s among the alternatives only where it may be', (_name, handsOver, alternatives) => {
    const text = smallText([PROOF, `${PROOF}\n    alternatives: [gpu.startup.kv-room, gpu.burst.long-context]`]);
    const impossible = `impossible:
  - { causes: [gpu.startup.kv-room], if: { fact: engine.hands-over, is: true }, why: it keeps no cache }
`;
    const facts = { ...EDGE, ...(handsOver === undefined ? {} : { 'engine.hands-over': handsOver }) };

    const verdict = verdictOf(facts, `${text}${impossible}`);

    expect(verdict.alternatives.slice(0, alternatives.length)).toEqual(alternatives);
    expect(verdict.alternatives.includes('gpu.startup.kv-room')).toBe(handsOver !== true);
  });

  it.each([
    ['if: { fact: gpu.free, known: true }', ['Look.', 'Only then.'], ['Look.']],
    ['unless: { fact: gpu.free, known: true }', ['Look.'], ['Look.', 'Only then.']],
    ['engines: [vllm]', ['Look.', 'Only then.'], ['Look.']],
    ['not-engines: [vllm]', ['Look.'], ['Look.', 'Only then.']],
  ])('tells what to look at next under `%s`', (key, there, elsewhere) => {
    const text = smallText([PROOF, `${PROOF}\n    next: [Look., { says: Only then., ${key} }]`]);
    const nextOf = (more: Parameters<typeof factsOf>[0]) =>
      diagnose(playbookOf(text), factsOf({ ...EDGE, ...more }), 'snap').next;

    expect(nextOf({ 'gpu.free': 2 ** 20, 'engine.name': 'vllm' })).toEqual(there);
    expect(nextOf({})).toEqual(elsewhere);
  });

  it.each([
    ['what frees more first', 2, 3, ['B', 'A', 'between']],
    ['as they stand where that is the same', 2, 2, ['A', 'B', 'between']],
    ['what frees a known amount before what does not', undefined, 1, ['B', 'A', 'between']],
  ])('makes of the offers that free memory %s', (_name, a, b, said) => {
    const offer = (says: string, more: string) =>
      `  ${says.toLowerCase()}: { action: advise, kind: stop-bleed, direction: none, says: ${says}${more} }\n`;
    const offers = `${offer('A', ', frees: gpu.free')}${offer('between', '')}${offer('B', ', frees: gpu.total')}`;
    const text = `${smallText(['remedies: [join-fragments]', 'remedies: [a, between, b, join-fragments]'])}${offers}`;
    const sized = (id: string, value: number | undefined) => (value === undefined ? {} : { [id]: value });

    const { remedies } = verdictOf({ ...EDGE, ...sized('gpu.free', a), ...sized('gpu.total', b) }, text);

    const order = remedies.map(({ says }) => says);
    expect(order.toSpliced(1, 1)).toEqual(said.slice(0, 2));
    expect(order[1]).toBe(said[2]);
  });

  it('says why a kind of remedy is missing only where it is', () => {
    const withoutOf = (isFragmented: boolean) =>
      diagnose(playbookOf(smallText()), factsOf({ ...EDGE, 'gpu.fragmented': isFragmented }), 'snap').without;

    expect(withoutOf(false)).toContainEqual({ kind: 'lasting', why: 'nobody knows one' });
    expect(withoutOf(true)).not.toContainEqual(expect.objectContaining({ kind: 'lasting' }));
  });

  it('offers what its condition allows, with the edits that follow', () => {
    const start = { ...START, 'engine.name': 'vllm', 'engine.max-model-len': 32_768 };
    const edit = { flag: '--max-model-len', from: '32768', to: '8192', facts: ['engine.max-model-len'] };

    expect(verdictOf(start).remedies).toMatchObject([
      { action: 'stop-bleed', kind: 'stop-bleed', direction: 'lower', edits: [{ ...edit, why: expect.any(String) }] },
      { action: 'advise', kind: 'lasting', direction: 'none', edits: [] },
    ]);
    expect(verdictOf(EDGE).remedies).toEqual([]);
    expect(verdictOf({ ...EDGE, 'gpu.fragmented': true }).remedies).toMatchObject([{ action: 'set-allocator' }]);
  });

  it('shows every condition of the way with the value seen', () => {
    const { path } = diagnose(playbookOf(smallText()), factsOf({ ...EDGE, 'death.uptime': unknown('stale') }), 'snap');

    expect(path.map(({ question, branch, answer }) => `${question}/${branch} ${answer}`)).toEqual([
      'which-memory/gpu yes',
      'gpu-pattern/startup unknown',
      'gpu-pattern/prefix-cache no',
      'gpu-pattern/edge yes',
    ]);
    const [any, ready, uptime] = path[1]?.conditions ?? [];
    expect(any).toEqual({ text: 'any of', says: '', fact: '', seen: '', answer: 'unknown', depth: 0 });
    expect(ready).toMatchObject({ fact: 'engine.became-ready', seen: 'yes', answer: 'no', depth: 1 });
    expect(ready?.says).toBe('the container had become ready');
    expect(uptime).toMatchObject({ fact: 'death.uptime', seen: 'not known (stale)', answer: 'unknown', depth: 1 });
    expect(uptime?.text).toBe('death.uptime below 10 min ($startup-window)');
  });
});

describe('what is not ruled out', () => {
  it('names the branch, where it would lead, and what is missing with its reason and its source', () => {
    const { notRuledOut } = verdictOf({ ...EDGE, 'death.uptime': unknown('budget') });

    expect(notRuledOut).toEqual([
      {
        branch: 'gpu-pattern/startup',
        cause: 'gpu.startup.weights',
        finding: 'gpu-startup',
        headline: 'GPU memory ran out at start-up',
        missing: [{ fact: 'death.uptime', reason: 'budget', needs: expect.stringContaining('pod status') }],
      },
    ]);
  });

  it('has the causes that its author names before those that nothing excludes', () => {
    const facts = { ...EDGE, 'gpu.want': 2 ** 34, 'death.uptime': unknown() };

    expect(verdictOf(facts).alternatives).toEqual(['gpu.chronic.leak', 'gpu.burst.concurrency', 'gpu.startup.weights']);
  });

  it('says of what is there that it does not show the fact', () => {
    const seen: Fact = { kind: 'unknown', reason: 'not-in-snapshot', detail: '', held: ['previous.log'] };
    const text = smallText(['fact: death.uptime, below: $startup-window', 'fact: log.error-seen, is: true']);

    const [open] = verdictOf({ ...EDGE, 'log.error-seen': seen }, text).notRuledOut;

    const needs = expect.stringMatching(/^previous\.log is there, but does not show whether the log holds an error/);
    expect(open?.missing).toMatchObject([{ fact: 'log.error-seen', held: true, needs }]);
  });

  it('leads through a question to the finding behind it', () => {
    const facts = { ...EDGE, 'gpu.oom-logged': unknown(), 'death.oom-killed': true, 'kernel.oom-kill': 'container' };

    expect(verdictOf(facts).notRuledOut).toMatchObject([{ branch: 'which-memory/gpu', finding: 'gpu-edge' }]);
  });
});

describe('certainty', () => {
  it('holds where all that could lead elsewhere is ruled out', () => {
    expect(verdictOf(EDGE)).toMatchObject({ certain: true, notRuledOut: [] });
  });

  it.each([
    ['a branch to another cause could not be judged', { 'death.uptime': unknown() }],
    ['the finding forbids it', { 'gpu.want': 2 ** 31 }],
    ['its cause had to be guessed', { 'engine.became-ready': false }],
  ])('goes where %s', (_, change) => {
    expect(verdictOf({ ...EDGE, ...change }).certain).toBe(false);
  });

  it('names the causes it could have been', () => {
    expect(verdictOf({ ...EDGE, 'death.uptime': unknown() }).alternatives).toEqual(['gpu.startup.weights']);
  });

  it('stays where the branch says that it does not doubt', () => {
    const facts = { ...EDGE, 'prefix-cache.enabled': true };

    const doubting = smallText().replace(/ +does-not-doubt: .*\n/, '');

    expect(verdictOf(facts)).toMatchObject({ certain: true, notRuledOut: [{ branch: 'gpu-pattern/prefix-cache' }] });
    expect(verdictOf(facts, doubting).certain).toBe(false);
  });

  const branches = (extra: string): string =>
    oneQuestion(
      `      - { id: host, if: { fact: death.oom-killed, is: true }, finding: host }
      - { id: gpu, if: { fact: gpu.oom-logged, is: true }, finding: gpu${extra} }`,
    );

  it('stays where the branch taken settles the question', () => {
    expect(verdictOf({ 'gpu.oom-logged': true }, branches('')).certain).toBe(false);
    expect(verdictOf({ 'gpu.oom-logged': true }, branches(', settles: the line names the device')).certain).toBe(true);
  });

  it('stays where the branch in doubt leads to the same plane and cause', () => {
    const text = branches('').replace('finding: host }', 'finding: gpu }');

    const { certain, notRuledOut } = verdictOf({ 'gpu.oom-logged': true }, text);
    expect([certain, notRuledOut.map(({ branch }) => branch)]).toEqual([true, ['q/host']]);
  });

  it('looks through the questions behind a branch in doubt', () => {
    const text = `playbook: { name: deep, version: 1, schema: 2, start: q }
questions:
  q:
    ask: First?
    branches:
      - { id: deeper, if: { fact: log.error-seen, is: true }, ask: r }
    otherwise: { finding: gpu }
  r:
    ask: Second?
    branches:
      - { id: host, if: { fact: death.oom-killed, is: true }, finding: host }
    otherwise: { finding: gpu }
findings:
  gpu: { plane: gpu, phase: burst, cause: gpu.burst.logits, headline: h, says: s, proof: [gpu.oom-logged] }
  host: { plane: host, phase: n/a, cause: host.offload, headline: h, says: s, proof: [death.oom-killed] }
`;

    expect(verdictOf({ 'gpu.oom-logged': true, 'death.oom-killed': false }, text).certain).toBe(true);
    expect(verdictOf({ 'gpu.oom-logged': true, 'death.oom-killed': true }, text).certain).toBe(false);
    expect(verdictOf({ 'gpu.oom-logged': true }, text).certain).toBe(false);
    expect(verdictOf({ 'gpu.oom-logged': true, 'log.error-seen': false }, text).certain).toBe(true);
  });

  // `sure` is taken, `other` could not be judged.
  const open = (other: string, sure = ''): string =>
    oneQuestion(
      `      - { id: other, if: { fact: log.error-seen, is: true }, finding: other }
      - { id: sure, if: { fact: gpu.oom-logged, is: true }, finding: sure }`,
      {
        findings: `other: { ${other}, headline: h, says: s, proof: [gpu.oom-logged] }
  sure: { plane: gpu, phase: burst, cause: gpu.burst.headroom, cause-open: why, alternatives: [gpu.burst.logits], headline: h, says: s, proof: [gpu.oom-logged]${sure} }`,
      },
    );

  it.each([
    ['stays, of the memory alone, where a doubt is about the cause', 'gpu, phase: burst', 'gpu.burst.logits', true],
    ['stays where it is about the pattern of a time', 'gpu, phase: chronic', 'gpu.chronic.leak', true],
    ['goes where it is about start-up or serving', 'gpu, phase: startup', 'gpu.startup.weights', false],
    ['goes for start-up or serving, whatever the cause', 'gpu, phase: startup', 'gpu.burst.headroom', false],
    ['goes where it is about the memory', 'host, phase: burst', 'host.offload', false],
    ['goes where it is about whether it was memory', 'none, phase: n/a', 'none.other', false],
  ])('of a finding with an open cause %s', (_, plane, cause, certain) => {
    const text = open(`plane: ${plane}, cause: ${cause}`);

    expect(verdictOf({ 'gpu.oom-logged': true }, text)).toMatchObject({ certain, causeCertain: false });
  });

  it('of a finding that leaves the time open as well stays where a doubt is about that', () => {
    const sure = 'sure: { plane: gpu, phase:';
    const text = open('plane: gpu, phase: startup, cause: gpu.startup.weights').replace(`${sure} burst`, `${sure} n/a`);

    const verdict = verdictOf({ 'gpu.oom-logged': true }, text);
    expect(verdict).toMatchObject({ phase: 'n/a', certain: true, causeCertain: false });
  });

  it('is of the memory alone where the fact that would name the cause is missing, and the finding says why', () => {
    const cause = '{ fact: evidence.cause, among: [gpu.chronic.leak], otherwise: gpu.burst.logits, open: why }';
    const ofFact = ['cause: gpu.burst.headroom, cause-open: why', `cause: ${cause}`] as const;
    const text = open('plane: gpu, phase: burst, cause: gpu.burst.headroom').replace(...ofFact);
    const facts = { 'gpu.oom-logged': true, 'log.error-seen': false };
    const named = verdictOf({ ...facts, 'evidence.cause': 'gpu.chronic.leak' }, text);

    expect(verdictOf(facts, text)).toMatchObject({ cause: 'gpu.burst.logits', certain: true, causeCertain: false });
    expect(named).toMatchObject({ cause: 'gpu.chronic.leak', certain: true, causeCertain: true });
  });

  it('is of the cause as well where that is not open', () => {
    expect(verdictOf(EDGE)).toMatchObject({ certain: true, causeCertain: true });
  });

  it('needs at least one proof that is known', () => {
    const text = oneQuestion('      - { id: gpu, if: { fact: log.error-seen, is: true }, finding: gpu }');

    expect(verdictOf({ 'log.error-seen': true }, text).certain).toBe(false);
    expect(verdictOf({ 'log.error-seen': true, 'gpu.oom-logged': known(true) }, text).certain).toBe(true);
  });

  it('goes where a branch in doubt leads to the same cause, but only as a guess', () => {
    const guess = `{ fact: evidence.cause, among: [gpu.chronic.leak], otherwise: gpu.burst.logits }`;
    const other = `other: { plane: gpu, phase: burst, cause: ${guess}, headline: h, says: s, proof: [gpu.oom-logged] }`;
    const text = oneQuestion(
      `      - { id: other, if: { fact: log.error-seen, is: true }, finding: other }
      - { id: gpu, if: { fact: gpu.oom-logged, is: true }, finding: gpu }`,
      { findings: other },
    );

    expect(verdictOf({ 'gpu.oom-logged': true }, text)).toMatchObject({ cause: 'gpu.burst.logits', certain: false });
    expect(verdictOf({ 'gpu.oom-logged': true, 'log.error-seen': false }, text).certain).toBe(true);
  });

  it('is never claimed of not knowing, whatever was proved on the way', () => {
    const text = branches('').replace('says: s, proof: []', 'says: s, proof: [gpu.want]');

    expect(verdictOf({ 'gpu.want': 1, 'gpu.oom-logged': false, 'death.oom-killed': false }, text)).toMatchObject({
      plane: 'unknown',
      certain: false,
      evidence: [{ fact: 'gpu.want' }],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { ACTION_CATALOGUE } from '../../src/actions/catalogue.ts';
import { ActionId } from '../../src/model/action.ts';
import type { ActionEntry, KnownValue } from '../../src/model/action-entry.ts';
import type { FactValue } from '../../src/model/fact.ts';
import { Edit } from '../../src/model/verdict.ts';

const GIB = 2 ** 30;

function action(id: ActionId): ActionEntry {
  const entry = ACTION_CATALOGUE.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`no action ${id}`);
  return entry;
}

const nothing = (): undefined => undefined;
const of =
  (values: Readonly<Record<string, FactValue>>): KnownValue =>
  (id) =>
    ({ 'engine.name': 'vllm', 'engine.version': '0.11.0', ...values })[id];

describe('the actions a playbook may offer', () => {
  it('are all that the contract names, each once', () => {
    expect(ACTION_CATALOGUE.map(({ id }) => id).toSorted()).toEqual(ActionId.options.toSorted());
  });

  const set = [{ flag: '--max-model-len', to: '8192', why: 'w' }];

  it.each<[id: ActionId, parameters: unknown, allowed: boolean]>([
    ['scale-to-zero', {}, true],
    ['scale-to-zero', { replicas: 0 }, false],
    ['set-args', { set }, true],
    ['set-args', { profile: 'conservative' }, true],
    ['set-args', { profile: 'conservative', set }, true],
    ['set-args', { profile: 'fast' }, false],
    ['set-args', { profile: 'no-prefix-cache' }, false],
    ['set-args', {}, false],
    ['set-args', { set: [] }, false],
    ['set-args', { set: [{ flag: 'max-model-len', to: '1', why: 'w' }] }, false],
    ['set-args', { set: [{ flag: '--x; rm -rf /', to: '1', why: 'w' }] }, false],
    ['set-args', { set: [{ flag: '--max-model-len', to: 8192, why: 'w' }] }, false],
    ['set-args', { set: [{ flag: '--max-model-len', to: '1' }] }, false],
    ['set-args', { set: [{ flag: '--enforce-eager', to: null, why: 'w' }] }, true],
    ['set-args', { set: [{ flag: '--max-model-len', 'to-fact': 'advice.max-model-len', why: 'w' }] }, true],
    ['set-args', { set: [{ flag: '--max-model-len', to: '1', 'to-fact': 'advice.max-model-len', why: 'w' }] }, false],
    ['stop-bleed', { set }, true],
    ['stop-bleed', {}, false],
    ['scale-up', {}, true],
    ['scale-up', { replicas: 2 }, false],
    ['set-allocator', { setting: 'expandable-segments' }, true],
    ['set-allocator', { setting: 'max-split' }, false],
    ['raise-ram', { by: 1.5 }, true],
    ['raise-ram', { to: '96GiB' }, true],
    ['raise-ram', { by: 1 }, false],
    ['raise-ram', { by: 5 }, false],
    ['raise-ram', { to: '96' }, false],
    ['raise-ram', { by: 1.5, to: '96GiB' }, false],
    ['raise-ram', {}, false],
    ['restart-drained', {}, true],
    ['restart-drained', { deadline: '60s' }, false],
    ['roll-back', {}, true],
    ['advise', {}, true],
    ['advise', { about: 'x' }, false],
  ])('%s with %j: %s', (id, parameters, allowed) => {
    expect(action(id).parameters.safeParse(parameters).success).toBe(allowed);
  });
});

describe('the edits that follow from an offer', () => {
  it('know the value that stands now from its fact', () => {
    const parameters = {
      set: [
        { flag: '--max-model-len', was: 'engine.max-model-len', to: '8192', why: 'w' },
        { flag: '--enforce-eager', to: null, why: 'v' },
      ],
    };

    expect(action('set-args').facts(parameters)).toEqual(['engine.max-model-len']);
    expect(action('set-args').edits(parameters, of({ 'engine.max-model-len': 32_768 }))).toEqual([
      { flag: '--max-model-len', from: '32768', to: '8192', why: 'w', facts: ['engine.max-model-len'] },
      { flag: '--enforce-eager', from: null, to: null, why: 'v', facts: [] },
    ]);
    expect(action('set-args').edits(parameters, of({}))[0]?.from).toBeNull();
  });

  it.each([
    [{ by: 1.5 }, 64 * GIB, '64Gi', '96Gi'],
    [{ by: 1.1 }, 64 * GIB, '64Gi', '71Gi'],
    [{ by: 2 }, 256 * 2 ** 20, '256Mi', '512Mi'],
    [{ by: 1.5 }, GIB, '1Gi', '1536Mi'],
    [{ by: 1.5 }, 5.5 * GIB, '5632Mi', '9Gi'],
    [{ 'to-fact': 'ram.limit' }, 64.2 * GIB, String(64.2 * GIB), '65Gi'],
    [{ to: '96GiB' }, 64 * GIB, '64Gi', '96Gi'],
    [{ to: '96GiB' }, undefined, null, '96Gi'],
  ])('raise the limit by %j from %s', (parameters, limit, from, to) => {
    expect(action('raise-ram').edits(parameters, () => limit)).toMatchObject([
      { flag: 'resources.limits.memory', from, to },
    ]);
  });

  it('are none where the limit to raise is not known, or the parameters are wrong', () => {
    expect(action('raise-ram').edits({ by: 1.5 }, nothing)).toEqual([]);
    expect(action('set-args').edits({ nonsense: true }, nothing)).toEqual([]);
    expect(action('set-args').facts('nonsense')).toEqual([]);
    expect(action('advise').edits({}, nothing)).toEqual([]);
  });

  it('come with the profile that the parameters name', () => {
    expect(action('set-args').profile({ profile: 'emergency' })).toBe('emergency');
    expect(action('set-args').profile({ profile: 'fast' })).toBeUndefined();
    expect(action('scale-up').profile({})).toBeUndefined();
  });

  it('keep to the contract', () => {
    const edits = action('set-allocator').edits({ setting: 'expandable-segments' }, nothing);

    expect(edits.map((edit) => Edit.parse(edit))).toEqual(edits);
    expect(edits).toMatchObject([{ to: 'expandable_segments:True' }]);
  });
});

describe('a value that comes from a fact', () => {
  const parameters = {
    set: [{ flag: '--max-model-len', was: 'engine.max-model-len', 'to-fact': 'advice.max-model-len', why: 'w' }],
  };

  it('is put into the edit, and both facts are named', () => {
    const known = of({ 'advice.max-model-len': 8192, 'engine.max-model-len': 65_536 });

    expect(action('set-args').edits(parameters, known)).toEqual([
      {
        flag: '--max-model-len',
        from: '65536',
        to: '8192',
        why: 'w',
        facts: ['engine.max-model-len', 'advice.max-model-len'],
      },
    ]);
  });

  it('is no edit at all where it is not known', () => {
    expect(action('set-args').edits(parameters, of({}))).toEqual([]);
  });
});

describe('the name of a flag', () => {
  const flagOf = (flag: string, engine: string | undefined, version?: string) => {
    const parameters = { set: [{ flag, to: '1', why: 'w' }] };
    const facts = { 'engine.name': engine, 'engine.version': version };
    return action('set-args').edits(parameters, (id) => facts[id as keyof typeof facts])[0]?.flag;
  };

  it.each([
    ['vllm', '0.11.0', '--gpu-memory-utilization', '--max-model-len', '--max-num-seqs', '--max-num-batched-tokens'],
    ['lmdeploy', '0.9.2', '--cache-max-entry-count', '--session-len', '--max-batch-size', '--max-prefill-token-num'],
    ['ollama', '0.6.2', undefined, 'OLLAMA_CONTEXT_LENGTH', 'OLLAMA_NUM_PARALLEL', undefined],
    ['triton', '2.60.0', undefined, undefined, undefined, undefined],
    [undefined, undefined, undefined, undefined, undefined, undefined],
  ])('is that of %s %s', (engine, version, ...names) => {
    const flags = ['--gpu-memory-utilization', '--max-model-len', '--max-num-seqs', '--max-num-batched-tokens'];

    expect(flags.map((flag) => flagOf(flag, engine, version))).toEqual(names);
  });

  it.each([
    ['a flag that every version has', '--max-model-len', 'vllm', undefined, true],
    ['a flag of newer versions', '--kv-cache-memory-bytes', 'vllm', '0.11.0', true],
    ['the first version that has it', '--kv-cache-memory-bytes', 'vllm', '0.10.2', true],
    ['the version before', '--kv-cache-memory-bytes', 'vllm', '0.10.1', false],
    ['a version that is not known', '--kv-cache-memory-bytes', 'vllm', undefined, false],
    ['a build without a version', '--kv-cache-memory-bytes', 'vllm', '0.1.dev1', false],
    ['a flag that is gone', '--swap-space', 'vllm', '0.18.0', false],
    ['a renamed flag, whose value may mean something else', '--disable-mm-preprocessor-cache', 'vllm', '0.13.0', false],
    ['a flag that no version has', '--max-num-on-the-fly-batches', 'vllm', '0.11.0', false],
    ['a flag of another engine', '--disable-radix-cache', 'vllm', '0.11.0', false],
    ['a variable of another engine', 'OLLAMA_KV_CACHE_TYPE', 'vllm', '0.11.0', false],
    ['an engine that is not known', '--enforce-eager', undefined, undefined, false],
    ['a variable of every engine', 'NCCL_BUFFSIZE', 'vllm', '0.11.0', true],
    ['a word of the author’s own, in no table', '--our-own-switch', undefined, undefined, true],
  ])('%s', (_what, flag, engine, version, isThere) => {
    expect(flagOf(flag, engine, version)).toBe(isThere ? flag : undefined);
  });
});

it.each<[id: ActionId, parameters: unknown, needs: boolean]>([
  ['set-args', { set: [{ flag: '--max-model-len', to: '1', why: 'w' }] }, true],
  ['stop-bleed', { set: [{ flag: '--max-model-len', to: '1', why: 'w' }] }, true],
  ['set-args', { profile: 'conservative' }, false],
  ['raise-ram', { by: 1.5 }, true],
  ['set-allocator', { setting: 'expandable-segments' }, true],
  ['roll-back', {}, false],
  ['set-args', 'nonsense', false],
])('an offer without its edits: %s with %j is nothing: %s', (id, parameters, needs) => {
  expect(action(id).needsEdits(parameters)).toBe(needs);
});

import { describe, expect, it } from 'vitest';
import { ACTION_CATALOGUE } from '../../src/actions/catalogue.ts';
import { ActionId } from '../../src/model/action.ts';
import type { ActionEntry } from '../../src/model/action-entry.ts';
import { Edit } from '../../src/model/verdict.ts';

const GIB = 2 ** 30;

function action(id: ActionId): ActionEntry {
  const entry = ACTION_CATALOGUE.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`no action ${id}`);
  return entry;
}

const nothing = (): undefined => undefined;

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
    ['scale-up', { replicas: 2 }, true],
    ['scale-up', { replicas: 0 }, false],
    ['set-allocator', { setting: 'expandable-segments' }, true],
    ['set-allocator', { setting: 'max-split' }, false],
    ['raise-ram', { by: 1.5 }, true],
    ['raise-ram', { to: '96GiB' }, true],
    ['raise-ram', { by: 1 }, false],
    ['raise-ram', { by: 5 }, false],
    ['raise-ram', { to: '96' }, false],
    ['raise-ram', { by: 1.5, to: '96GiB' }, false],
    ['raise-ram', {}, false],
    ['restart-drained', { deadline: '60s' }, true],
    ['restart-drained', { deadline: '60' }, false],
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
    expect(action('set-args').edits(parameters, (id) => (id === 'engine.max-model-len' ? 32_768 : undefined))).toEqual([
      { flag: '--max-model-len', from: '32768', to: '8192', why: 'w', facts: ['engine.max-model-len'] },
      { flag: '--enforce-eager', from: null, to: null, why: 'v', facts: [] },
    ]);
    expect(action('set-args').edits(parameters, nothing)[0]?.from).toBeNull();
  });

  it.each([
    [{ by: 1.5 }, 64 * GIB, '64Gi', '96Gi'],
    [{ by: 1.1 }, 64 * GIB, '64Gi', '71Gi'],
    [{ by: 2 }, 256 * 2 ** 20, '256Mi', '512Mi'],
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
    const known = (id: string) => (id === 'advice.max-model-len' ? 8192 : 65_536);

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
    expect(action('set-args').edits(parameters, nothing)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { isOombotId, wrongKindOfId } from '../../src/app/id-kinds.ts';

describe('an id where another thing is wanted', () => {
  it.each([
    ['plan_k3x', 'pod', /^plan_k3x is a plan id\.$/, /`oom approve plan_k3x` approves it.*Name a pod here/],
    ['plan_k3x', 'incident', /a plan id/, /Name an incident here.*`oom status` lists/],
    ['run_k3x', 'incident', /a run id/, /`oom abort run_k3x`.*`oom rollback run_k3x`/],
    ['inc_k3x', 'pod', /an incident id/, /`oom explain inc_k3x`.*`oom plan inc_k3x`/],
  ] as const)('%s for %s is told with what takes it', (word, wanted, says, next) => {
    const other = wrongKindOfId(word, { wanted, command: 'oom' });

    expect(other?.says).toMatch(says);
    expect(other?.next).toMatch(next);
  });

  it.each(['inc_k3x', 'vllm-0', 'snap_k3x', 'plan', 'my_folder'])('%s is left as it is', (word) => {
    expect(wrongKindOfId(word, { wanted: 'incident' })).toBeUndefined();
  });

  it('may be that of a temporary change, and never a word that every object has', () => {
    expect(wrongKindOfId('chg_abc', { wanted: 'incident' })?.says).toBe('chg_abc is a temporary change id.');
    expect([isOombotId('chg_abc'), isOombotId('constructor_a')]).toEqual([true, false]);
  });

  it('is written without a command where the reader has none in front', () => {
    expect(wrongKindOfId('plan_k3x', { wanted: 'incident' })?.next).toMatch(/^`approve plan_k3x`.*`status`/);
  });

  it('is told from names, which hold no _', () => {
    expect(['plan_1', 'run_1', 'inc_1', 'plan-1', 'x_1'].map(isOombotId)).toEqual([true, true, true, false, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { runCard } from '../../../src/report/run-card.ts';
import { openBench } from './bench.ts';
import { NEW_ARGS, OLD_ARGS } from './plans.ts';

const ARGS = '/spec/template/spec/containers/0/args';

/** A run that was rolled back, step by step, after its scale to zero and its new arguments. */
async function rolledBack() {
  const bench = await openBench();
  const { ask } = bench;
  await ask('claim', undefined, { from: 'start' });
  for (const step of [1, 3, 4]) await ask('apply', step);
  await ask('compensate');
  for (const step of [4, 3, 1]) await ask('undo', step);
  return bench;
}

const ahead = { why: 'abort', says: '', reached: 4 } as const;

describe('a rollback that somebody undoes before it is reported', () => {
  it.each([
    ['the arguments', ARGS, NEW_ARGS],
    ['the count', '/spec/replicas', 0],
  ])('is not called rolled back: %s', async (_, path, value) => {
    const { ask, cluster, run, store } = await rolledBack();
    cluster.set(path, value);

    const settled = await ask('settle');
    const kind = settled.kind === 'ok' ? 'back' : 'stuck';
    await ask('report', undefined, { ahead, back: { kind, says: 'says' in settled ? settled.says : '' } });

    const ended = await run();
    const plan = await store.plan(ended.planId);
    if (plan === undefined) throw new Error('no plan');
    expect(ended.state).not.toBe('rolled-back');
    const card = runCard(ended, plan);
    expect(JSON.stringify(card)).toMatch(/was changed by .*plan again/);
    expect(card.choices).toEqual([]);
  });

  it('is called rolled back where nobody does', async () => {
    const { ask, run, cluster } = await rolledBack();
    expect(JSON.stringify(cluster.object)).toContain(JSON.stringify(OLD_ARGS));

    expect(await ask('settle')).toMatchObject({ kind: 'ok' });
    await ask('report', undefined, { ahead, back: { kind: 'back', says: '' } });

    expect((await run()).state).toBe('rolled-back');
  });
});

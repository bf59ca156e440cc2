import { describe, expect, it } from 'vitest';
import { enterLost } from '../../../src/app/acting/run/ledger-effect.ts';
import { aClick } from '../../fakes/plans.ts';
import { openBench, someActDeps } from '../acting/bench.ts';
import { aStopBleed, aWrite, NEW_ARGS, OLD_ARGS } from '../acting/plans.ts';
import { HOUR, MINUTE, withChange } from './handover-bench.ts';

const EDITS = [{ flag: '--gpu-memory-utilization', from: '0.95', to: '0.85', why: 'x', facts: [] }];

describe('the end of a run', () => {
  it('enters what it has changed, who wanted it, when it expires, and what to put into Git', async () => {
    const { change, clock } = await withChange(aStopBleed({ edits: EDITS }));

    expect(await change()).toMatchObject({
      ...{ state: 'temporary', action: 'stop-bleed', requestedBy: 'U_ONCALL', approvedBy: ['U_APPROVER'] },
      values: [{ label: '--gpu-memory-utilization', from: '0.95', to: '0.85' }],
      expiresAt: clock.now() + 24 * HOUR,
    });
    expect((await change()).patch).toMatch(/name: vllm-server[\s\S]*- name: vllm\n\s+args:[\s\S]*"0.85"/);
    expect((await change()).patch).not.toContain('replicas');
  });

  it('enters no restart, and nothing where all came back', async () => {
    const restart = aWrite(1, { from: 2, to: 0 });
    const plan = aStopBleed({ steps: [restart, aWrite(2, { from: 0, to: 2 })] });

    await expect((await withChange(plan)).change()).rejects.toThrow('no entry');
  });

  it('closes the entry where it is the rollback of the run', async () => {
    const { change, store, run, ask, end, look, told } = await withChange();
    const { id } = await run();

    await store.commandRun(id, { command: 'roll-back', by: 'U_APPROVER', at: 0 });
    for (const n of [6, 4, 3, 1]) await ask('undo', n);
    await end('roll-back', { back: { kind: 'back', says: '2 of 2 ready' } });
    await look(25 * HOUR);

    expect(await change()).toMatchObject({ state: 'rolled-back', stateBy: 'U_APPROVER' });
    expect(told()).toEqual([]);
  });
});

describe('another end of a run', () => {
  const back = aStopBleed({
    id: 'plan_back',
    hash: 'back',
    action: 'roll-back',
    steps: [aWrite(1, { path: '/spec/template/spec/containers/0/args', from: NEW_ARGS, to: OLD_ARGS })],
  });

  it('that brings the values of an entry back closes it, and is no change of its own', async () => {
    const { store, clock, acts, change, look, told } = await withChange();
    await store.savePlan({ ...back, proposedAt: clock.now(), expiresAt: clock.now() + MINUTE });
    const clicked = await store.click(aClick(back, { at: clock.now() }));
    const runId = clicked.kind === 'run' ? clicked.run.id : '';
    const execution = { id: 'execution-2' };
    await acts('claim', { runId, i: 0, from: 'start' }, execution);
    await acts('apply', { runId, i: 0, n: 1 }, execution);
    const ahead = { why: 'done', says: '', reached: 1 };
    await acts('report', { runId, i: 0, ahead, back: null }, execution);
    await look(25 * HOUR);

    expect(await change()).toMatchObject({ state: 'rolled-back', why: `by ${runId}` });
    expect(await store.changeOfRun(runId)).toBeUndefined();
    expect(told()).toEqual([]);
  });

  it('that was cut off is entered by what is left of it, once', async () => {
    const { store, cluster, clock, ask, run } = await openBench();
    for (const n of [1, 3]) await ask('apply', n);
    const { id } = await run();
    await store.setRunState(id, { state: 'failed', outcome: 'cut off', actor: 'oombot', at: clock.now() });
    const deps = someActDeps({ store, cluster, clock });

    await enterLost(deps, id);
    await enterLost(deps, id);

    const labels = (await store.changeOfRun(id))?.values.map(({ label, to }) => [label, to]);
    expect(labels).toEqual([
      ['replicas', '0'],
      ['args', JSON.stringify(NEW_ARGS)],
    ]);
    expect(await store.openChanges()).toHaveLength(1);
  });
});

describe('a reminder', () => {
  it('comes an hour before and at expiry, each once, also after a restart and of two replicas', async () => {
    const { look, told, buttons } = await withChange();
    await look(22 * HOUR + 50 * MINUTE);
    expect(told()).toEqual([]);

    await look(10 * MINUTE);
    await Promise.all([look(), look()]);
    await look(30 * MINUTE);
    expect(told()).toHaveLength(1);
    expect(told()[0]).toContain('Temporary change expires soon');
    expect(buttons()).toEqual([['Roll back…', 'Extend 24 h', 'Mark permanent', 'Show patch']]);

    await look(30 * MINUTE);
    await look(48 * HOUR);
    expect(told().slice(1)).toEqual([expect.stringContaining('Temporary change expired')]);
  });

  it('is one where the clock jumps over both', async () => {
    const { look, told } = await withChange();

    await look(72 * HOUR);
    await look(HOUR);

    expect(told()).toEqual([expect.stringContaining('Temporary change expired')]);
  });

  it('comes again for an extended change, and names why the values are unknown', async () => {
    const { look, told, type, cluster } = await withChange();
    await look(23 * HOUR);
    expect(await type(`extend ${await withId(told())} 24h`)).toMatch(/Extended[\s\S]*by @?U_APPROVER/);
    expect(told().at(-1)).toMatch(/Extended[\s\S]*by @?U_APPROVER/);
    cluster.away = true;

    await look(24 * HOUR);
    await look(15 * MINUTE);

    expect(told().filter((text) => text.includes('expires soon'))).toHaveLength(2);
    expect(told().at(-1)).toMatch(/Current values unknown \(can't reach prod: ECONNREFUSED\)/);
  });
});

const withId = async (told: readonly string[]): Promise<string> => /chg_\w+/.exec(told.at(-1) ?? '')?.[0] ?? '';

describe('drift', () => {
  it.each([
    ['reverted', OLD_ARGS, 'helm', 'Reverted by helm', ['Show patch', 'Close change']],
    ['changed', ['--other'], 'kubectl-edit', 'Changed again by kubectl-edit', ['Show patch', 'Close change']],
    ['permanent', NEW_ARGS, 'argocd-controller', 'Permanent, set by argocd-controller', []],
  ] as const)('%s is told once in the thread', async (state, args, manager, says, labels) => {
    const { look, told, buttons, change, write, drawn, run } = await withChange();
    write(args, manager);

    await look();
    await look(HOUR);

    expect(await change()).toMatchObject({ state, stateBy: manager });
    expect(told()).toEqual([expect.stringContaining(says)]);
    expect(buttons()).toEqual([labels]);
    expect(drawn).toContain((await run()).id);
  });

  it('of a deleted workload is one message, and nothing expires after it', async () => {
    const { look, told, change, cluster } = await withChange();
    cluster.read = async () => ({ kind: 'gone' });

    await look();
    await look(30 * HOUR);

    expect((await change()).state).toBe('gone');
    expect(told()).toEqual([expect.stringContaining('Workload deleted')]);
  });

  it('that goes back to our value is temporary again, and is told no second time', async () => {
    const { look, told, change, write } = await withChange();
    write(['--other'], 'kubectl-edit');
    await look();
    write(NEW_ARGS, 'oombot');
    await look(HOUR);
    expect((await change()).state).toBe('temporary');
    write(['--another'], 'kubectl-edit');
    await look(HOUR);

    expect((await change()).state).toBe('changed');
    expect(told()).toHaveLength(1);
  });

  it('is not judged while a run changes the workload, and of a later run of ours nothing is told', async () => {
    const { look, told, change, write, deps } = await withChange();
    write(['--other'], 'oombot');
    const { target } = await change();
    const running = { ...deps, acts: { ...deps.acts, openRuns: async () => [{ target }] as never } };

    const { checkChanges } = await import('../../../src/app/handover/check-changes.ts');
    await checkChanges(running);
    expect((await change()).state).toBe('temporary');
    await look(HOUR);

    expect(await change()).toMatchObject({ state: 'changed', stateBy: 'oombot' });
    expect(told()).toEqual([]);
  });
});

describe('the changes command', () => {
  it('lists open changes by expiry, and shows the patch', async () => {
    const { type, change } = await withChange(aStopBleed({ edits: EDITS }));
    const { id } = await change();

    expect(await type('')).toMatch(
      /1 temporary change\.[\s\S]*--gpu-memory-utilization 0\.95 → 0\.85 on llm\/vllm-server · prod, expires/,
    );
    expect(await type(`patch ${id}`)).toMatch(/kind: Deployment[\s\S]*"0\.85"/);
    expect(await type('', 'U_STRANGER', { channel: 'C_OTHER' })).toContain('No temporary changes');
    await expect(type(`patch ${id}`, 'U_STRANGER', { externallyShared: true })).rejects.toThrow('No temporary change');
  });

  it('closes and marks permanent for those who may roll back, audited, and takes the buttons away', async () => {
    const { type, change, look, told, buttons, store } = await withChange();
    await look(23 * HOUR);
    const { id } = await change();

    expect(await type(`permanent ${id}`, 'U_STRANGER')).toMatch(/permission|may not/);
    await expect(type(`close ${id}`)).rejects.toThrow('a reason is needed');
    expect(await type(`permanent ${id}`)).toContain('Marked permanent');
    expect(await type(`close ${id} too late`)).toContain('Nothing to do');
    await look(24 * HOUR);

    expect(await change()).toMatchObject({ state: 'permanent', stateBy: 'U_APPROVER', why: 'marked permanent' });
    expect(told()).toHaveLength(2);
    expect(buttons()).toEqual([[], []]);
    const audited = (await store.auditRows(1, 1000)).map(({ action, actor }) => `${action} ${actor}`);
    expect(audited).toEqual(expect.arrayContaining(['refused U_STRANGER', 'change-moved U_APPROVER']));
  });

  it('decides and answers while Slack is away, and the thread shows it afterwards', async () => {
    const { type, change, look, told, buttons, chat, clock, drawn } = await withChange();
    await look(23 * HOUR);
    const { id, runId } = await change();
    chat.isAway = true;

    await type(`permanent ${id}`);
    expect(told()).toHaveLength(1);
    chat.isAway = false;
    await clock.advance(10_000);

    await expect.poll(buttons).toEqual([[], []]);
    expect(drawn).toEqual([runId]);
  });

  it('refuses words it does not know, and times that are none', async () => {
    const { type, change } = await withChange();

    await expect(type('dance')).rejects.toThrow('Unknown word: dance');
    await expect(type('patch chg_none')).rejects.toThrow('No temporary change chg_none here');
    await expect(type(`extend ${(await change()).id} forever`)).rejects.toThrow('not a time');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChangeDraft } from '../../src/model/temporary-change.ts';
import { verifyAudit } from '../../src/store/database/audit-chain.ts';
import type { DurableStore } from '../../src/store/kysely-store.ts';
import { START } from '../fakes/clock.ts';
import { aClick, aPlan } from '../fakes/plans.ts';
import type { ActStoreUnderTest } from './act-store.ts';

export type LedgerUnderTest = ActStoreUnderTest & { readonly store: DurableStore };

const DAY = 86_400_000;

/** What every ledger of temporary changes keeps to. `make` gives an empty store. */
export function ledgerContract(name: string, make: () => Promise<LedgerUnderTest>): void {
  describe(`ledger: ${name}`, () => {
    let under: LedgerUnderTest;
    let store: DurableStore;
    let incidentId: string;

    beforeEach(async () => {
      under = await make();
      store = under.store;
      incidentId = (await under.incidents(1))[0] ?? '';
    });
    afterEach(async () => {
      expect(await verifyAudit(store)).toMatchObject({ kind: 'intact' });
      await under.close();
    });

    /** A run that is running, and what it enters when it ends. */
    const aRun = async (expiresAt = START + DAY) => {
      const plan = aPlan({ incidentId });
      await store.savePlan(plan);
      const clicked = await store.click(aClick(plan));
      if (clicked.kind !== 'run') throw new Error(JSON.stringify(clicked));
      const { id: runId, target } = clicked.run;
      const draft: ChangeDraft = {
        id: runId.replace('run_', 'chg_'),
        ...{ runId, planId: plan.id, incidentId, action: plan.action, target },
        values: [{ label: 'replicas', from: '2', to: '0' }],
        patch: 'spec:\n  replicas: 0\n',
        ...{ requestedBy: 'U_ONCALL', approvedBy: ['U_APPROVER'], cause: 'unknown' },
        ...{ appliedAt: START, expiresAt },
      };
      return draft;
    };
    const end = (runId: string, state: 'done' | 'rolled-back', enters: ChangeDraft | null, undoes: string[] = []) =>
      store.setRunState(runId, {
        ...{ state, outcome: 'x', actor: 'U_APPROVER', at: START },
        ...(state === 'done' && { ledger: { enters, undoes } }),
      });
    const entered = async (expiresAt?: number) => {
      const draft = await aRun(expiresAt);
      await end(draft.runId, 'done', draft);
      return draft;
    };
    const stateOf = async (id: string) => (await store.temporaryChange(id))?.state;

    it('enters a change with the end of its run, once, with event and audit', async () => {
      const draft = await entered();
      await end(draft.runId, 'done', draft);
      await store.enterChange({ ...draft, id: 'chg_other' });

      expect(await store.openChanges()).toEqual([expect.objectContaining({ ...draft, state: 'temporary', why: null })]);
      expect(await store.changeOfRun(draft.runId)).toMatchObject({ id: draft.id });
      expect((await store.events(incidentId)).map(({ kind }) => kind)).toContain('change-entered');
    });

    it('lists those that are open, the first to expire first', async () => {
      const [late, soon, over] = [await entered(START + 2 * DAY), await entered(), await entered(START + 5)];
      await store.moveChange(over.id, { state: 'closed', by: 'U_ONCALL', why: 'done by hand', at: START });

      expect((await store.openChanges()).map(({ id }) => id)).toEqual([soon.id, late.id]);
    });

    it('is closed by the rollback of its run, and by a run that brings its values back', async () => {
      const [own, other] = [await entered(), await entered()];

      await store.commandRun(own.runId, { command: 'roll-back', by: 'U_APPROVER', at: START });
      await end(own.runId, 'rolled-back', null);
      await end((await aRun()).runId, 'done', null, [other.id]);

      expect(await store.temporaryChange(own.id)).toMatchObject({ state: 'rolled-back', stateBy: 'U_APPROVER' });
      expect(await stateOf(other.id)).toBe('rolled-back');
      expect(await store.openChanges()).toEqual([]);
    });

    it('gives a check that is due to one of two replicas', async () => {
      await entered();
      const [change] = await store.openChanges();
      if (change === undefined) throw new Error('none');

      const claims = await Promise.all([1, 2].map(() => store.claimCheck(change, START + 60_000)));

      expect(claims.toSorted()).toEqual([false, true]);
      await store.noteCheck(change.id, { at: START + 1, fault: null });
      await store.noteCheck(change.id, { at: START + 2, fault: 'timeout' });
      expect(await store.temporaryChange(change.id)).toMatchObject({
        ...{ nextCheckAt: START + 60_000, checkedAt: START + 1, checkFault: 'timeout' },
      });
    });

    it('moves and extends an open change with its audit, and a closed one never again', async () => {
      const { id } = await entered();
      const move = { by: 'helm', why: null, at: START + 1 };

      expect(await store.moveChange(id, { ...move, state: 'reverted' })).toBe(true);
      expect(await store.extendChange(id, { expiresAt: START + 2 * DAY, by: 'U_ONCALL', at: START + 2 })).toBe(true);
      expect(await store.moveChange(id, { ...move, state: 'permanent' })).toBe(true);
      expect(await store.moveChange(id, { ...move, state: 'reverted' })).toBe(false);
      expect(await store.extendChange(id, { expiresAt: START + 3 * DAY, by: 'U_ONCALL', at: START + 3 })).toBe(false);

      expect(await store.temporaryChange(id)).toMatchObject({ state: 'permanent', expiresAt: START + 2 * DAY });
      const rows = (await store.auditRows(1, 1000)).filter(({ subject }) => subject === id);
      expect(rows.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
        ...['change-entered oombot', 'change-moved helm', 'change-extended U_ONCALL', 'change-moved helm'],
      ]);
    });

    it('keeps an old incident while a change of it is open', async () => {
      const { id } = await entered();
      const marks = { snapshotsBefore: 0, incidentsBefore: START + DAY };

      expect(await store.sweep(marks)).toMatchObject({ incidents: 0 });
      await store.moveChange(id, { state: 'closed', by: 'U_ONCALL', why: 'x', at: START });
      expect(await store.sweep(marks)).toMatchObject({ incidents: 1 });
    });
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActStore, Click, ClickOutcome } from '../../src/app/acting-ports.ts';
import type { IncidentStore } from '../../src/app/incident-ports.ts';
import type { DomainEvent } from '../../src/model/events.ts';
import type { Plan, StepRecord } from '../../src/model/plan.ts';
import type { Baseline } from '../../src/model/request-times.ts';
import { type AuditSource, verifyAudit } from '../../src/store/database/audit-chain.ts';
import { START } from '../fakes/clock.ts';
import { aClick, aPlan } from '../fakes/plans.ts';

export type ActStoreUnderTest = {
  readonly store: ActStore &
    AuditSource &
    Pick<IncidentStore, 'closeIncident'> & { events(incidentId: string): Promise<readonly DomainEvent[]> };
  /** So many incidents, stored. */
  readonly incidents: (count: number) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

const PEOPLE = ['U_ONCALL', 'U_APPROVER', 'U_STRANGER'] as const;

function aBaseline(from: number): Baseline {
  const why = { kind: 'unknown', why: 'no metrics' } as const;
  return { from, to: START, times: { ttftP99: why, latencyP99: why, shortWait: why } };
}

const refused = (why: Extract<ClickOutcome, { kind: 'refused' }>['why']) => ({ kind: 'refused', why });
const aStep = (over: Partial<StepRecord> = {}): StepRecord => ({
  n: 1,
  phase: 'running',
  attempts: 1,
  startedAt: START,
  endedAt: null,
  message: 'under way',
  ...over,
});

/** What every act store keeps to. `make` gives an empty one with one incident. */
export function actStoreContract(name: string, make: () => Promise<ActStoreUnderTest>): void {
  describe(`act store: ${name}`, () => {
    let under: ActStoreUnderTest;
    let store: ActStoreUnderTest['store'];
    let incidentId: string;
    let before: number;

    beforeEach(async () => {
      under = await make();
      store = under.store;
      incidentId = (await under.incidents(1))[0]!;
      before = (await store.auditHead()).seq;
    });

    afterEach(async () => {
      expect(await verifyAudit(store)).toMatchObject({ kind: 'intact' });
      await under.close();
    });

    const audit = async () =>
      (await store.auditRows(before + 1, 1000)).map(({ action, actor, subject }) => [action, actor, subject]);
    const lastAudit = async () => {
      const row = (await store.auditRows(before + 1, 1000)).at(-1);
      return row && { ...row, data: JSON.parse(row.data) };
    };
    const events = async (kind: DomainEvent['kind']) =>
      (await store.events(incidentId)).filter((event) => event.kind === kind);
    const save = async (over: Parameters<typeof aPlan>[0] = {}) => {
      const plan = aPlan({ incidentId, ...over });
      await store.savePlan(plan);
      return plan;
    };
    const aRun = async (over: Parameters<typeof aPlan>[0] = {}) => {
      const outcome = await store.click(aClick(await save(over)));
      if (outcome.kind !== 'run') throw new Error(`no run but ${JSON.stringify(outcome)}`);
      return outcome.run;
    };
    const end = (id: string, state: 'done' | 'failed' | 'aborted' | 'rolled-back' = 'done') =>
      store.setRunState(id, { state, outcome: 'it ended', actor: 'oombot', at: START + 5000 });

    describe('plans', () => {
      it('are kept as they were made, with event and audit', async () => {
        const plan = await save();

        expect(await store.plan(plan.id)).toEqual(plan);
        expect(await store.plansOf(incidentId)).toEqual([plan]);
        expect(await store.approvals(plan.id)).toEqual([]);
        const made = { kind: 'plan-made', at: START, incidentId, planId: plan.id, hash: plan.hash };
        expect(await events('plan-made')).toEqual([{ ...made, actor: 'U_ONCALL' }]);
        expect(await audit()).toEqual([['plan-made', 'U_ONCALL', plan.id]]);
      });

      it('replace open ones of the same incident and action, and no others', async () => {
        const old = await save({ proposedAt: START });
        const other = await save({ action: 'scale-up', proposedAt: START + 1 });
        const young = aPlan({ incidentId, proposedAt: START + 2 });

        const replaced = await store.savePlan(young);

        expect(replaced).toEqual([old.id]);
        expect((await store.plansOf(incidentId)).map(({ id, state }) => [id, state])).toEqual([
          [old.id, 'replaced'],
          [other.id, 'proposed'],
          [young.id, 'proposed'],
        ]);
        expect(await events('plan-ended')).toMatchObject([{ planId: old.id, state: 'replaced' }]);
        expect(await store.click(aClick(old))).toEqual(refused('replaced'));
        expect(await store.click(aClick(young))).toMatchObject({ kind: 'run' });
      });

      it('are open until they are decided, replaced or expired', async () => {
        const old = await save({ proposedAt: START });
        const [rejected, expired] = [
          await save({ action: 'scale-up' }),
          await save({ action: 'raise-ram', expiresAt: START + 1 }),
        ];
        const young = await save({ proposedAt: START + 2 });
        await store.click(aClick(rejected, { decision: 'reject' }));

        expect((await store.openPlans(START)).map(({ id }) => id)).toEqual([expired.id, young.id]);
        expect((await store.openPlans(START + 1)).map(({ id }) => id)).toEqual([young.id]);
        expect((await store.openPlans(START + 900_000)).map(({ id }) => id)).not.toContain(old.id);
      });

      it('of an incident that is not there are refused and leave no audit', async () => {
        await expect(store.savePlan(aPlan({ incidentId: 'inc_none' }))).rejects.toMatchObject({ code: 'not-found' });
        expect(await audit()).toEqual([]);
      });

      it('cannot be saved twice, and a vain try replaces nothing', async () => {
        const plan = await save();

        await expect(store.savePlan(plan)).rejects.toMatchObject({ name: 'OomError', code: 'store-failed' });

        expect(await store.plan(plan.id)).toEqual(plan);
        expect(await audit()).toHaveLength(1);
      });

      it('that are not there are undefined', async () => {
        expect(await store.plan('none')).toBeUndefined();
        expect(await store.plansOf('none')).toEqual([]);
        expect(await store.approvals('none')).toEqual([]);
        expect(await store.run('none')).toBeUndefined();
        expect(await store.incident('none')).toBeUndefined();
        expect((await store.incident(incidentId))?.id).toBe(incidentId);
      });
    });

    describe('a click', () => {
      it('that is enough makes one run, queued, with every step to come', async () => {
        const plan = await save();

        const outcome = await store.click(aClick(plan));

        expect(outcome).toMatchObject({ kind: 'run', run: { planId: plan.id, incidentId } });
        const run = outcome.kind === 'run' ? outcome.run : undefined;
        expect(run).toMatchObject({ state: 'queued', command: 'none', startedBy: 'U_APPROVER', outcome: null });
        expect(run?.target).toEqual(plan.target);
        expect(run?.steps.map(({ n, phase, attempts }) => [n, phase, attempts])).toEqual([
          [1, 'pending', 0],
          [2, 'pending', 0],
        ]);
        expect(await store.run(run?.id ?? '')).toEqual(run);
        expect(await store.openRuns()).toEqual([run]);
        expect(await store.runsOf(incidentId)).toEqual([run]);
        expect(await store.plan(plan.id)).toEqual({ ...plan, state: 'used' });
        expect(await store.approvals(plan.id)).toEqual([{ who: 'U_APPROVER', decision: 'approve', at: START + 1000 }]);
        expect(await audit()).toEqual([
          ['plan-made', 'U_ONCALL', plan.id],
          ['approval-given', 'U_APPROVER', plan.id],
          ['run-queued', 'U_APPROVER', run?.id],
        ]);
        expect(await events('run-queued')).toMatchObject([{ runId: run?.id, planId: plan.id }]);
      });

      it('that is not enough counts, once for each person', async () => {
        const plan = await save({ approvals: 2, proposedBy: 'U_STRANGER' });

        expect(await store.click(aClick(plan))).toEqual({ kind: 'counted', have: 1, need: 2 });
        expect(await store.click(aClick(plan))).toEqual(refused('already-counted'));
        expect(await store.openRuns()).toEqual([]);
        expect(await store.click(aClick(plan, { who: 'U_ONCALL' }))).toMatchObject({ kind: 'run' });
      });

      describe('after a yes of one who may no longer approve', () => {
        const lapsed = { who: 'U_APPROVER', kind: 'lapsed' as const, why: 'may no longer approve' };
        const unknown = { ...lapsed, kind: 'unknown' as const, why: 'Slack did not tell' };
        const approvers = async ({ id }: Plan) => (await store.approvals(id)).map(({ who }) => who);
        const twoWanted = async () => {
          const plan = await save({ approvals: 2, proposedBy: 'U_NOBODY' });
          await store.click(aClick(plan));
          return plan;
        };

        it('is the first one, and the other is taken out with its reason', async () => {
          const plan = await twoWanted();

          const second = await store.click(aClick(plan, { who: 'U_ONCALL', doubts: [lapsed] }));

          const { why, who: actor } = lapsed;
          expect(second).toEqual({ kind: 'counted', have: 1, need: 2 });
          expect(await approvers(plan)).toEqual(['U_ONCALL']);
          expect(await events('approval-lapsed')).toMatchObject([{ actor, planId: plan.id, why }]);
          expect(await lastAudit()).toMatchObject({ action: 'approval-lapsed', actor, data: { why } });
          expect(await store.click(aClick(plan))).toMatchObject({ kind: 'run' });
        });

        it('counts as all with the glass broken', async () => {
          const plan = await twoWanted();

          const broken = aClick(plan, { who: 'U_ONCALL', breakGlass: 'all asleep', doubts: [lapsed] });

          expect(await store.click(broken)).toMatchObject({ kind: 'run' });
          expect(await approvers(plan)).toEqual(['U_ONCALL']);
        });

        it('leaves all as it was where that cannot be told now, and counts once it can', async () => {
          const plan = await twoWanted();
          const doubtful = aClick(plan, { who: 'U_ONCALL', doubts: [unknown] });

          expect(await store.click(doubtful)).toEqual(refused('approver-unknown'));

          expect(await store.openRuns()).toEqual([]);
          expect(await approvers(plan)).toEqual(['U_APPROVER']);
          expect(JSON.stringify(await lastAudit())).toContain('Slack did not tell');
          expect(await store.click(aClick(plan, { who: 'U_ONCALL' }))).toMatchObject({ kind: 'run' });
        });

        it('waits for it too where another yes has lapsed', async () => {
          const plan = await twoWanted();
          const doubts = [{ ...lapsed, who: 'U_STRANGER' }, unknown];

          expect(await store.click(aClick(plan, { who: 'U_ONCALL', doubts }))).toEqual(refused('approver-unknown'));
        });

        it.each([
          ['a no', { decision: 'reject' }, 'rejected'],
          ['a yes that breaks the glass', { breakGlass: 'all asleep' }, 'run'],
        ] as const)('does not wait for it with %s', async (_what, over, kind) => {
          const plan = await twoWanted();

          const click = aClick(plan, { who: 'U_ONCALL', doubts: [unknown], ...over });

          expect(await store.click(click)).toMatchObject({ kind });
        });

        it('counts where more are wanted anyway, though that cannot be told now', async () => {
          const plan = await save({ approvals: 3, proposedBy: 'U_NOBODY' });
          await store.click(aClick(plan));

          const second = await store.click(aClick(plan, { who: 'U_ONCALL', doubts: [unknown] }));

          expect(second).toEqual({ kind: 'counted', have: 2, need: 3 });
        });
      });

      it.each([
        ['a plan that is not there', { planId: 'plan_none' }, 'no-such-plan'],
        ['another hash than the card showed', { hash: 'forged' }, 'changed'],
        ['exactly at its expiry', { at: START + 900_000 }, 'expired'],
        ['the own plan', { who: 'U_ONCALL' }, 'own-plan'],
        ['a rejection of another hash', { hash: 'forged', decision: 'reject' }, 'changed'],
      ] as const)('on %s is refused, audited, and changes nothing else', async (_name, over, why) => {
        const plan = await save();

        expect(await store.click(aClick(plan, over))).toEqual(refused(why));

        expect(await store.openRuns()).toEqual([]);
        expect(await store.approvals(plan.id)).toEqual([]);
        const { who: actor = 'U_APPROVER', planId: subject = plan.id } = over as Partial<Click>;
        expect(await lastAudit()).toMatchObject({ action: 'click-refused', actor, subject, data: { why } });
      });

      it('after the expiry ends the plan, so an earlier clock does not open it again', async () => {
        const plan = await save();
        await store.click(aClick(plan, { at: START + 900_001 }));

        expect(await store.plan(plan.id)).toMatchObject({ state: 'expired' });
        expect(await store.click(aClick(plan))).toEqual(refused('expired'));
        expect(await events('plan-ended')).toMatchObject([{ planId: plan.id, state: 'expired' }]);
      });

      it('counts by the time of the store where that is later: its process was frozen since', async () => {
        const plan = await save({ expiresAt: await store.now() });

        expect(await store.click(aClick(plan, { at: plan.expiresAt - 60_000 }))).toEqual(refused('expired'));
      });

      it.each<[string, Partial<Click>]>([
        ['just before the expiry', { at: START + 899_999 }],
        ['on the own plan, where the requester is not barred,', { who: 'U_ONCALL', barRequester: false }],
      ])('%s counts', async (_name, over) => {
        expect(await store.click(aClick(await save(), over))).toMatchObject({ kind: 'run' });
      });

      it('of Slack that comes again finds the plan used', async () => {
        const plan = await save();
        await store.click(aClick(plan));

        expect(await store.click(aClick(plan))).toEqual(refused('already-used'));
        expect(await store.click(aClick(plan, { decision: 'reject' }))).toEqual(refused('already-used'));
        expect(await store.openRuns()).toHaveLength(1);
      });

      it('on a workload that is being changed is refused, takes no vote, and counts once it is free', async () => {
        const run = await aRun({ workload: 'vllm-server' });
        const plan = await save({ workload: 'vllm-server', action: 'scale-up' });

        expect(await store.click(aClick(plan))).toEqual(refused('busy'));
        expect(await store.approvals(plan.id)).toEqual([]);
        await end(run.id);

        expect(await store.click(aClick(plan))).toMatchObject({ kind: 'run' });
      });

      it('while acting is paused is refused, even with the glass broken; a rejection is taken', async () => {
        const plan = await save();
        await store.pause({ by: 'U_ONCALL', at: START, reason: 'maintenance' });

        expect(await store.click(aClick(plan))).toEqual(refused('paused'));
        expect(await store.click(aClick(plan, { breakGlass: 'now' }))).toEqual(refused('paused'));
        expect(await store.click(aClick(plan, { decision: 'reject' }))).toEqual({ kind: 'rejected' });
      });

      it('that rejects ends the plan for all, also from one who had said yes', async () => {
        const plan = await save({ approvals: 2 });
        await store.click(aClick(plan));

        expect(await store.click(aClick(plan, { decision: 'reject', at: START + 2000 }))).toEqual({ kind: 'rejected' });

        expect(await store.click(aClick(plan, { who: 'U_STRANGER' }))).toEqual(refused('already-rejected'));
        expect(await store.approvals(plan.id)).toEqual([{ who: 'U_APPROVER', decision: 'reject', at: START + 2000 }]);
        expect(await store.plan(plan.id)).toMatchObject({ state: 'rejected' });
        expect(await events('approval-given')).toMatchObject([{ decision: 'approve' }, { decision: 'reject' }]);
      });

      it('that rejects keeps its reason, where it has one', async () => {
        const reason = 'the node is drained at noon';

        await store.click(aClick(await save(), { decision: 'reject', reason }));

        expect((await events('approval-given')).at(-1)).toMatchObject({ reason });
        expect(await lastAudit()).toMatchObject({ data: { decision: 'reject', reason } });
      });

      it('that breaks the glass counts as all approvals, and its reason is kept', async () => {
        const plan = await save({ approvals: 3 });
        const broken = aClick(plan, { who: 'U_ONCALL', breakGlass: 'nobody else is awake' });
        await store.click(aClick(plan, { who: 'U_APPROVER' }));

        expect(await store.click(broken)).toMatchObject({ kind: 'run', run: { startedBy: 'U_ONCALL' } });

        expect((await events('approval-given')).at(-1)).toMatchObject({ breakGlass: 'nobody else is awake' });
        const rows = await store.auditRows(before + 1, 100);
        expect(rows.filter(({ data }) => data.includes('nobody else is awake'))).toHaveLength(1);
      });

      it('that breaks the glass goes on where the same person had only counted', async () => {
        const plan = await save({ approvals: 3 });
        await store.click(aClick(plan));

        expect(await store.click(aClick(plan, { breakGlass: 'all asleep' }))).toMatchObject({ kind: 'run' });
      });
    });

    it('makes exactly one run of each of 30 plans that three people click eight times, all at once', async () => {
      const plans: Plan[] = [];
      for (const id of await under.incidents(30)) {
        plans.push(await save({ incidentId: id, approvals: 2, proposedBy: 'U_NOBODY' }));
      }
      const clicks = plans.flatMap((plan) =>
        Array.from({ length: 8 }, (_, n) => ({ plan, click: aClick(plan, { who: PEOPLE[n % 3]! }) })),
      );

      const outcomes = await Promise.all(
        clicks.map(async ({ plan, click }) => ({ plan, outcome: await store.click(click) })),
      );

      for (const plan of plans) {
        const kinds = outcomes.filter((one) => one.plan === plan).map(({ outcome }) => outcome.kind);
        expect(kinds.toSorted()).toEqual(['counted', ...Array(6).fill('refused'), 'run']);
      }
      const runs = await store.openRuns();
      expect(runs.map(({ planId }) => planId).toSorted()).toEqual(plans.map(({ id }) => id).toSorted());
      expect((await audit()).filter(([action]) => action === 'run-queued')).toHaveLength(30);
      expect((await audit()).filter(([action]) => action === 'click-refused')).toHaveLength(180);
    });

    it('starts one of two plans on the same workload that are approved at once', async () => {
      const one = await save({ workload: 'vllm-server' });
      const other = await save({ workload: 'vllm-server', action: 'scale-up' });

      const outcomes = await Promise.all([store.click(aClick(one)), store.click(aClick(other))]);

      expect(outcomes.map((o) => (o.kind === 'refused' ? o.why : o.kind)).toSorted()).toEqual(['busy', 'run']);
    });

    describe('a run', () => {
      it('is bound to the execution that claims it first', async () => {
        const { id } = await aRun();

        const claims = await Promise.all(['a', 'b', 'a'].map((execution) => store.claimRun(id, execution, START)));

        expect(claims.filter((claim) => claim === 'duplicate')).not.toHaveLength(3);
        const winner = claims[0] === 'ok' ? 'a' : 'b';
        expect(await store.claimRun(id, winner, START + 1)).toBe('ok');
        expect(await store.claimRun(id, 'c', START + 1)).toBe('duplicate');
        expect((await audit()).filter(([action]) => action === 'run-claimed')).toHaveLength(1);
      });

      it('that has ended is claimed by nobody new', async () => {
        const { id } = await aRun();
        await end(id);

        expect(await store.claimRun(id, 'late', START)).toBe('duplicate');
      });

      it('keeps what happened to each step, and tells of each phase once', async () => {
        const { id } = await aRun();
        const done = aStep({ phase: 'done', endedAt: START + 9, message: 'written' });

        await store.saveStep(id, aStep());
        await store.saveStep(id, aStep({ attempts: 2, message: 'again' }));
        await store.saveStep(id, done);
        await store.saveStep(id, done);

        expect((await store.run(id))?.steps[0]).toEqual(done);
        expect(await events('step-done')).toMatchObject([{ runId: id, step: 1, outcome: 'done' }]);
        expect((await audit()).filter(([action]) => action === 'step')).toHaveLength(2);
      });

      it('does not let a late writer take back what is done, but lets it be undone', async () => {
        const { id } = await aRun();
        await store.saveStep(id, aStep({ phase: 'done', endedAt: START }));

        await store.saveStep(id, aStep({ phase: 'running' }));
        expect((await store.run(id))?.steps[0]).toMatchObject({ phase: 'done' });
        await store.saveStep(id, aStep({ phase: 'undone', endedAt: START }));
        await store.saveStep(id, aStep({ phase: 'done', endedAt: START }));
        await store.saveStep(id, aStep({ n: 2, phase: 'failed', endedAt: START }));

        expect((await store.run(id))?.steps[0]).toMatchObject({ phase: 'undone' });
        expect((await events('step-done')).map((event) => 'outcome' in event && event.outcome)).toEqual([
          'done',
          'undone',
          'failed',
        ]);
      });

      it('keeps its checks, and tells where the answer has changed', async () => {
        const { id } = await aRun();
        const check = (answer: 'yes' | 'no' | 'could-not-tell') => ({ check: 'restarts', answer, says: 'so and so' });

        for (const answer of ['yes', 'yes', 'could-not-tell', 'no', 'no'] as const) {
          await store.saveChecks(id, [check('yes'), check(answer)], START + 1);
        }

        expect((await store.run(id))?.checks).toEqual([check('yes'), check('no')]);
        const changes = ['yes', 'could-not-tell', 'no'].map((answer) => ({ answer }));
        expect(await events('verified')).toMatchObject(changes);
      });

      it('keeps the first of what it is measured against, and audits it', async () => {
        const { id } = await aRun();
        const first = aBaseline(1);

        await store.saveBaseline(id, first, START + 1);
        await store.saveBaseline(id, aBaseline(2), START + 2);

        expect(await store.baseline(id)).toEqual(first);
        expect(await store.baseline('none')).toBeUndefined();
        expect(await lastAudit()).toMatchObject({ action: 'baseline', subject: id, at: START + 1, data: first });
      });

      it('only goes on: the first end counts', async () => {
        const { id } = await aRun();
        const to = (state: 'queued' | 'running' | 'done' | 'failed', outcome: string | null) =>
          store.setRunState(id, { state, outcome, actor: 'oombot', at: START + 7 });

        await to('running', null);
        await to('queued', null);
        await to('done', 'kept');
        await to('failed', 'late');
        await to('running', null);

        expect(await store.run(id)).toMatchObject({ state: 'done', outcome: 'kept', updatedAt: START + 7 });
        expect(await events('run-changed')).toMatchObject([{ state: 'running' }, { state: 'done' }]);
        expect(await store.openRuns()).toEqual([]);
        expect(await store.runsOf(incidentId)).toHaveLength(1);
      });

      it('closes its incident where it was verified, and opens it again where it is rolled back after that', async () => {
        const { id } = await aRun();
        const incident = () => store.incident(incidentId);
        const at = START + 7;

        await store.setRunState(id, { state: 'done', outcome: 'kept', actor: 'oombot', at, isVerified: true });
        const closed = await incident();
        await store.commandRun(id, { command: 'roll-back', by: 'U_ONCALL', at: START + 8 });

        expect(closed).toMatchObject({
          state: 'closed',
          closedBy: 'oombot',
          closedWhy: `${id} was verified.`,
          closedAt: at,
        });
        expect(await incident()).toMatchObject({ state: 'open', closedBy: null, reopenedAt: START + 8, seen: 1 });
        expect(await events('incident-reopened')).toMatchObject([{ actor: 'U_ONCALL' }]);
      });

      it('leaves its incident as it is where it was not verified, and closed where somebody else closed it', async () => {
        const { id } = await aRun();
        await end(id);
        expect(await store.incident(incidentId)).toMatchObject({ state: 'open' });

        await store.closeIncident(incidentId, { actor: 'U_ONCALL', why: 'fixed', at: START });
        await store.commandRun(id, { command: 'roll-back', by: 'U_ONCALL', at: START + 8 });

        expect(await store.incident(incidentId)).toMatchObject({ state: 'closed', closedBy: 'U_ONCALL' });
      });

      it.each([
        ['keep', 'abort', true],
        // Taken note of: the run has gone on, and may be told to again.
        ['keep', 'none', true],
        ['abort', 'none', false],
        ['abort', 'abandon', true],
        ['abort', 'keep', false],
        ['abandon', 'abort', false],
        ['roll-back', 'keep', false],
      ] as const)('that runs, told to %s, answers %s with %s', async (first, second, answer) => {
        const { id } = await aRun();
        await store.setRunState(id, { state: 'running', outcome: null, actor: 'oombot', at: START });
        const tell = (command: 'none' | 'keep' | 'abort' | 'abandon' | 'roll-back', by: string) =>
          store.commandRun(id, { command, by, at: START + 3 });

        expect(await tell(first, 'U_ONCALL')).toBe(true);
        // A double click changes nothing.
        expect(await tell(first, 'U_STRANGER')).toBe(true);
        expect(await tell(second, 'U_APPROVER')).toBe(answer);

        const [command, commandBy] = answer ? [second, 'U_APPROVER'] : [first, 'U_ONCALL'];
        expect(await store.run(id)).toMatchObject({ command, commandBy, state: 'running' });
        expect(await events('run-commanded')).toHaveLength(answer ? 2 : 1);
      });

      it('that is on its way back can only be left where it is', async () => {
        const { id } = await aRun();
        await store.setRunState(id, { state: 'compensating', outcome: null, actor: 'oombot', at: START });
        const tell = (command: 'abort' | 'keep' | 'abandon') =>
          store.commandRun(id, { command, by: 'U_ONCALL', at: START });

        expect([await tell('abort'), await tell('keep'), await tell('abandon')]).toEqual([false, false, true]);
      });

      it('that has ended is taken up again by a roll-back, and holds its workload meanwhile', async () => {
        const { id } = await aRun({ workload: 'vllm-server' });
        await store.claimRun(id, 'first', START);
        await end(id);
        const back = { command: 'roll-back' as const, by: 'U_APPROVER', at: START + 9 };

        expect(await store.commandRun(id, { ...back, command: 'abort' })).toBe(false);
        expect(await store.commandRun(id, back)).toBe(true);

        expect(await store.openRuns()).toMatchObject([
          { id, state: 'compensating', command: 'roll-back', commandBy: 'U_APPROVER', outcome: null },
        ]);
        const plan = await save({ workload: 'vllm-server', action: 'scale-up' });
        expect(await store.click(aClick(plan))).toEqual(refused('busy'));
        expect(await store.claimRun(id, 'second', START + 10)).toBe('ok');
        await end(id, 'rolled-back');
        expect(await store.commandRun(id, back)).toBe(false);
      });

      it('that has ended is not rolled back while another changes its workload', async () => {
        const { id } = await aRun({ workload: 'vllm-server' });
        await end(id);
        await aRun({ workload: 'vllm-server', action: 'scale-up' });

        expect(await store.commandRun(id, { command: 'roll-back', by: 'U_ONCALL', at: START })).toBe(false);
        expect(await store.run(id)).toMatchObject({ state: 'done', command: 'none' });
      });

      it('audits a write before it goes out', async () => {
        const { id } = await aRun();
        const data = { n: 1, object: 'Deployment/vllm', says: 'scale to 0' };

        await store.recordWrite(id, { ...data, at: START + 4 });

        expect(await lastAudit()).toMatchObject({ action: 'write', subject: id, at: START + 4, data });
      });

      it.each([
        ['claimRun', (s: ActStore) => s.claimRun('none', 'e', START)],
        ['saveStep', (s: ActStore) => s.saveStep('none', aStep())],
        ['saveChecks', (s: ActStore) => s.saveChecks('none', [], START)],
        ['saveBaseline', (s: ActStore) => s.saveBaseline('none', aBaseline(1), START)],
        ['setRunState', (s: ActStore) => s.setRunState('none', { state: 'done', outcome: '', actor: 'a', at: START })],
        ['commandRun', (s: ActStore) => s.commandRun('none', { command: 'abort', by: 'a', at: START })],
        ['recordWrite', (s: ActStore) => s.recordWrite('none', { n: 1, object: '', says: '', at: START })],
      ])('that is not there is refused by %s and leaves no audit', async (_name, act) => {
        await expect(act(store)).rejects.toMatchObject({ name: 'OomError', code: 'not-found' });
        expect(await audit()).toEqual([]);
      });
    });

    it('audits a refused attempt: who, what, why', async () => {
      const [about, data] = [
        { subject: 'plan_1', at: START },
        { verb: 'approve', why: 'no rights' },
      ] as const;

      await store.recordRefusal({ who: 'U_STRANGER', ...data, ...about });

      expect(await lastAudit()).toMatchObject({ actor: 'U_STRANGER', action: 'refused', ...about, data });
    });

    it('is paused until it is resumed, each audited once', async () => {
      expect(await store.paused()).toBeUndefined();
      await store.pause({ by: 'U_ONCALL', at: START, reason: 'first' });
      await store.pause({ by: 'U_APPROVER', at: START + 1, reason: 'second' });
      expect(await store.paused()).toEqual({ by: 'U_APPROVER', at: START + 1, reason: 'second' });

      await store.resume('U_ONCALL', START + 2);
      await store.resume('U_ONCALL', START + 3);

      expect(await store.paused()).toBeUndefined();
      expect((await audit()).map(([action, actor]) => [action, actor])).toEqual([
        ['paused', 'U_ONCALL'],
        ['paused', 'U_APPROVER'],
        ['resumed', 'U_ONCALL'],
      ]);
    });
  });
}

import type { ActStore, Click, ClickOutcome, Doubt, Paused } from '../../src/app/acting-ports.ts';
import type { Clock, Ids } from '../../src/app/ports.ts';
import { OomError } from '../../src/model/errors.ts';
import type { DomainEvent } from '../../src/model/events.ts';
import type { Incident } from '../../src/model/incident.ts';
import { type Plan, type Run, workloadOf } from '../../src/model/plan.ts';
import type { Baseline } from '../../src/model/request-times.ts';
import { refusalOf } from '../../src/store/acting/click-rules.ts';
import {
  answerOf,
  fateOf,
  isActive,
  isEnded,
  mayMove,
  mayRecord,
  queuedRun,
} from '../../src/store/acting/run-rules.ts';
import { type AuditRow, type AuditSource, chainOn, FIRST_HASH } from '../../src/store/database/audit-chain.ts';
import { exampleIncident } from '../model/examples.ts';
import { createFakeClock } from './clock.ts';
import { createFakeIds } from './ids.ts';

type Approval = { who: string; decision: 'approve' | 'reject'; at: number };

type State = {
  incidents: Map<string, Incident>;
  plans: Map<string, Plan>;
  approvals: Map<string, Map<string, Approval>>;
  runs: Map<string, Run>;
  executions: Map<string, string>;
  baselines: Map<string, Baseline>;
  events: DomainEvent[];
  audit: AuditRow[];
  paused: Paused | undefined;
};

/** An ActStore in memory, held to the real one by the contract suite. `fail` makes the next calls throw. */
export type FakeActStore = ActStore &
  AuditSource & {
    events(incidentId: string): Promise<readonly DomainEvent[]>;
    fail(error: OomError | undefined): void;
  };

export function createFakeActStore(
  options: { clock?: Clock; ids?: Ids; incidents?: readonly Incident[] } = {},
): FakeActStore {
  const { clock = createFakeClock(), ids = createFakeIds(), incidents = [exampleIncident] } = options;
  const state: State = {
    incidents: new Map(incidents.map((one) => [one.id, one])),
    plans: new Map(),
    approvals: new Map(),
    runs: new Map(),
    executions: new Map(),
    baselines: new Map(),
    events: [],
    audit: [],
    paused: undefined,
  };
  let fault: OomError | undefined;
  const methods = {
    now: () => clock.now(),
    ...planning(state, ids, clock),
    ...running(state, clock),
    ...pausing(state),
    ...reading(state),
  };
  const guarded = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        if (fault !== undefined) throw fault;
        // Values in and out are copies, as with a real store.
        return structuredClone((method as (...a: unknown[]) => unknown)(...structuredClone(args)));
      },
    ]),
  ) as unknown as FakeActStore;
  return {
    ...guarded,
    fail(error) {
      fault = error;
    },
  };
}

function audit(state: State, at: number, actor: string, action: string, subject: string, data: object = {}): void {
  state.audit.push(chainOn(headOf(state), { at, actor, action, subject, data: JSON.stringify(data) }));
}

function headOf(state: State) {
  const last = state.audit.at(-1);
  return { seq: last?.seq ?? 0, hash: last?.hash ?? FIRST_HASH };
}

function planning(state: State, ids: Ids, clock: Clock) {
  const endPlan = (plan: Plan, to: 'expired' | 'replaced', actor: string, at: number) => {
    state.plans.set(plan.id, { ...plan, state: to });
    state.events.push({ kind: 'plan-ended', at, incidentId: plan.incidentId, actor, planId: plan.id, state: to });
    audit(state, at, actor, 'plan-ended', plan.id, { state: to });
  };
  return {
    savePlan(plan: Plan) {
      if (!state.incidents.has(plan.incidentId)) throw new OomError('not-found', 'no such incident', { next: '' });
      if (state.plans.has(plan.id)) throw new OomError('store-failed', 'twice', { next: '' });
      for (const old of state.plans.values()) {
        if (old.incidentId !== plan.incidentId || old.action !== plan.action || old.state !== 'proposed') continue;
        endPlan(old, 'replaced', plan.proposedBy, plan.proposedAt);
      }
      state.plans.set(plan.id, plan);
      const { id, incidentId, hash, proposedBy: actor, proposedAt: at } = plan;
      state.events.push({ kind: 'plan-made', at, incidentId, actor, planId: id, hash });
      audit(state, at, actor, 'plan-made', id, { hash });
    },
    click(click: Click): ClickOutcome {
      const outcome = takeClick(state, { ids, now: clock.now() }, click, endPlan);
      if (outcome.kind === 'refused')
        audit(state, click.at, click.who, 'click-refused', click.planId, { why: outcome.why, doubts: click.doubts });
      return outcome;
    },
  };
}

function takeClick(
  state: State,
  { ids, now }: { readonly ids: Ids; readonly now: number },
  click: Click,
  endPlan: (plan: Plan, to: 'expired', actor: string, at: number) => void,
): ClickOutcome {
  const plan = state.plans.get(click.planId);
  if (plan === undefined) return { kind: 'refused', why: 'no-such-plan' };
  const workload = workloadOf(plan.target);
  const busy = [...state.runs.values()].some((run) => isActive(run) && workloadOf(run.target) === workload);
  const why = refusalOf(plan, click, { at: Math.max(click.at, now), paused: state.paused !== undefined, busy });
  const { who, decision, at, breakGlass, reason = null } = click;
  if (why === 'expired' && plan.state === 'proposed') endPlan(plan, 'expired', who, at);
  if (why !== undefined) return { kind: 'refused', why };
  const given = state.approvals.get(plan.id) ?? new Map<string, Approval>();
  state.approvals.set(plan.id, given);
  const doubts = decision === 'approve' ? (click.doubts ?? []) : [];
  const doubted = (kind: Doubt['kind']) => doubts.filter((one) => one.kind === kind && given.has(one.who));
  const others = [...given.keys()].filter((one) => one !== who).length - doubted('lapsed').length;
  const isShort = others + 1 >= plan.approvals && others + 1 - doubted('unknown').length < plan.approvals;
  if (isShort && breakGlass === null) return { kind: 'refused', why: 'approver-unknown' };
  if (decision === 'approve' && breakGlass === null && given.has(who))
    return { kind: 'refused', why: 'already-counted' };
  given.set(who, { who, decision, at });
  const base = { at, incidentId: plan.incidentId, actor: who };
  const said = { ...(breakGlass === null ? {} : { breakGlass }), ...(reason === null ? {} : { reason }) };
  state.events.push({ kind: 'approval-given', ...base, planId: plan.id, decision, ...said });
  audit(state, at, who, 'approval-given', plan.id, { decision, hash: click.hash, ...said });
  if (decision === 'reject') {
    state.plans.set(plan.id, { ...plan, state: 'rejected' });
    return { kind: 'rejected' };
  }
  for (const { who: actor, why: says } of doubted('lapsed')) {
    given.delete(actor);
    state.events.push({ kind: 'approval-lapsed', ...base, actor, planId: plan.id, why: says });
    audit(state, at, actor, 'approval-lapsed', plan.id, { why: says });
  }
  const have = given.size;
  if (breakGlass === null && have < plan.approvals) return { kind: 'counted', have, need: plan.approvals };
  const run = queuedRun(ids.next('run'), plan, click);
  state.runs.set(run.id, run);
  state.plans.set(plan.id, { ...plan, state: 'used' });
  state.events.push({ kind: 'run-queued', ...base, runId: run.id, planId: plan.id });
  audit(state, at, who, 'run-queued', run.id, { planId: plan.id });
  return { kind: 'run', run };
}

function runOf(state: State, id: string): Run {
  const run = state.runs.get(id);
  if (run === undefined) throw new OomError('not-found', 'no such run', { next: '' });
  return run;
}

function running(state: State, clock: Clock) {
  const change = (run: Run, over: Partial<Run>) => state.runs.set(run.id, { ...run, ...over });
  return {
    claimRun(id: string, executionId: string, at: number): 'ok' | 'duplicate' {
      const run = runOf(state, id);
      const bound = state.executions.get(id);
      if (bound === executionId) return 'ok';
      if (bound !== undefined || !isActive(run)) return 'duplicate';
      state.executions.set(id, executionId);
      audit(state, at, 'oombot', 'run-claimed', id, { executionId });
      return 'ok';
    },
    saveStep(id: string, record: Run['steps'][number]) {
      const run = runOf(state, id);
      const before = run.steps.find(({ n }) => n === record.n);
      if (!mayRecord(before, record)) return;
      const steps = [...run.steps.filter(({ n }) => n !== record.n), record].sort((a, b) => a.n - b.n);
      const at = clock.now();
      change(run, { steps, updatedAt: at });
      if (before?.phase === record.phase) return;
      audit(state, at, 'oombot', 'step', id, record);
      if (!isEnded(record)) return;
      const event = { at, incidentId: run.incidentId, actor: 'oombot', runId: id };
      state.events.push({ kind: 'step-done', ...event, step: record.n, outcome: record.phase });
    },
    saveChecks(id: string, checks: Run['checks'], at: number) {
      const run = runOf(state, id);
      change(run, { checks, updatedAt: at });
      const answer = answerOf(checks);
      if (answer === undefined || answer === answerOf(run.checks)) return;
      state.events.push({ kind: 'verified', at, incidentId: run.incidentId, actor: 'oombot', runId: id, answer });
      audit(state, at, 'oombot', 'verified', id, { answer });
    },
    saveBaseline(id: string, baseline: Baseline, at: number) {
      runOf(state, id);
      if (state.baselines.has(id)) return;
      state.baselines.set(id, baseline);
      audit(state, at, 'oombot', 'baseline', id, baseline);
    },
    setRunState(id: string, to: Parameters<ActStore['setRunState']>[1]) {
      const run = runOf(state, id);
      if (!mayMove(run.state, to.state)) return;
      const { at, actor, outcome } = to;
      change(run, { state: to.state, outcome, updatedAt: at });
      state.events.push({
        kind: 'run-changed',
        at,
        incidentId: run.incidentId,
        actor,
        runId: id,
        state: to.state,
        outcome,
      });
      audit(state, at, actor, 'run-changed', id, { state: to.state, outcome });
    },
    commandRun(id: string, { command, by, at }: Parameters<ActStore['commandRun']>[1]): boolean {
      const run = runOf(state, id);
      const workload = workloadOf(run.target);
      const free = ![...state.runs.values()].some((one) => isActive(one) && workloadOf(one.target) === workload);
      const fate = fateOf(run, command, free);
      if (fate === 'too-late' || fate === 'same') return fate === 'same';
      if (fate === 'reopen') state.executions.delete(id);
      const reopened = fate === 'reopen' ? { state: 'compensating' as const, outcome: null } : {};
      change(run, { command, commandBy: by, updatedAt: at, ...reopened });
      state.events.push({ kind: 'run-commanded', at, incidentId: run.incidentId, actor: by, runId: id, command });
      audit(state, at, by, 'run-commanded', id, { command });
      return true;
    },
    recordWrite(id: string, { n, object, says, at }: Parameters<ActStore['recordWrite']>[1]) {
      runOf(state, id);
      audit(state, at, 'oombot', 'write', id, { n, object, says });
    },
    recordRefusal({ who, verb, subject, why, at }: Parameters<ActStore['recordRefusal']>[0]) {
      audit(state, at, who, 'refused', subject, { verb, why });
    },
  };
}

function pausing(state: State) {
  return {
    pause(pause: Paused) {
      state.paused = pause;
      audit(state, pause.at, pause.by, 'paused', 'acting', { reason: pause.reason });
    },
    resume(by: string, at: number) {
      if (state.paused === undefined) return;
      state.paused = undefined;
      audit(state, at, by, 'resumed', 'acting');
    },
    paused: () => state.paused,
  };
}

function reading(state: State) {
  const runs = () => [...state.runs.values()].sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  return {
    plan: (id: string) => state.plans.get(id),
    plansOf: (incidentId: string) =>
      [...state.plans.values()]
        .filter((plan) => plan.incidentId === incidentId)
        .sort((a, b) => a.proposedAt - b.proposedAt || (a.id < b.id ? -1 : 1)),
    approvals: (planId: string) =>
      [...(state.approvals.get(planId)?.values() ?? [])].sort((a, b) => a.at - b.at || (a.who < b.who ? -1 : 1)),
    run: (id: string) => state.runs.get(id),
    baseline: (id: string) => state.baselines.get(id),
    runsOf: (incidentId: string) => runs().filter((run) => run.incidentId === incidentId),
    openRuns: () => runs().filter(isActive),
    incident: (id: string) => state.incidents.get(id),
    events: (incidentId: string) => state.events.filter((event) => event.incidentId === incidentId),
    auditHead: () => headOf(state),
    auditRows: (fromSeq: number, limit: number) => state.audit.filter((row) => row.seq >= fromSeq).slice(0, limit),
  };
}

import type { Selectable } from 'kysely';
import { z } from 'zod';
import { CheckResult, Plan, PlanTarget, Run, StepRecord, workloadOf } from '../../model/plan.ts';
import { parseJson, parseRow, whole } from '../database/rows.ts';
import type { PlanTable, RunTable, StepTable, Tables } from '../database/tables.ts';

export function readPlan({ body, state }: Selectable<PlanTable>): Plan {
  const plan = parseJson(Stored, body, 'plan');
  return parseRow(Plan, { ...plan, state }, 'plan');
}

// One word was kept before, for the cause; of a cause that is proved the memory is, too.
const Stored = z
  .looseObject({ certain: z.unknown().optional(), causeCertain: z.unknown().optional() })
  .transform(({ certain, causeCertain, ...rest }) => {
    if (causeCertain !== undefined) return { ...rest, causeCertain, ...(certain === undefined ? {} : { certain }) };
    return certain === true ? { ...rest, certain, causeCertain: true } : rest;
  });

export function writePlan(plan: Plan): Tables['plan'] {
  const { id, incidentId: incident_id, action, state, proposedAt: proposed_at } = plan;
  const workload = workloadOf(plan.target);
  return { id, incident_id, workload, action, state, proposed_at, version: 0, body: JSON.stringify(plan) };
}

export function readRun(row: Selectable<RunTable>, steps: readonly Selectable<StepTable>[]): Run {
  const run = {
    id: row.id,
    planId: row.plan_id,
    incidentId: row.incident_id,
    target: parseJson(PlanTarget, row.target, 'run'),
    state: row.state,
    steps: steps.map(readStep),
    checks: parseJson(z.array(CheckResult), row.checks, 'run'),
    command: row.command,
    commandBy: row.command_by,
    startedBy: row.started_by,
    outcome: row.outcome,
    startedAt: whole.parse(row.started_at),
    updatedAt: whole.parse(row.updated_at),
  };
  return parseRow(Run, run, 'run');
}

export function writeRun(run: Run): Tables['run'] {
  return {
    id: run.id,
    plan_id: run.planId,
    incident_id: run.incidentId,
    workload: workloadOf(run.target),
    target: JSON.stringify(run.target),
    state: run.state,
    execution_id: null,
    command: run.command,
    command_by: run.commandBy,
    checks: JSON.stringify(run.checks),
    outcome: run.outcome,
    started_by: run.startedBy,
    started_at: run.startedAt,
    updated_at: run.updatedAt,
  };
}

export function readStep(row: Selectable<StepTable>): StepRecord {
  const { run_id: _run, started_at, ended_at, ...rest } = row;
  const step = {
    ...rest,
    n: whole.parse(rest.n),
    attempts: whole.parse(rest.attempts),
    startedAt: started_at === null ? null : whole.parse(started_at),
    endedAt: ended_at === null ? null : whole.parse(ended_at),
  };
  return parseRow(StepRecord, step, 'step');
}

export function writeStep(runId: string, step: StepRecord): Tables['step'] {
  const { startedAt, endedAt, ...rest } = step;
  return { run_id: runId, ...rest, started_at: startedAt, ended_at: endedAt };
}

import type { Selectable } from 'kysely';
import { z } from 'zod';
import { CheckResult, Plan, PlanTarget, Run, StepRecord, workloadOf } from '../../model/plan.ts';
import { parseJson, parseRow } from '../database/rows.ts';
import type { Tables } from '../database/tables.ts';

export function readPlan({ body, state }: Selectable<Tables['plan']>): Plan {
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
  const { id, incidentId, action, state, proposedAt } = plan;
  const workload = workloadOf(plan.target);
  return { id, incidentId, workload, action, state, proposedAt, version: 0, body: JSON.stringify(plan) };
}

export function readRun(row: Selectable<Tables['run']>, steps: readonly Selectable<Tables['step']>[]): Run {
  const { workload: _workload, executionId: _execution, ...rest } = row;
  const target = parseJson(PlanTarget, row.target, 'run');
  const checks = parseJson(z.array(CheckResult), row.checks, 'run');
  return parseRow(Run, { ...rest, target, checks, steps: steps.map(readStep) }, 'run');
}

export function writeRun({ steps: _steps, target, checks, ...rest }: Run): Tables['run'] {
  const texts = { target: JSON.stringify(target), checks: JSON.stringify(checks) };
  return { ...rest, ...texts, workload: workloadOf(target), executionId: null };
}

export function readStep({ runId: _run, ...step }: Selectable<Tables['step']>): StepRecord {
  return parseRow(StepRecord, step, 'step');
}

import { makePlan } from '../../../../src/app/acting/plan/make-plan.ts';
import type { ActingCluster } from '../../../../src/app/acting-ports.ts';
import type { ActionId } from '../../../../src/model/action.ts';
import type { Plan, PlanStep } from '../../../../src/model/plan.ts';
import type { KubeObject } from '../../../../src/standins/api-server/objects/world.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import type { DurableStore } from '../../../../src/wire/open-store.ts';
import { aFinding } from '../../../contracts/store.ts';
import { exampleDiagnosis, exampleIncident } from '../../../model/examples.ts';
import { SETTINGS } from '../commands-bench.ts';
import { anEdit, evidenceOf, somePlanDeps } from '../owners/owner-lab.ts';

export type KillPlanAsk = {
  readonly action: ActionId;
  /** What `--max-model-len` becomes; undefined for an action that sets none. */
  readonly length?: string | undefined;
  readonly container: string;
  /** The template of the revision before. */
  readonly earlier?: unknown;
  /** Counts go by `/scale`. */
  readonly viaScale?: boolean;
};

type Scene = { readonly store: DurableStore; readonly cluster: ActingCluster; readonly owner: KubeObject };

/** A plan of the real planner for a workload that serves, typed to go through zero, at the pace of a test; saved. */
export async function makeKillPlan(ask: KillPlanAsk, { store, cluster, owner }: Scene): Promise<Plan> {
  const namespace = owner.metadata.namespace ?? '';
  const snapshot = evidenceOf({
    cluster: cluster.name,
    owner,
    container: ask.container,
    previousTemplate: ask.earlier,
  });
  const draft = { key: exampleIncident.key + namespace, cluster: cluster.name, namespace };
  const { incident } = await store.recordFinding(
    aFinding({ draft, snapshot, diagnosis: exampleDiagnosis, at: Date.now(), windowMs: 3_600_000 }),
  );
  const tools = { store, acts: store, clock: createSystemClock(), ids: createSystemIds(), settings: SETTINGS };
  const edits = ask.length === undefined ? [] : [anEdit('--max-model-len', ask.length)];
  const deps = somePlanDeps(tools, cluster, { action: ask.action, edits });
  const toZero = ask.action === 'stop-bleed' || ask.action === 'set-args';
  const request = { incidentId: incident.id, action: ask.action, values: [], replicas: undefined, toZero };
  const made = await makePlan(deps, incident, request, 'U_ONCALL');
  if (made.kind === 'refused') throw new Error(`no plan: ${made.says}`);
  const plan = { ...made.plan, steps: made.plan.steps.map((step) => quicken(step, ask)) };
  await store.savePlan(plan);
  return plan;
}

// So few polls that they need not be spread.
function quicken(step: PlanStep, { viaScale }: KillPlanAsk): PlanStep {
  switch (step.kind) {
    case 'write': {
      const counts = step.patch.every(({ path }) => path === '/spec/replicas');
      return { ...step, subresource: viaScale && counts ? 'scale' : 'none' };
    }
    case 'wait':
      return { ...step, everyMs: 150, deadlineMs: 9000 };
    case 'verify':
      return { ...step, everyMs: 100, forMs: 200 };
    case 'create':
      return step;
  }
}

import { type MakePlanDeps, makePlan } from '../../../../src/app/acting/plan/make-plan.ts';
import type { ActingCluster } from '../../../../src/app/acting-ports.ts';
import type { ActionId } from '../../../../src/model/action.ts';
import type { Facts } from '../../../../src/model/fact.ts';
import type { Plan, PlanStep } from '../../../../src/model/plan.ts';
import { snapshotSource } from '../../../../src/snapshot/source.ts';
import type { KubeObject } from '../../../../src/standins/api-server/objects/world.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import type { DurableStore } from '../../../../src/wire/open-store.ts';
import { exampleCapture, exampleDiagnosis, exampleIncident } from '../../../model/examples.ts';
import { SETTINGS } from '../commands-bench.ts';

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
  const capture = { ...exampleCapture, cluster: cluster.name, namespace, container: ask.container };
  const { key, pod, workload } = exampleIncident;
  const { incident } = await store.recordFinding({
    draft: { key: key + namespace, cluster: cluster.name, namespace, pod, workload, verdict: exampleDiagnosis.verdict },
    snapshot: {
      id: `snap_${namespace}`,
      files: {
        'incident.json': JSON.stringify({ capture }),
        'owners.json': JSON.stringify([owner]),
        ...(ask.earlier !== undefined && { 'revisions.json': JSON.stringify(revisionsOf(ask.earlier)) }),
      },
    },
    diagnosis: exampleDiagnosis,
    actor: 'U_ONCALL',
    at: Date.now(),
    windowMs: 3_600_000,
  });
  const toZero = ask.action === 'stop-bleed' || ask.action === 'set-args';
  const request = { incidentId: incident.id, action: ask.action, values: [], replicas: undefined, toZero };
  const made = await makePlan(depsOf(ask, store, cluster), incident, request, 'U_ONCALL');
  if (made.kind === 'refused') throw new Error(`no plan: ${made.says}`);
  const plan = { ...made.plan, steps: made.plan.steps.map((step) => quicken(step, ask)) };
  await store.savePlan(plan);
  return plan;
}

function depsOf({ action, length }: KillPlanAsk, store: DurableStore, cluster: ActingCluster): MakePlanDeps {
  const edits =
    length === undefined ? [] : [{ flag: '--max-model-len', from: null, to: length, why: 'fits', facts: [] }];
  const remedy = { action, says: 'It helps.', edits, direction: 'none', kind: 'stop-bleed' } as const;
  const verdict = { ...exampleDiagnosis.verdict, remedies: edits.length === 0 ? [] : [remedy] };
  const diagnosis = { ...exampleDiagnosis, verdict };
  const facts: Facts = new Map([
    ['engine.name', { kind: 'known', value: 'vllm', from: [] }],
    ['engine.version', { kind: 'known', value: '0.11.0', from: [] }],
  ]);
  return {
    store,
    acts: store,
    clusters: new Map([[cluster.name, cluster]]),
    settings: SETTINGS,
    source: snapshotSource,
    diagnose: async () => ({ diagnosis, facts, capture: exampleCapture, series: undefined }),
    clock: createSystemClock(),
    ids: createSystemIds(),
    version: '0.0.0',
    redact: (text) => text,
  };
}

function revisionsOf(template: unknown) {
  const revision = (number: number, of: unknown) => ({
    kind: 'ReplicaSet',
    name: `vllm-${number}`,
    revision: number,
    createdAt: '2026-01-14T03:00:00Z',
    template: of,
  });
  return [revision(2, {}), revision(1, template)];
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

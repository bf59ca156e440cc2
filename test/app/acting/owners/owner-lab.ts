import { onTestFinished } from 'vitest';
import type { RunInput } from '../../../../src/app/acting/act-answers.ts';
import { type MadePlan, type MakePlanDeps, makePlan } from '../../../../src/app/acting/plan/make-plan.ts';
import type { PlanRequest } from '../../../../src/app/acting/plan/plan-request.ts';
import { type ActDeps, createActs } from '../../../../src/app/acting/run/acts.ts';
import { runPlan } from '../../../../src/app/acting/run/flow.ts';
import type { ActingCluster, Steps } from '../../../../src/app/acting-ports.ts';
import type { ActionId } from '../../../../src/model/action.ts';
import type { Facts } from '../../../../src/model/fact.ts';
import { valueAt } from '../../../../src/model/json-patch.ts';
import type { Plan, Run } from '../../../../src/model/plan.ts';
import type { Snapshot } from '../../../../src/model/snapshot.ts';
import type { Edit, Remedy } from '../../../../src/model/verdict.ts';
import { snapshotSource } from '../../../../src/snapshot/source.ts';
import type { ApiServerStandin } from '../../../../src/standins/api-server/create-api-server-standin.ts';
import type { LifeSettings } from '../../../../src/standins/api-server/life/settings.ts';
import { refuse } from '../../../../src/standins/api-server/objects/status.ts';
import { aWorld, type Denial, type KubeObject } from '../../../../src/standins/api-server/objects/world.ts';
import type { WriteRequest } from '../../../../src/standins/api-server/write/write-request.ts';
import { aFinding, aSnapshot } from '../../../contracts/store.ts';
import { deniedBy, readPolicy } from '../../../deploy/policy.ts';
import { createFakeClock, type FakeClock } from '../../../fakes/clock.ts';
import { createFakeIds } from '../../../fakes/ids.ts';
import { createMemoryStore, type MemoryStore } from '../../../fakes/memory-store.ts';
import { aClick } from '../../../fakes/plans.ts';
import { openActingEdge } from '../../../kubernetes/acting-harness.ts';
import { exampleCapture, exampleDiagnosis, exampleIncident } from '../../../model/examples.ts';
import { someActDeps } from '../bench.ts';
import { SETTINGS } from '../commands-bench.ts';
import { bareObjects } from './changes.ts';
import { ownerOf } from './owner-objects.ts';

const LOAD_MS = 20_000;
const policy = readPolicy();
/** A second incident on the same workload. */
export const OTHER_INCIDENT = 'inc_other';
const FACTS: Facts = new Map([
  ['evidence.plane', { kind: 'known', value: 'host', from: [] }],
  ['death.at', { kind: 'known', value: Date.parse('2026-01-15T02:47:00Z'), from: [] }],
  ['engine.name', { kind: 'known', value: 'vllm', from: [] }],
  ['engine.version', { kind: 'known', value: '0.11.0', from: [] }],
]);

/** `down`: all of it crashes. `some`: the last replica finds no GPU. `serving`: all of it serves. */
export type Standing = 'down' | 'some' | 'serving';

type LabOptions = {
  /** Objects in the order in which they are made; the one that is written is the last. */
  readonly objects: readonly KubeObject[];
  readonly container: string;
  readonly standing?: Standing;
  /** Pods that find room where only some serve. */
  readonly room?: number;
  readonly previousTemplate?: unknown;
  readonly deps?: Partial<ActDeps>;
  readonly verifyMs?: number;
  readonly denied?: readonly Denial[];
};

type Ask = Partial<Omit<PlanRequest, 'action'>> & { readonly edits?: readonly Edit[] };

export type OwnerLab = {
  readonly standin: ApiServerStandin;
  readonly store: MemoryStore;
  readonly clock: FakeClock;
  plan(action: ActionId, ask?: Ask): Promise<MadePlan>;
  /** The same where a refusal would be a fault. */
  planned(action: ActionId, ask?: Ask): Promise<Plan>;
  /** Approves a plan and carries it out; answers the run as it ended. */
  carryOut(plan: Plan, over?: Partial<RunInput>): Promise<Run>;
  /** The button Roll back on an ended run. */
  takeBack(run: Run): Promise<Run>;
  /** Lets time pass, in the cluster and for the bot. */
  pass(ms: number): void;
  /** Called after each look of the run, once time has passed. */
  onTime: (() => void) | undefined;
  /** All that can be written, as it stands: without what the server and the controllers keep, and without our marks. */
  objects(): readonly unknown[];
  /** Lets the engine load again: what made it crash or wait is gone. */
  heal(): void;
};

export const anEdit = (flag: string, to: string): Edit => ({ flag, from: null, to, why: 'it fits', facts: [] });

/** A length of 8192 in the place of 32768. */
export const SHORTER = { edits: [anEdit('--max-model-len', '8192')] };

/** A workload of one kind. */
export function openOwner(name: string, { replicas = 2, ...over }: OwnerOptions = {}): Promise<OwnerLab> {
  const { objects, container } = ownerOf(name);
  return openOwnerLab({ objects: objects({ replicas }), container, ...over });
}

type OwnerOptions = Partial<LabOptions> & { readonly replicas?: number };

/** One workload on the stand-in API server, planned by the real planner and carried out by the real flow. */
export async function openOwnerLab(options: LabOptions): Promise<OwnerLab> {
  const { objects, container, standing = 'down', room = 2 } = options;
  const owner = objects.at(-1);
  if (owner === undefined) throw new Error('no owner');
  const { cluster, standin, close } = await openActingEdge(aWorld({ denied: options.denied ?? [] }), {
    life: lifeOf(standing, room),
  });
  onTestFinished(() => close());
  standin.cluster.admission.push((object, request) => {
    const oldObject = standin.world.objects.find(({ metadata }) => metadata.uid === object.metadata.uid) ?? null;
    const minded = deniedBy(policy, { object, oldObject, request: toAdmission(object, request) });
    const causes = minded.map((message) => ({ message }));
    const words = `ValidatingAdmissionPolicy 'oombot-act' denied request: ${minded.join('; ')}`;
    return minded.length === 0 ? undefined : refuse(422, 'Invalid', words, { name: object.metadata.name, causes });
  });
  for (const object of objects) standin.cluster.storage.save(undefined, object, { manager: 'helm' });
  standin.cluster.advance(4 * LOAD_MS);
  const clock = createFakeClock(standin.cluster.now());
  const ids = createFakeIds();
  // Two findings of one workload: a plan may be laid at the door of either.
  const store = createMemoryStore({ clock, ids, incidents: [{ ...exampleIncident, id: OTHER_INCIDENT }] });
  const { incident } = await store.recordFinding(
    aFinding({
      draft: { cluster: cluster.name, namespace: 'llm' },
      snapshot: evidenceOf({ cluster: cluster.name, owner, container, previousTemplate: options.previousTemplate }),
      diagnosis: exampleDiagnosis,
      at: clock.now(),
    }),
  );
  const settings = {
    ...SETTINGS,
    limits: {
      ...SETTINGS.limits,
      maxMemoryBytes: 64 * 2 ** 30,
      maxReplicas: 10,
      readyMs: 300_000,
      goneMs: 600_000,
      verifyMs: options.verifyMs ?? 30_000,
    },
  };
  const acts = createActs(someActDeps({ store, cluster, clock, watchMs: [10_000], ...options.deps }));
  const runNow = async (id: string): Promise<Run> => {
    const run = await store.run(id);
    if (run === undefined) throw new Error('the run is gone');
    return run;
  };
  const stepsOf = (execution: string): Steps => ({
    run: async (name, input) => acts(name, JSON.parse(JSON.stringify(input)), { id: execution }),
    async sleep(ms) {
      lab.pass(ms);
      lab.onTime?.();
    },
  });
  const lab: OwnerLab = {
    standin,
    store,
    clock,
    onTime: undefined,
    pass(ms) {
      clock.pass(ms);
      standin.cluster.advance(ms);
    },
    plan(action, { edits = [], values = [], ...ask } = {}) {
      const request = { incidentId: incident.id, action, values, replicas: undefined, toZero: false, ...ask };
      const deps = somePlanDeps({ store, acts: store, clock, ids, settings }, cluster, { action, edits });
      return makePlan(deps, incident, request, 'U_ONCALL');
    },
    async planned(action, ask) {
      const made = await lab.plan(action, ask);
      if (made.kind === 'plan') return made.plan;
      throw new Error(`refused: ${made.says}\n${made.paste}`);
    },
    async carryOut(plan, over = {}) {
      await store.savePlan(plan);
      const clicked = await store.click(aClick(plan, { at: clock.now() }));
      if (clicked.kind !== 'run') throw new Error(JSON.stringify(clicked));
      const { id } = clicked.run;
      await runPlan(stepsOf(`forward-${id}`), { runId: id, plan, from: 'start', rollBack: 'ask', ...over });
      return runNow(id);
    },
    async takeBack({ id, planId }) {
      const plan = await store.plan(planId);
      const taken = await store.commandRun(id, { command: 'roll-back', by: 'U_APPROVER', at: clock.now() });
      if (plan === undefined || !taken) throw new Error('cannot be taken back');
      await runPlan(stepsOf(`back-${id}`), { runId: id, plan, from: 'roll-back', rollBack: 'ask' });
      return runNow(id);
    },
    objects: () => bareObjects(standin.world.objects),
    heal() {
      Object.assign(standin.cluster.life, { crash: undefined, gpus: undefined });
    },
  };
  return lab;
}

// All writes of the lab are the acting account's.
function toAdmission({ kind }: KubeObject, { path, caller }: WriteRequest): unknown {
  const { group, version, plural } = path.resource;
  return {
    operation: path.name === undefined ? 'CREATE' : 'UPDATE',
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    ...(path.subresource !== undefined && { subResource: path.subresource }),
    userInfo: { username: caller.impersonated ?? caller.user },
  };
}

function lifeOf(standing: Standing, room: number): Partial<LifeSettings> {
  const crash = { afterMs: 5000, reason: 'Error', exitCode: 1, log: ['torch.OutOfMemoryError: CUDA out of memory.'] };
  return {
    loadMs: LOAD_MS,
    terminateMs: 3000,
    ...(standing === 'down' && { crash }),
    ...(standing === 'some' && { gpus: room }),
  };
}

type Offer = { readonly action: ActionId; readonly edits: readonly Edit[] };

/** What a plan is made with, where the finding offers this; nothing without edits. */
export function somePlanDeps(
  tools: Pick<MakePlanDeps, 'store' | 'acts' | 'clock' | 'ids' | 'settings'>,
  cluster: ActingCluster,
  { action, edits }: Offer,
): MakePlanDeps {
  const remedy: Remedy = { action, says: 'It helps.', edits: [...edits], direction: 'none', kind: 'stop-bleed' };
  const verdict = { ...exampleDiagnosis.verdict, remedies: edits.length === 0 ? [] : [remedy] };
  const diagnosis = { ...exampleDiagnosis, verdict };
  return {
    ...tools,
    clusters: new Map([[cluster.name, cluster]]),
    source: snapshotSource,
    diagnose: async () => ({ diagnosis, facts: FACTS, capture: exampleCapture, series: undefined }),
    version: '0.0.0',
    redact: (text) => text,
  };
}

type Evidence = {
  readonly cluster: string;
  readonly owner: KubeObject;
  readonly container: string;
  readonly previousTemplate?: unknown;
};

/** The snapshot of a workload, with the template of the revision before where there is one. */
export function evidenceOf({ cluster, owner, container, previousTemplate }: Evidence): Snapshot {
  const namespace = owner.metadata.namespace ?? '';
  const capture = { ...exampleCapture, cluster, namespace, container };
  return aSnapshot(`snap_${namespace}`, {
    'incident.json': JSON.stringify({ capture }),
    'owners.json': JSON.stringify([owner]),
    'pod.json': JSON.stringify({ spec: valueAt(owner, '/spec/template/spec') }),
    ...(previousTemplate !== undefined && {
      'revisions.json': JSON.stringify(revisionsOf(owner, previousTemplate)),
    }),
  });
}

function revisionsOf({ kind, spec }: KubeObject, template: unknown) {
  const revision = (number: number, of: unknown) => ({
    kind: kind === 'Deployment' ? 'ReplicaSet' : 'ControllerRevision',
    name: `vllm-${number}`,
    revision: number,
    createdAt: '2026-01-14T03:00:00Z',
    template: of,
  });
  return [revision(2, valueAt(spec, '/template')), revision(1, template)];
}

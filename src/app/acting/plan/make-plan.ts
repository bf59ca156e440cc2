import { VPA } from '../../../actions/owners/find-managers.ts';
import { hashPlan } from '../../../actions/plan/hash-plan.ts';
import { type PlanDraft, type PlanInput, planAction } from '../../../actions/plan/plan-action.ts';
import { countOfRuns, type RunOfPlan, writesOf } from '../../../actions/run/replicas-before.ts';
import type { Incident } from '../../../model/incident.ts';
import { parseJsonFile, RevisionsFile } from '../../../model/json-file.ts';
import { Pod } from '../../../model/kubernetes.ts';
import type { Plan, PlanTarget, WriteStep } from '../../../model/plan.ts';
import type { Snapshot } from '../../../model/snapshot.ts';
import type { ActContext, ActingCluster, ActStore, WorkloadPod } from '../../acting-ports.ts';
import type { EngineEvidence } from '../../budget/budget.ts';
import { textOf } from '../../budget/engine-figures.ts';
import type { Clock, Ids, SnapshotSource, Store } from '../../ports.ts';
import type { Diagnosed } from '../../triage/investigate.ts';
import { type Redact, redactShown } from '../redacting-acts.ts';
import type { PlanSettings } from '../settings.ts';
import { applyProfile } from './apply-profile.ts';
import { checkChosen, checkPlan, checkTyped } from './check-plan.ts';
import { type ChosenEdits, chooseEdits } from './choose-edits.ts';
import { learn, type PlanSources } from './plan-knowledge.ts';
import { NO_EVIDENCE, NOTHING_OFFERED, notAllowed, notReadable, type PlanRefused, refused } from './plan-refusals.ts';
import type { PlanRequest } from './plan-request.ts';
import { planTarget } from './plan-target.ts';
import { readFailedSettings } from './read-failed-settings.ts';

/** What a draft is made with: reads alone. */
type DraftDeps = {
  readonly acts: Pick<ActStore, 'runsOf' | 'plan'>;
  /** The clusters in which acting is allowed. */
  readonly clusters: ReadonlyMap<string, ActingCluster>;
  readonly settings: PlanSettings;
  readonly clock: Clock;
  readonly version: string;
  /** Absent: only the objects are known, and no profile is computed. */
  readonly sources?: PlanSources;
};

export type MakePlanDeps = DraftDeps & {
  readonly acts: Pick<ActStore, 'now'>;
  readonly store: Pick<Store, 'findings' | 'snapshot'>;
  readonly source: (snapshot: Snapshot) => SnapshotSource;
  readonly diagnose: (source: SnapshotSource) => Promise<Diagnosed>;
  readonly ids: Ids;
  readonly redact: Redact;
};

/** A plan that may be approved, or why there is none. `paste` is what a person can do by hand. */
export type MadePlan = { readonly kind: 'plan'; readonly plan: Plan } | PlanRefused;

/** The same before it is tried against the API server and kept. */
export type MadeDraft = { readonly kind: 'draft'; readonly draft: PlanDraft } | PlanRefused;

const DEADLINE_MS = 15_000;

/** Reads the current workload, plans the change, and asks the API server about it: access first, then a dry run. */
export async function makePlan(
  deps: MakePlanDeps,
  incident: Incident,
  request: PlanRequest,
  who: string,
): Promise<MadePlan> {
  const evidence = await readEvidence(deps, incident);
  if (evidence === undefined) return NO_EVIDENCE;
  const asked = { incidentId: incident.id, request, context: contextOf(deps, incident.id, who) };
  const made = await makeDraft(deps, evidence, asked);
  if (made.kind === 'refused') return made;
  const cluster = deps.clusters.get(evidence.target.cluster);
  if (cluster === undefined) return notAllowed(evidence.target);
  const checked = await checkPlan(cluster, made.draft, asked.context);
  if (checked.kind === 'refused') return checked;
  const hazards = [...made.draft.hazards, ...checked.hazards];
  return { kind: 'plan', plan: await bind(deps, incident, { ...made.draft, hazards }, who) };
}

/** What the reads of one plan carry: their deadline, and who is behind them. */
export function contextOf({ version }: Pick<DraftDeps, 'version'>, incidentId: string, who: string): ActContext {
  return {
    signal: AbortSignal.timeout(DEADLINE_MS),
    agent: `oombot/${version} (incident ${incidentId}; by ${who})`,
  };
}

type Asked = { readonly incidentId: string; readonly request: PlanRequest; readonly context: ActContext };

/** Reads the current workload and plans the change; nothing is written, not even to try it. */
export async function makeDraft(deps: DraftDeps, evidence: Evidence, asked: Asked): Promise<MadeDraft> {
  const { finding, target } = evidence;
  const { verdict } = finding.diagnosis;
  const unfit = checkTyped(asked.request.values, engineOf(finding).name);
  if (unfit !== undefined) return refused(unfit, 'Try again with a valid value.');
  const wanted = chooseEdits(finding.diagnosis, asked.request);
  if (wanted === undefined) return NOTHING_OFFERED;
  const { sources } = deps;
  const [engine, book] = await Promise.all([sources?.engine(evidence.snapshot), sources?.book()]);
  const profiled = applyProfile(wanted, { verdict, request: asked.request, engine, book });
  if (profiled.kind === 'refused') return refused(profiled.says, 'Try other values or another profile.');
  const { chosen, profile } = profiled;
  const fault = checkChosen(chosen);
  if (fault !== undefined) return refused(fault, 'Use values inside the bounds, or plan another action.');
  const cluster = deps.clusters.get(target.cluster);
  if (cluster === undefined) return notAllowed(target);
  const input = await planInput(deps, { ...evidence, ...asked, chosen, profile, cluster, engine });
  if ('refused' in input) return input.refused;
  const outcome = planAction(input.input);
  if (outcome.kind === 'plan') {
    const alternatives = verdict.causeCertain ? [] : verdict.alternatives;
    return { kind: 'draft', draft: { ...outcome.draft, alternatives } };
  }
  if (outcome.paste === null) return refused(outcome.says, 'Nothing was changed.');
  const overwritten = outcome.hazards.filter(({ id }) => id === VPA).map(({ says }) => `${says} `);
  return refused(outcome.says, `${overwritten.join('')}Review, then make the change by hand:`, outcome.paste);
}

async function bind(deps: MakePlanDeps, incident: Incident, whole: PlanDraft, who: string): Promise<Plan> {
  const at = await deps.acts.now();
  // Before the hash, which is to be that of what is kept and shown.
  const draft = redactShown(whole, deps.redact);
  return {
    ...draft,
    id: deps.ids.next('plan'),
    incidentId: incident.id,
    hash: hashPlan(draft),
    proposedBy: who,
    proposedAt: at,
    expiresAt: at + deps.settings.expiryMs,
    state: 'proposed',
  };
}

/** What a triage has found of one workload. */
export type Evidence = { readonly snapshot: Snapshot; readonly finding: Diagnosed; readonly target: PlanTarget };

async function readEvidence(deps: MakePlanDeps, incident: Incident): Promise<Evidence | undefined> {
  const latest = (await deps.store.findings(incident.id)).at(-1);
  const snapshot = latest === undefined ? undefined : await deps.store.snapshot(latest.snapshotId);
  const target = snapshot === undefined ? undefined : planTarget(snapshot);
  if (snapshot === undefined || target === undefined) return undefined;
  return { snapshot, target, finding: await deps.diagnose(deps.source(snapshot)) };
}

type Scene = Evidence &
  Asked & {
    readonly engine: EngineEvidence | undefined;
    readonly profile: string | null;
    readonly chosen: ChosenEdits;
    readonly cluster: ActingCluster;
  };

async function planInput(deps: DraftDeps, scene: Scene): Promise<{ input: PlanInput } | { refused: PlanRefused }> {
  const { incidentId, snapshot, finding, target, chosen, request, cluster, context } = scene;
  const read = await cluster.read(target.object, context);
  if (read.kind !== 'found') return { refused: notReadable(target, read) };
  const pod = podOf(snapshot);
  const [around, pods, earlier] = await Promise.all([
    cluster.surroundings(chosen.action === 'replace-pod' ? (pod ?? target.object) : target.object, context),
    cluster.pods(target, context),
    recorded(deps, incidentId),
  ]);
  const { limits, approvals } = deps.settings;
  const input: PlanInput = {
    action: chosen.action,
    target,
    object: read.object,
    surroundings: around.objects,
    notRead: around.notRead,
    pods: pods.kind === 'read' ? countPods(pods.pods) : undefined,
    engine: engineOf(finding),
    edits: chosen.edits,
    direction: chosen.direction,
    incident: incidentId,
    profile: scene.profile,
    bounds: chosen.bounds,
    notRuledOut: finding.diagnosis.verdict.notRuledOut,
    certain: finding.diagnosis.verdict.certain,
    causeCertain: finding.diagnosis.verdict.causeCertain,
    recordedReplicas: earlier.replicas,
    wantedReplicas: request.replicas ?? null,
    done: chosen.action === 'roll-back' ? earlier.done : [],
    revisions: revisionsOf(snapshot),
    pod: pod?.uid,
    failed: readFailedSettings(scene),
    toZero: request.toZero,
    at: new Date(deps.clock.now()).toISOString(),
    limits,
    known: await learn(
      { ...deps.sources, clock: deps.clock },
      {
        target,
        finding,
        pods: pods.kind === 'read' ? pods.pods : undefined,
        engine: scene.engine,
        edits: chosen.edits,
        context,
      },
    ),
    approvals,
  };
  return { input };
}

function countPods(pods: readonly WorkloadPod[]): NonNullable<PlanInput['pods']> {
  const serves = ({ ready, terminating }: WorkloadPod): boolean => ready && !terminating;
  const broken = pods.filter((pod) => !serves(pod)).map(({ name }) => name);
  return { ready: pods.length - broken.length, total: pods.length, broken };
}

/** What the last run of this incident has written, and the count from which any of them took it to zero. */
async function recorded(
  { acts }: DraftDeps,
  incidentId: string,
): Promise<{ done: readonly WriteStep[]; replicas: number | null }> {
  const runs = (await acts.runsOf(incidentId)).toSorted((a, b) => a.startedAt - b.startedAt);
  const plans = await Promise.all(runs.map(({ planId }) => acts.plan(planId)));
  const known = runs.flatMap((run, i): RunOfPlan[] => {
    const plan = plans[i];
    return plan === undefined ? [] : [{ run, plan }];
  });
  const run = runs.at(-1);
  const plan = plans.at(-1);
  const done = run === undefined || plan === undefined ? [] : writesOf(plan, run, 'done');
  return { done, replicas: countOfRuns(known) };
}

function engineOf({ facts }: Diagnosed): PlanInput['engine'] {
  return { name: textOf(facts, 'engine.name') ?? 'unknown', version: textOf(facts, 'engine.version') ?? null };
}

function podOf(snapshot: Snapshot): PlanTarget['object'] | undefined {
  const file = parseJsonFile(Pod, snapshot.files['pod.json'] ?? '');
  const { name, namespace = '', uid } = (file.kind === 'value' ? file.value.metadata : undefined) ?? {};
  return name === undefined || uid === undefined ? undefined : { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
}

function revisionsOf(snapshot: Snapshot): PlanInput['revisions'] {
  const file = parseJsonFile(RevisionsFile, snapshot.files['revisions.json'] ?? '');
  const [now, before] = file.kind === 'value' ? file.value : [];
  return now === undefined || before === undefined ? undefined : { now: now.value, before: before.value };
}

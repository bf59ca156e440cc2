import type { PlanKnowledge } from '../../../actions/plan/plan-input.ts';
import { type InFlight, type Prompts, sayRequests } from '../../../actions/plan/request-cost.ts';
import { figuresOf } from '../../../actions/pod-figures.ts';
import { knobsOf } from '../../../budget/engine-knobs.ts';
import type { ProfileBook } from '../../../budget/profiles.ts';
import { engineKey } from '../../../model/engine-names.ts';
import { excessOf } from '../../../model/knob-table.ts';
import type { PlanTarget } from '../../../model/plan.ts';
import type { SeriesFile, Snapshot } from '../../../model/snapshot.ts';
import type { Edit } from '../../../model/verdict.ts';
import type {
  ActContext,
  EngineHistory,
  GpuSupply,
  GpuSupplyRead,
  PodGauges,
  WorkloadPod,
} from '../../acting-ports.ts';
import type { EngineEvidence } from '../../budget/budget.ts';
import { numberOf, textOf } from '../../budget/engine-figures.ts';
import type { Clock, ReadContext } from '../../ports.ts';
import { createReadBudget } from '../../read-budget.ts';
import type { Diagnosed } from '../../triage/investigate.ts';
import { servingOf } from '../engine-eyes.ts';
import { growthOf } from '../verify/read-history.ts';

/** Sources for what a plan knows besides the objects. */
export type PlanSources = {
  readonly engine: (snapshot: Snapshot) => Promise<EngineEvidence>;
  readonly book: () => Promise<ProfileBook>;
  /** By cluster; a cluster without any metrics has none. */
  readonly history: ReadonlyMap<string, EngineHistory>;
  readonly supply: ReadonlyMap<string, GpuSupply>;
  readonly gauges: ReadonlyMap<string, PodGauges>;
};

type KnowledgeAsk = {
  readonly target: PlanTarget;
  readonly finding: Diagnosed;
  /** Undefined where they could not be read. */
  readonly pods: readonly WorkloadPod[] | undefined;
  readonly engine: EngineEvidence | undefined;
  readonly edits: readonly Edit[];
  readonly context: ActContext;
};

const HOUR_MS = 60 * 60_000;

type Now = { readonly clock: Clock };

/** Startup time, free GPUs, requests in flight, and what the new limits would do to those of the last hour, from what can be read. Never throws. */
export async function learn(
  { history, supply, gauges, clock }: Partial<Pick<PlanSources, 'history' | 'supply' | 'gauges'>> & Now,
  ask: KnowledgeAsk,
): Promise<PlanKnowledge> {
  const { cluster } = ask.target;
  const [read, requests, inFlight] = await Promise.all([
    supply?.get(cluster)?.read(contextOf(ask.context)),
    readRequests(history?.get(cluster), clock.now(), ask),
    readInFlight(gauges?.get(cluster), clock.now(), ask),
  ]);
  return {
    ...readStartup(ask.pods, ask.engine?.start),
    gpus: sayGpus(read),
    freeGpus: countSpare(read),
    requests,
    inFlight,
    nodeMemoryBytes: numberOf(ask.finding.facts, 'node.memory-allocatable') ?? null,
  };
}

/** How long the engine took to start: of the pod that came last and is ready, else by the milestones of the log. */
export function readStartup(
  pods: readonly WorkloadPod[] | undefined,
  start: EngineEvidence['start'],
): Pick<PlanKnowledge, 'startupMs' | 'startup'> {
  const seen = (pods ?? [])
    .flatMap(({ name, startedAt, readyAt }) =>
      startedAt === null || readyAt === null || readyAt === undefined || readyAt < startedAt
        ? []
        : [{ name, startedAt, ms: readyAt - startedAt }],
    )
    .toSorted((a, b) => b.startedAt - a.startedAt)[0];
  if (seen !== undefined) return { startupMs: seen.ms, startup: `last start of ${seen.name}` };
  if (start?.isWhole === true) return { startupMs: start.seconds * 1000, startup: 'last startup log' };
  const began = pods === undefined ? 'pods not readable' : 'no pod is ready';
  const log =
    start === undefined
      ? 'the log shows no startup'
      : `the log ends during startup, after ${Math.round(start.seconds)} s`;
  return { startupMs: null, startup: `${began}, ${log}` };
}

async function readRequests(
  history: EngineHistory | undefined,
  now: number,
  { target, finding, pods, edits, context }: KnowledgeAsk,
): Promise<string | null> {
  const engine = engineKey(textOf(finding.facts, 'engine.name') ?? '');
  const { length, sequences } = knobsOf(engine) ?? {};
  const touched = edits.some(({ flag }) => flag === length || flag === sequences);
  if (!touched) return null;
  return sayRequests(
    edits,
    { length, sequences, excess: excessOf(engine), tooLong: engine === 'vllm' ? 'get HTTP 400' : 'be refused' },
    {
      prompts: await readPrompts(history, now, { target, pods, context }),
      inFlight: inFlightOf(finding.series),
    },
  );
}

async function readPrompts(
  history: EngineHistory | undefined,
  now: number,
  { target, pods, context }: Pick<KnowledgeAsk, 'target' | 'pods' | 'context'>,
): Promise<Prompts> {
  if (history === undefined) return { kind: 'unknown', why: 'no metrics configured for this cluster' };
  if (pods === undefined || pods.length === 0) return { kind: 'unknown', why: 'no pods' };
  const engines = pods.filter(({ worker }) => worker !== true);
  const span = {
    cluster: target.cluster,
    namespace: target.object.namespace,
    pods: engines,
    from: now - HOUR_MS,
    to: now,
  };
  const read = await history.read(span, contextOf(context));
  return growthOf(read['prompt.tokens'], { ...span, mustLast: false });
}

// Requests in flight of all ready replicas; null if one has no data.
async function readInFlight(
  gauges: PodGauges | undefined,
  now: number,
  { target, pods = [], context }: Pick<KnowledgeAsk, 'target' | 'pods' | 'context'>,
): Promise<number | null> {
  const serving = servingOf(pods);
  if (gauges === undefined || serving.length === 0) return null;
  const place = { cluster: target.cluster, namespace: target.object.namespace };
  const read = await gauges.read({ ...place, pods: serving, to: now }, contextOf(context));
  const running = new Map(figuresOf(read, target.container).map((figures) => [figures.pod, figures.running]));
  const each = serving.map(({ name }) => running.get(name));
  return each.reduce<number | null>((sum, one) => (sum === null || one === undefined ? null : sum + one), 0);
}

// A plan can do without: what is slow here must not take the time of its access review and dry run.
const READ_MS = 5000;

function contextOf({ signal, agent }: ActContext): ReadContext {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]);
  return { signal: inTime, budget: createReadBudget(), progress: () => undefined, agent };
}

/** Whether a GPU is free, and who else waits for one; null where nothing was asked. */
export function sayGpus(read: GpuSupplyRead | undefined): string | null {
  if (read === undefined) return null;
  if (read.kind === 'unknown') return `Free GPUs unknown: ${read.why}.`;
  const { free, waiting } = read;
  const total = free.reduce((sum, one) => sum + one, 0);
  const most = Math.max(0, ...free);
  const pods = waiting === 1 ? '1 pod is' : `${waiting} pods are`;
  const queue = waiting === 0 ? 'No pod is waiting for a GPU.' : `${pods} waiting for a GPU and may take it.`;
  if (total === 0) return `No GPU is free now. ${queue}`;
  const where = `${total} ${total === 1 ? 'GPU is' : 'GPUs are'} free now, at most ${most} on one node (taints and selectors not checked).`;
  return `${where} ${queue}`;
}

/** GPUs that one more pod could have: of one node, and none where others wait for them; null where it is not known. */
export function countSpare(read: GpuSupplyRead | undefined): number | null {
  if (read?.kind !== 'read') return null;
  return read.waiting > 0 ? 0 : Math.max(0, ...read.free);
}

const RUNNING = 'requests.running';
const WAITING = 'requests.waiting';

// Those of the pod in the evidence, over the length of its series.
function inFlightOf(series: SeriesFile | undefined): InFlight {
  const of = (id: string) => (series?.series ?? []).filter((one) => one.id === id).flatMap(({ points }) => points);
  const running = of(RUNNING).filter(([at]) => at >= (series?.to ?? 0) - HOUR_MS);
  if (series === undefined || running.length === 0) {
    return { kind: 'unknown', why: 'no series of running requests' };
  }
  const waiting = sumByTime(of(WAITING));
  const counts = [...sumByTime(running)].map(([at, count]) => count + (waiting.get(at) ?? 0));
  const times = running.map(([at]) => at);
  const minutes = Math.round((Math.max(...times) - Math.min(...times)) / 60_000);
  const lacks = waiting.size === 0 ? ', waiting requests unknown' : '';
  return { kind: 'known', counts, span: `in the ${minutes} min before the triage${lacks}` };
}

function sumByTime(points: readonly (readonly [number, number])[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [at, value] of points) sums.set(at, (sums.get(at) ?? 0) + value);
  return sums;
}

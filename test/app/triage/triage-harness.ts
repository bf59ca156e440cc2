import { createOutbox } from '../../../src/app/outbox.ts';
import type {
  Asker,
  Chat,
  Cluster,
  ClusterEvidence,
  CollectOptions,
  Ids,
  Metrics,
  MetricsTarget,
  PodQuery,
  PodResolution,
  PodTarget,
  ReadContext,
} from '../../../src/app/ports.ts';
import { createReadBudget } from '../../../src/app/read-budget.ts';
import type { Diagnosed } from '../../../src/app/triage/investigate.ts';
import { createTriageStarter, type TriageRequest } from '../../../src/app/triage/triage.ts';
import type { Actor, Rights } from '../../../src/model/authorise.ts';
import type { Message } from '../../../src/model/message.ts';
import type { Capture, Snapshot } from '../../../src/model/snapshot.ts';
import type { Cause } from '../../../src/model/taxonomy.ts';
import { snapshotSource } from '../../../src/snapshot/source.ts';
import type { DurableStore } from '../../../src/wire/open-store.ts';
import { createFakeChat, type FakeChat } from '../../fakes/chat.ts';
import { createFakeClock, type FakeClock } from '../../fakes/clock.ts';
import { createFakeIds } from '../../fakes/ids.ts';
import { createFakeLog } from '../../fakes/log.ts';
import { createMemoryStore } from '../../fakes/memory-store.ts';
import { createFakeMetrics } from '../../fakes/metrics.ts';
import { exampleDiagnosis, exampleKnownFact } from '../../model/examples.ts';

export const ROOM = 'C_LLM';
export const POD = 'vllm-server-7d8f6f9c6b-4mnl2';
export const WINDOW_MS = 60 * 60_000;
export const DEADLINE_MS = 20_000;
/** A line of the log that must reach nobody outside the house. */
export const OOM_LINE = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB.';

const RIGHTS: Rights = {
  channels: {
    [ROOM]: { clusters: ['prod'], namespaces: ['llm'] },
    C_OTHER: { clusters: ['prod'], namespaces: ['llm'] },
  },
  defaultChannel: null,
  act: [],
};

export function aTarget(over: Partial<PodTarget> = {}): PodTarget {
  return {
    cluster: 'prod',
    namespace: 'llm',
    pod: POD,
    uid: 'uid-1',
    container: undefined,
    workload: 'Deployment/vllm-server',
    replaced: null,
    ...over,
  };
}

type FakeCluster = Cluster & {
  readonly resolved: PodQuery[];
  readonly collected: PodTarget[];
  resolving: (query: PodQuery, context: ReadContext) => Promise<PodResolution> | PodResolution;
  collecting: (target: PodTarget, context: ReadContext, options: CollectOptions) => Promise<void>;
};

function createFakeCluster(): FakeCluster {
  const resolved: PodQuery[] = [];
  const collected: PodTarget[] = [];
  const cluster: FakeCluster = {
    name: 'prod',
    resolved,
    collected,
    resolving: (query) => ({ kind: 'found', target: aTarget({ pod: query.pod }) }),
    collecting: async () => undefined,
    async resolve(query, context) {
      resolved.push(query);
      return cluster.resolving(query, context);
    },
    async collect(target, context, options): Promise<ClusterEvidence> {
      collected.push(target);
      context.progress('read-status', 'running');
      await cluster.collecting(target, context, options);
      return {
        files: { 'vllm.previous.log': `INFO Capturing CUDA graphs\n${OOM_LINE}\n` },
        logs: [],
        notRead: [],
        container: 'vllm',
        workload: target.workload,
        metricsTarget: metricsTarget(target),
        chainMs: 10,
      };
    },
  };
  return cluster;
}

export function metricsTarget(target: PodTarget): MetricsTarget {
  const { cluster, namespace, pod } = target;
  return { cluster, namespace, pod, container: 'vllm', node: null, podIP: null, ports: [], image: null, diedAt: null };
}

export function aFinding(cause: Cause, snapshot: Snapshot): Diagnosed {
  const { verdict } = exampleDiagnosis;
  const { capture } = JSON.parse(snapshot.files['incident.json'] ?? '{}') as { capture: Capture };
  const from = [{ kind: 'line' as const, file: 'vllm.previous.log', line: 2, text: OOM_LINE }];
  const evidence = [{ says: 'The allocation failed on GPU 0.', fact: 'gpu.oom-logged', from }];
  const headline = `The cause is ${cause}`;
  const diagnosis = { ...exampleDiagnosis, headline, verdict: { ...verdict, id: snapshot.id, cause, evidence } };
  return { diagnosis, facts: new Map([['gpu.oom-logged', exampleKnownFact]]), capture, series: undefined };
}

/** A triage triages on fakes: `cause` is what the next diagnosis says. */
export function someTriages(
  over: { chat?: Chat; store?: DurableStore; metrics?: Metrics; clock?: FakeClock; ids?: Ids } = {},
) {
  const clock = over.clock ?? createFakeClock();
  const ids = over.ids ?? createFakeIds();
  const log = createFakeLog();
  const chat: FakeChat = createFakeChat();
  const store = createMemoryStore({ clock, ids });
  const cluster = createFakeCluster();
  const metrics = over.metrics ?? createFakeMetrics();
  const given = { cause: 'gpu.startup.graph-capture' as Cause };
  const snapshots = new Map<string, Snapshot>();
  const deps = {
    investigate: {
      clusters: new Map([['prod', { cluster, metrics }]]),
      defaultCluster: undefined,
      rights: RIGHTS,
      clock,
      ids,
      version: '0.1.0',
      deadlineMs: DEADLINE_MS,
      budget: () => createReadBudget(),
      scanner: () => ({ push: () => undefined, foundCause: false }),
      build: ({ id, files, capture }: { id: string; files: Readonly<Record<string, string>>; capture: Capture }) => {
        const snapshot = { id, files: { ...files, 'incident.json': JSON.stringify({ capture }) } };
        snapshots.set(id, snapshot);
        return snapshot;
      },
      source: snapshotSource,
      diagnose: async (source: { id: string }) =>
        aFinding(given.cause, snapshots.get(source.id) ?? { id: '', files: {} }),
    },
    chat: over.chat ?? chat,
    store: over.store ?? store,
    outbox: createOutbox({ store: over.store ?? store, chat: over.chat ?? chat, clock, ids, log }),
    log,
    commandName: '/oom',
    windowMs: WINDOW_MS,
  };
  const triages = createTriageStarter(deps);
  return { triages, deps, clock, log, chat, store, cluster, given, rights: RIGHTS };
}

export function anAsker(over: Partial<Asker> = {}): Asker {
  return { user: 'U_ONCALL', conversation: ROOM, responseUrl: 'https://chat.example/response/1', ...over };
}

export function aRequest(text: string, over: { asker?: Partial<Asker>; external?: boolean } = {}): TriageRequest {
  const asker = anAsker(over.asker);
  return { text, asker, actor: anActor(asker, over.external), from: 'command' };
}

export function anActor(asker: Asker, externallyShared = false): Actor {
  return { place: 'slack', user: asker.user, groups: [], channel: asker.conversation, externallyShared };
}

/** All that a message says, as text. */
export function textOf(...messages: readonly (Message | undefined)[]): string {
  return JSON.stringify(messages);
}

export const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

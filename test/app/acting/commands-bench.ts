import {
  type ActingCommands,
  type ActRequest,
  createActingCommands,
} from '../../../src/app/acting/commands/acting-commands.ts';
import type { AnswerDeps } from '../../../src/app/acting/commands/answer-terminal.ts';
import { redactingActs } from '../../../src/app/acting/redacting-acts.ts';
import { renewWaiting } from '../../../src/app/acting/run/renew-waiting.ts';
import { drawPlan } from '../../../src/app/acting/run/run-view.ts';
import type { PlanSettings } from '../../../src/app/acting/settings.ts';
import { tellRefused } from '../../../src/app/acting/tell-refused.ts';
import { createOutbox } from '../../../src/app/outbox.ts';
import type { Rights } from '../../../src/model/authorise.ts';
import type { Facts } from '../../../src/model/fact.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Message } from '../../../src/model/message.ts';
import type { Plan, Run } from '../../../src/model/plan.ts';
import type { Diagnosis, Remedy } from '../../../src/model/verdict.ts';
import { drawTerminal } from '../../../src/report/terminal.ts';
import { createRedactor } from '../../../src/snapshot/redact.ts';
import { snapshotSource } from '../../../src/snapshot/source.ts';
import { aDeployment, aPod } from '../../../src/standins/api-server/objects/builders.ts';
import { aWorld, type Denial } from '../../../src/standins/api-server/objects/world.ts';
import { aFinding, aSnapshot } from '../../contracts/store.ts';
import { createFakeChat, type FakeChat } from '../../fakes/chat.ts';
import { createFakeClock, type FakeClock } from '../../fakes/clock.ts';
import { createFakeIds } from '../../fakes/ids.ts';
import { createFakeLog, type FakeLog } from '../../fakes/log.ts';
import type { MemoryStore } from '../../fakes/memory-store.ts';
import { createMemoryStore } from '../../fakes/memory-store.ts';
import type { ActingEdge } from '../../kubernetes/acting-harness.ts';
import { anActingEdge } from '../../kubernetes/acting-harness.ts';
import { exampleCapture, exampleDiagnosis, exampleIncident } from '../../model/examples.ts';
import { AS_TEXT } from '../../report/inputs.ts';

const ROOM = 'C_LLM';
const EVERYWHERE = { clusters: ['prod'], namespaces: ['llm'] };

const ruled = (users: readonly string[], verbs: Rights['act'][number]['verbs'], scope = EVERYWHERE) => ({
  users: [...users],
  groups: [],
  verbs,
  scope,
});

export const RIGHTS: Rights = {
  channels: { [ROOM]: EVERYWHERE },
  defaultChannel: null,
  act: [
    ruled(['U_ONCALL'], ['plan', 'approve', 'rollback', 'abort', 'pause']),
    ruled(['U_APPROVER'], ['approve', 'rollback', 'abort', 'pause', 'resume']),
  ],
};

/** The stranger has every right, in another namespace. */
export const ELSEWHERE: Rights = {
  ...RIGHTS,
  act: [
    ...RIGHTS.act,
    ruled(['U_STRANGER'], ['plan', 'approve', 'rollback', 'abort'], { clusters: ['prod'], namespaces: ['embeddings'] }),
  ],
};

/** All three may approve. */
export const THREE: Rights = { ...RIGHTS, act: [...RIGHTS.act, ruled(['U_STRANGER'], ['approve'])] };

export const SETTINGS: PlanSettings = {
  command: '/oom',
  approvals: 1,
  barRequester: false,
  expiryMs: 900_000,
  protectedNamespaces: ['kube-*'],
  breakGlass: [],
  limits: {
    maxMemoryBytes: null,
    maxReplicas: 10,
    readyMs: 1_800_000,
    goneMs: 600_000,
    drainMs: 60_000,
    verifyMs: 600_000,
  },
};

const setting = (direction: Remedy['direction'], flag: string, from: string, to: string): Remedy => {
  const edits = [{ flag, from, to, why: 'what fits', facts: [] }];
  return { action: 'set-args', says: 'It helps.', edits, direction, kind: 'stop-bleed' };
};
const SHORTER = setting('lower', '--max-model-len', '131072', '30000');
const WIDER = setting('raise', '--gpu-memory-utilization', '0.90', '0.95');

const FACTS: Facts = new Map([['engine.name', { kind: 'known', value: 'vllm', from: [] }]]);
const ARGS = ['--model', 'm', '--max-model-len', '131072', '--gpu-memory-utilization', '0.90'];

export type CommandsBench = {
  readonly commands: ActingCommands;
  readonly deps: AnswerDeps;
  readonly acts: MemoryStore;
  readonly store: MemoryStore;
  readonly standin: ActingEdge['standin'];
  readonly chat: FakeChat;
  readonly clock: FakeClock;
  readonly log: FakeLog;
  readonly incident: Incident;
  readonly started: string[];
  ask(
    verb: Parameters<ActingCommands['ask']>[0],
    rest: string,
    user?: string,
    over?: Partial<ActRequest['actor']>,
  ): Promise<void>;
  request(user?: string, over?: Partial<ActRequest['actor']>): ActRequest;
  /** The newest open plan. */
  plan(): Promise<Plan>;
  run(): Promise<Run>;
  /** What was told to one person alone, newest last. */
  told(user: string): string;
  /** The card of the newest plan, as it stands. */
  card(): { readonly text: string; readonly message: Message };
  audited(): Promise<string[]>;
};

type Options = {
  readonly settings?: Partial<PlanSettings>;
  readonly rights?: Rights;
  readonly remedies?: readonly Remedy[];
  readonly replicas?: number;
  readonly ready?: boolean;
  readonly denied?: readonly Denial[];
  readonly allowed?: boolean;
  /** Arguments beside those of the model. */
  readonly args?: readonly string[];
  /** The memory limit of the engine's container, and what the node of the pod gives to pods. */
  readonly memory?: { readonly limit: string; readonly node?: number };
  /** So far is the bot's clock before that of the store. */
  readonly aheadMs?: number;
  /** The groups of a person now; none where it is left out. */
  readonly groupsOf?: AnswerDeps['groupsOf'];
};

function limitOf({ memory }: Options): object {
  return memory === undefined ? {} : { resources: { limits: { memory: memory.limit } } };
}

function factsOf({ memory }: Options): Facts {
  if (memory?.node === undefined) return FACTS;
  return new Map([...FACTS, ['node.memory-allocatable', { kind: 'known', value: memory.node, from: [] }]]);
}

/** A commands over fakes: one workload that cannot start for want of KV room, found by one triage. */
export async function openCommands(options: Options = {}): Promise<CommandsBench> {
  const clock = createFakeClock();
  const ids = createFakeIds();
  const log = createFakeLog();
  const chat = createFakeChat();
  const store = createMemoryStore({ clock, ids });
  const { all, deployment } = aDeployment({
    replicas: options.replicas ?? 2,
    template: [{ name: 'vllm', args: [...ARGS, ...(options.args ?? [])], ...limitOf(options) }],
  });
  const labels = { app: 'vllm-server' };
  const pods = options.ready === true ? ['a', 'b'].map((name) => aPod({ name: `vllm-server-${name}`, labels })) : [];
  const { cluster, standin } = await anActingEdge(aWorld({ objects: [all, pods], denied: options.denied ?? [] }));
  const diagnosis: Diagnosis = {
    ...exampleDiagnosis,
    verdict: { ...exampleDiagnosis.verdict, remedies: [...(options.remedies ?? [SHORTER, WIDER])] },
  };
  const snapshot = aSnapshot('snap_1', {
    'incident.json': JSON.stringify({ capture: exampleCapture }),
    'owners.json': JSON.stringify([deployment]),
  });
  const { incident } = await store.recordFinding(aFinding({ snapshot, diagnosis, draft: exampleIncident }));
  const redactor = createRedactor();
  const acts = redactingActs(store, (text) => redactor.redact(text));
  const started: string[] = [];
  const settings = { ...SETTINGS, ...options.settings };
  const own = { ...clock, now: () => clock.now() + (options.aheadMs ?? 0) };
  const outbox = createOutbox({
    ...{ store, chat, clock, ids, log },
    onRefused: (refused, next) => tellRefused({ acts, store, outbox }, refused, next),
    renew: (waited) => renewWaiting(acts, settings.command, waited),
    refresh: async ({ kind }) => {
      if (kind.startsWith('plan/')) await drawPlan(deps, kind.slice('plan/'.length), deps);
    },
  });
  const deps: AnswerDeps = {
    acts,
    store,
    chat,
    outbox,
    clock: own,
    log,
    rights: options.rights ?? RIGHTS,
    settings,
    groupsOf: options.groupsOf,
    runner: {
      start: async (id) => {
        started.push(id);
      },
      stop: async () => {},
    },
    plans: {
      store,
      acts,
      clusters: new Map(options.allowed === false ? [] : [[cluster.name, cluster]]),
      settings,
      source: snapshotSource,
      diagnose: async () => ({ diagnosis, facts: factsOf(options), capture: exampleCapture, series: undefined }),
      clock: own,
      ids,
      version: '0.0.0',
      redact: (text) => redactor.redact(text),
    },
  };
  const commands = createActingCommands(deps);
  const request: CommandsBench['request'] = (user = 'U_ONCALL', over = {}) => ({
    asker: { user, conversation: ROOM, responseUrl: undefined },
    actor: { place: 'slack', user, groups: [], channel: ROOM, externallyShared: false, ...over } as ActRequest['actor'],
  });
  const newest = async (): Promise<Plan> => {
    const plan = (await acts.plansOf(incident.id)).at(-1);
    if (plan === undefined)
      throw new Error(`no plan: ${chat.whispers.map(({ message }) => message.summary).join('; ')}`);
    return plan;
  };
  return {
    commands,
    deps,
    acts,
    store,
    standin,
    chat,
    clock,
    log,
    incident,
    started,
    request,
    ask: (verb, rest, user, over) => commands.ask(verb, rest, request(user, over)),
    plan: newest,
    async run() {
      const run = (await acts.runsOf(incident.id)).at(-1);
      if (run === undefined) throw new Error('no run');
      return run;
    },
    told: (user) =>
      chat.whispers
        .filter(({ asker }) => asker.user === user)
        .map(({ message }) => drawTerminal(message, AS_TEXT))
        .join('\n'),
    card() {
      const message = chat.posts.findLast(({ message: { summary } }) => !summary.startsWith('Details'))?.message;
      if (message === undefined) throw new Error('nothing is posted');
      return { message, text: drawTerminal(message, AS_TEXT) };
    },
    async audited() {
      const rows = await acts.auditRows(1, 1000);
      return rows.map(({ actor, action, subject, data }) => `${actor} ${action} ${subject} ${data}`);
    },
  };
}

/** The value of the button that asks for something, on a message. */
export function buttonValue(message: Message, asks: string): string {
  const choice = message.choices?.find((one) => one.asks === asks);
  if (choice === undefined) throw new Error(`no button ${asks}`);
  return choice.value;
}

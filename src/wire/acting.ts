import { type ActingCommands, createActingCommands } from '../app/acting/commands/acting-commands.ts';
import { type AnswerDeps, answerTerminal, type TerminalAsk } from '../app/acting/commands/answer-terminal.ts';
import type { EngineEyes } from '../app/acting/engine-eyes.ts';
import { redactingAnswers } from '../app/acting/redacting-acts.ts';
import { type ActDeps, createActs } from '../app/acting/run/acts.ts';
import { runPlan } from '../app/acting/run/flow.ts';
import { enterLost } from '../app/acting/run/ledger-effect.ts';
import { createReminder } from '../app/acting/run/remind.ts';
import { createRunReporter } from '../app/acting/run/report-run.ts';
import { drawPlan, drawRun } from '../app/acting/run/run-view.ts';
import { createEngineEyes } from '../app/acting/verify/create-engine-eyes.ts';
import { readShape } from '../app/acting/verify/read-shape.ts';
import type { ActingCluster, EngineCaller, EngineHistory, GpuSupply, PodGauges, Runner } from '../app/acting-ports.ts';
import type { EngineEvidence } from '../app/budget/budget.ts';
import type { Outbox } from '../app/outbox.ts';
import type { Chat, Clock, Groups, Ids, Log, SnapshotSource } from '../app/ports.ts';
import type { InvestigateDeps } from '../app/triage/investigate.ts';
import type { ProfileBook } from '../budget/profiles.ts';
import { type Config, rightsOf } from '../config.ts';
import type { Message } from '../model/message.ts';
import type { Redactor } from '../snapshot/redact.ts';
import { redactJson } from '../snapshot/redact-json.ts';
import { snapshotSource } from '../snapshot/source.ts';
import { createOpenWorkflowRunner } from '../steps/create-open-workflow-runner.ts';
import { planSettings, verifySettings } from './acting-settings.ts';
import { type ChangeWatch, wireChanges } from './changes.ts';
import { type DurableStore, isLasting } from './open-store.ts';
import { type Repeated, repeat } from './repeat.ts';
import { VERSION } from './version.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOOK_MS = 15_000;

export type Acting = {
  readonly commands: ActingCommands;
  /** The same commands for somebody at a terminal: what they alone are told comes back. */
  answer(verb: TerminalAsk['verb'], rest: string, who: { user: string; groups: Groups }): Promise<readonly Message[]>;
  readonly changes: ChangeWatch['changes'];
  /** Draws a plan as it is now. */
  drawPlan(planId: string): Promise<void>;
  begin(): Promise<void>;
  stop(): Promise<void>;
};

type ActingParts = {
  readonly clusters: ReadonlyMap<string, ActingCluster>;
  /** What engines have counted, by cluster. */
  readonly history: ReadonlyMap<string, EngineHistory>;
  /** How full pods are, by cluster. */
  readonly gauges: ReadonlyMap<string, PodGauges>;
  /** Ways to ask engines, by cluster; none where that is not allowed. */
  readonly supply: ReadonlyMap<string, GpuSupply>;
  readonly callers: ReadonlyMap<string, EngineCaller>;
  readonly investigate: InvestigateDeps;
  readonly engine: (source: SnapshotSource) => Promise<EngineEvidence>;
  readonly book: () => Promise<ProfileBook>;
  /** It keeps no secret of what people type: `redactingActs`. */
  readonly store: DurableStore;
  readonly redactor: Redactor;
  /** The groups of a person among those that may act. */
  readonly groupsOf: (user: string) => Promise<Groups>;
  /** Shows what a run has made of its incident. */
  readonly afterRun: (incidentId: string) => Promise<void>;
  /** Posts the handover of a run that has ended. */
  readonly handOver: ActDeps['handOver'];
  readonly chat: Chat;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** Acting, where a cluster allows it and a store keeps it; undefined elsewhere: the bot then prints commands. */
export async function wireActing(config: Config, parts: ActingParts): Promise<Acting | undefined> {
  const { clusters, store, clock, ids, log, investigate, chat, outbox } = parts;
  if (clusters.size === 0 || !isLasting(config.store.url)) return undefined;
  const settings = planSettings(config);
  const { redactor } = parts;
  const view = { acts: store, store, chat, outbox };
  const rights = rightsOf(config);
  const remind = createReminder({ ...view, rights, log });
  const draw = (runId: string): void => {
    drawRun(view, runId).catch((error) => log.warn('run not drawn', { run: runId, error }));
  };
  const report = createRunReporter({ ...view, log });
  const actDeps: ActDeps = {
    store,
    changeMs: config.handover.changeHours * HOUR_MS,
    clusters,
    clock,
    log,
    version: VERSION,
    hasEvidence: async (incidentId) => {
      const latest = (await store.findings(incidentId)).at(-1);
      return latest !== undefined && (await store.snapshot(latest.snapshotId)) !== undefined;
    },
    eyes: wireEyes(config, parts),
    verify: verifySettings(config),
    report,
    afterRun: parts.afterRun,
    handOver: parts.handOver,
    progress: draw,
  };
  const acts = createActs(actDeps);
  const runner = await createOpenWorkflowRunner({
    url: config.store.url,
    clock,
    log,
    store,
    takeOverMs: store.takeOverMs,
    flow: runPlan,
    acts: redactingAnswers(acts, redactor.redact, (answer) => redactJson(answer, redactor)),
    rollBack: () => config.acting.rollBack,
    onLost: async (runId) => {
      await enterLost(actDeps, runId);
      await report(runId);
    },
  });
  const deskDeps: AnswerDeps = {
    plans: {
      store,
      acts: store,
      clusters,
      settings,
      source: snapshotSource,
      diagnose: investigate.diagnose,
      clock,
      ids,
      version: VERSION,
      redact: redactor.redact,
      sources: {
        engine: (snapshot) => parts.engine(snapshotSource(snapshot)),
        book: parts.book,
        history: parts.history,
        supply: parts.supply,
        gauges: parts.gauges,
      },
    },
    store,
    acts: store,
    runner: runner satisfies Runner,
    chat,
    outbox,
    clock,
    log,
    rights,
    settings,
    groupsOf: parts.groupsOf,
  };
  const watch = wireChanges({
    ...deskDeps,
    ...{ ledger: store, clusters, draw, changeMs: actDeps.changeMs, commandName: settings.command, version: VERSION },
  });
  let looks: readonly Repeated[] = [];
  return {
    commands: createActingCommands(deskDeps),
    changes: watch.changes,
    answer: (verb, rest, who) => answerTerminal(deskDeps, { verb, rest, who }),
    drawPlan: (planId) => drawPlan(view, planId, { rights, settings }),
    async begin() {
      await runner.begin();
      looks = [repeat(LOOK_MS, clock, runner.sweep), repeat(LOOK_MS, clock, remind), watch.begin()];
    },
    async stop() {
      // A look needs the engine until it ends.
      await Promise.all(looks.map((look) => look.stop()));
      await runner.stop();
    },
  };
}

function wireEyes(config: Config, { investigate, history, gauges, callers, clock, store }: ActingParts): EngineEyes {
  const { probe, probeSeconds, replay, replaySeconds, shortPromptTokens } = config.acting.verify;
  const past = { history, gauges, clock, version: VERSION, shortTokens: shortPromptTokens };
  const asks = { callers, clock, version: VERSION };
  const { source, diagnose } = investigate;
  const shapeOf = (incidentId: string) => readShape({ store, source, diagnose }, incidentId);
  return createEngineEyes(investigate, past, {
    probe: probe === 'off' ? undefined : { ...asks, timeoutMs: probeSeconds * 1000 },
    replay: replay ? { ...asks, timeoutMs: replaySeconds * 1000, shapeOf } : undefined,
  });
}

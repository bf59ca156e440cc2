import { redactingActs } from './app/acting/redacting-acts.ts';
import { renewWaiting } from './app/acting/run/renew-waiting.ts';
import { tellRefused } from './app/acting/tell-refused.ts';
import { answerWhatIsHeld, createRequestKeeper } from './app/chat/kept-requests.ts';
import { createOutbox } from './app/outbox.ts';
import type { Clock, Log } from './app/ports.ts';
import { redactingChat, redactingOutbox } from './app/redacting-chat.ts';
import { createTriageStarter } from './app/triage/triage.ts';
import { type Config, missingForSlack } from './config.ts';
import { OomError } from './model/errors.ts';
import { Message } from './model/message.ts';
import { createSlackClient } from './slack/api/client.ts';
import { createHomeAnswers } from './slack/api/home-answers.ts';
import { createSlackApp } from './slack/app.ts';
import { createSlackChat } from './slack/chat.ts';
import { createChatCounters } from './slack/deliver.ts';
import { createUserGroups } from './slack/user-groups.ts';
import { createRedactor } from './snapshot/redact.ts';
import { redactJson } from './snapshot/redact-json.ts';
import { migrateEngine } from './steps/open-backend.ts';
import { createSystemClock } from './system/clock.ts';
import { createSystemIds } from './system/ids.ts';
import { createLog } from './system/log.ts';
import { openActPort } from './wire/act-port.ts';
import { wireActing } from './wire/acting.ts';
import { planOffer } from './wire/acting-settings.ts';
import { openAutomatic } from './wire/automatic.ts';
import { wireMeters } from './wire/bot-meters.ts';
import { wireChatCommands } from './wire/chat-commands.ts';
import { wireFieldwork } from './wire/fieldwork.ts';
import { wireHandovers } from './wire/handover.ts';
import { loadKnowledge } from './wire/knowledge.ts';
import { wireLifecycle } from './wire/lifecycle.ts';
import { isReachable, openStore } from './wire/open-store.ts';
import { playbookDirs } from './wire/playbook-dirs.ts';
import { startReloading } from './wire/playbook-reload.ts';
import { loadProfiles } from './wire/profiles.ts';
import { startResuming } from './wire/resume-work.ts';
import { groupsThatAct, slackMode, slackParts } from './wire/slack-settings.ts';
import { startSweeping } from './wire/sweep.ts';

const DAY_MS = 24 * 60 * 60_000;

export type Service = {
  readonly port: number | undefined;
  readonly alertPort: number | undefined;
  stop(): Promise<void>;
};

/** `oom serve`: runs until a signal ends it, then drains. Answers the exit code. */
export async function serve(config: Config, terminal: { err(text: string): void }): Promise<number> {
  const service = await startService(config);
  const signal = new Promise<string>((done) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => done(name));
  });
  terminal.err(
    `oombot is running: ${config.slack.command} (${config.slack.mode}${service.port === undefined ? '' : `, port ${service.port}`})`,
  );
  terminal.err(`${await signal}: finishing active work, then stopping`);
  await service.stop();
  return 0;
}

/** Composes and starts the bot. Throws OomError with what to set right. */
export async function startService(
  config: Config,
  clock: Clock = createSystemClock(),
  load = loadKnowledge,
): Promise<Service> {
  const missing = missingForSlack(config);
  if (missing.length > 0) {
    throw new OomError('bad-config', `Slack needs ${missing.join(' and ')}.`, {
      next: `Set ${missing.length > 1 ? 'them' : 'it'} in the environment or the config, see docs/configuration.md.`,
    });
  }
  const ids = createSystemIds();
  const redactor = createRedactor({ patterns: config.redaction.patterns });
  const log = createLog({ level: config.logLevel, redactor });
  const dirs = playbookDirs(config.playbooks.dirs);
  const knowledge = await load(dirs, { clock, thresholds: config.playbooks.thresholds });
  const acts = config.clusters.some(({ acting }) => acting !== undefined);
  const openedMs = clock.monotonic();
  const opened = await openStore(config.store.url, {
    clock,
    ids,
    exclusive: true,
    mustExist: config.store.mustExist,
    ...(acts && { alsoMigrate: () => migrateEngine(config.store.url) }),
  });
  const store = redactingActs(opened, redactor.redact);
  const counters = createChatCounters();
  const { meters, page } = wireMeters({ store: opened, counters, clock, connected: () => app.ready });
  const field = wireFieldwork(config, { clock, ids, knowledge, meters });
  const client = createSlackClient({ token: config.slack.botToken ?? '', apiUrl: config.slack.apiUrl, log });
  const over = new AbortController();
  const home = createHomeAnswers(clock);
  const commandName = config.slack.command;
  const slack = createSlackChat({ client, clock, log, counters, home, commandName, signal: over.signal });
  const redact = (message: Message): Message => Message.parse(redactJson(message, redactor));
  const untold = new Set<string>();
  const chat = redactingChat(answerWhatIsHeld(slack, { store, log, untold }), redact);
  const windowMs = config.incidents.windowMinutes * 60_000;
  const mayPlan = planOffer(config);
  const stored = createOutbox({
    ...{ store, chat, clock, ids, log },
    refresh: async (sent) => {
      const [topic, id = ''] = sent.kind.split('/');
      if (topic === 'plan') await acting?.drawPlan(id);
      if (topic === 'handover') await handovers.late(sent);
    },
    renew: (waited) => renewWaiting(store, commandName, waited),
    onRefused: (refused, next) => tellRefused({ acts: store, store, outbox }, refused, next),
  });
  const outbox = redactingOutbox(stored, redact);
  const triage = createTriageStarter({
    ...{ investigate: field.deps, chat, store, outbox, log, commandName, windowMs, mayPlan, meters },
    grafana: config.dashboard?.url,
  });
  const groups = createUserGroups({ client, clock, log, groups: groupsThatAct(config) });
  const lifecycle = wireLifecycle(config, {
    ...{ store, field, knowledge, redactor, chat, outbox, mayPlan, clock, log },
    isShared: (channel) => app.isShared(channel),
  });
  const handovers = wireHandovers(config, {
    ...{ store, field, knowledge, redactor, ids, chat, outbox, clock, log },
    isShared: (channel) => app.isShared(channel),
  });
  const acting = await wireActing(config, {
    ...{ store, redactor, chat, outbox, clock, ids, log },
    clusters: field.acting,
    history: field.history,
    gauges: field.gauges,
    supply: field.supply,
    callers: field.callers,
    engine: knowledge.engine,
    book: () => loadProfiles(dirs),
    investigate: field.deps,
    groupsOf: groups.of,
    afterRun: lifecycle.afterRun,
    handOver: handovers.ofRun,
  });
  const keeper = createRequestKeeper({ store, clock, ids, log, untold, redact: redactor.redact });
  const commands = wireChatCommands(config, {
    ...{ store, field, knowledge, triage, acting, mayPlan, dirs, chat, clock, log },
    incidents: lifecycle.verbs,
    handover: handovers.verbs,
    groupsOf: groups.of,
  });
  const app = createSlackApp({
    ...slackMode(config),
    ...slackParts(config),
    ...{ client, chat, home, counters },
    useCases: {
      ...commands,
      ...keeper,
      receipt: (request) => commands.receipt({ ...request, text: redactor.redact(request.text) }),
    },
    clock,
    log,
    onGroupChanged: groups.forget,
    ready: () => isReachable(opened, clock),
    metrics: page,
  });
  const { port } = await app.start();
  const { isShared } = app;
  const automatic = await openAutomatic(config, { store, field, triage, outbox, isShared, meters, clock, ids, log });
  const { queue } = automatic;
  await acting?.begin();
  const actPort = acting && (await openActPort(config, { acting, groupsOf: groups.of, store, clock, log }));
  const resuming = startResuming({
    ...{ store, chat, clock, log, untold, triages: triage, queue, commandName, commands, outbox, openedMs },
    isShared: app.isShared,
  });
  const watcher = startReloading(dirs, { knowledge, clock, log });
  const closing = lifecycle.begin();
  const shifts = handovers.begin();
  const days = config.store.retentionDays;
  const sweeper = startSweeping({
    store,
    clock,
    log,
    keepMs: { snapshots: days.snapshots * DAY_MS, incidents: days.incidents * DAY_MS },
  });
  return {
    port,
    alertPort: automatic.alertPort,
    stop: () =>
      stopAll(log, [
        () => over.abort(),
        outbox.stop,
        app.stop,
        automatic.stop,
        () => actPort?.stop(),
        resuming.stop,
        triage.settle,
        () => acting?.stop(),
        watcher.stop,
        closing.stop,
        shifts.stop,
        sweeper.stop,
        field.close,
        store.leave,
        store.close,
      ]),
  };
}

// In order: no new work, active work, then what it needs. One that fails does not keep the others open.
async function stopAll(log: Log, steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.error('shutdown step failed', { error });
    }
  }
}

import { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Chat, Clock, Log } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { callSlack } from './api/call.ts';
import { slackClientOptions } from './api/client.ts';
import type { HomeAnswers } from './api/home-answers.ts';
import { createSdkLogger } from './api/logger.ts';
import { nextStep } from './api/refusals.ts';
import type { ChatCounters } from './deliver.ts';
import { createDuplicateFilter } from './duplicate-events.ts';
import { publishHome } from './home.ts';
import { listenToChoices } from './listeners/choices.ts';
import { listenToCommand } from './listeners/command.ts';
import { listenToEdit } from './listeners/edit.ts';
import { faultMessage } from './listeners/fault.ts';
import { listenToGroups } from './listeners/groups.ts';
import { listenToHome } from './listeners/home.ts';
import { listenToIncidents } from './listeners/incidents.ts';
import { createInteractions, type FillHome, type Interactions } from './listeners/interactions.ts';
import { askerOf, type Identity } from './listeners/payloads.ts';
import { listenToShortcut } from './listeners/shortcut.ts';
import type { SlackUseCases } from './listeners/use-cases.ts';
import { createSharedChannels } from './shared-channels.ts';
import { createTransport, type MetricsPage, type Transport } from './transport.ts';

type SlackAppOptions = (
  | { readonly mode: 'socket'; readonly appToken: string; readonly healthPort?: number }
  | { readonly mode: 'http'; readonly signingSecret: string; readonly port: number }
) & {
  readonly botToken: string;
  readonly apiUrl?: string;
  /** With its slash: `/oom`. */
  readonly commandName: string;
  readonly appHome: boolean;
  readonly client: WebClient;
  readonly chat: Chat;
  /** What `chat` keeps for the Home tab. */
  readonly home: HomeAnswers;
  readonly counters: ChatCounters;
  readonly useCases: SlackUseCases;
  readonly clock: Clock;
  readonly log: Log;
  /** A user group has other members than before. */
  readonly onGroupChanged?: ((group: string) => void) | undefined;
  /** Whether the rest of the service can serve, for `/readyz`. */
  readonly ready?: () => Promise<boolean>;
  /** What `/metrics` shows; there is none where it is left out. */
  readonly metrics?: MetricsPage;
};

type SlackApp = {
  /** Checks the bot token, then begins to receive. Throws OomError `chat-refused` with what to set right. Answers the port, if any. */
  start(): Promise<{ port: number | undefined }>;
  /** Ends receiving and waits for the work under way, `drainMs` at most. Answers whether all of it ended. */
  stop(drainMs?: number): Promise<{ drained: boolean }>;
  readonly ready: boolean;
  /** Whether a channel is shared with another organization. */
  readonly isShared: (channel: string) => Promise<boolean>;
};

const UNKNOWN: Identity = { botUserId: '', botId: undefined, teamId: undefined, enterpriseId: undefined };

/** The Slack edge's way in: slash command, message shortcut, buttons and Home tab, by Socket Mode or HTTP. */
export function createSlackApp(options: SlackAppOptions): SlackApp {
  let identity = UNKNOWN;
  let started = false;
  const connected = (): boolean => started && transport.connected;
  const ready = async (): Promise<boolean> => connected() && ((await options.ready?.()) ?? true);
  const transport = createTransport({ ...options, ready });
  const isShared = createSharedChannels(options);
  const fillHome = createHomeFill(options);
  const interactions = createInteractions({ ...options, fillHome, identity: () => identity, isShared });
  const app = createBolt(options, transport, () => identity);
  register(app, interactions, { ...options, fillHome });

  return {
    isShared,
    get ready() {
      return connected();
    },
    async start() {
      identity = await readIdentity(options);
      const port = await transport.start();
      started = true;
      options.log.info('slack connected', { mode: options.mode, port, team: identity.teamId });
      return { port };
    },
    async stop(drainMs = 10_000) {
      started = false;
      const enough = new AbortController();
      const late = options.clock.sleep(drainMs, enough.signal).then(
        () => false,
        () => true,
      );
      const drained = await Promise.race([
        transport
          .stop()
          .then(() => interactions.settle())
          .then(() => true),
        late,
      ]);
      enough.abort();
      if (!drained) options.log.warn('slack work cut off at the end', { drainMs });
      return { drained };
    },
  };
}

function createBolt(options: SlackAppOptions, transport: Transport, identity: () => Identity): App {
  const app = new App({
    receiver: transport.receiver,
    // Answered from memory: an ack must not wait for auth.test.
    authorize: async () => {
      const { botUserId, botId, teamId, enterpriseId } = identity();
      return { botToken: options.botToken, botId, botUserId, teamId, enterpriseId };
    },
    convoStore: false,
    extendedErrorHandler: true,
    clientOptions: slackClientOptions(options),
    logger: createSdkLogger(options.log),
  });
  const seenBefore = createDuplicateFilter(() => options.clock.monotonic());
  app.use(async ({ body, next, ...rest }) => {
    if (!seenBefore(body)) return next();
    options.log.info('delivery came twice', { retry: rest.context.retryNum });
    if ('ack' in rest && typeof rest.ack === 'function') await rest.ack();
  });
  // Listeners answer their own faults; what comes here failed before a request was made of it.
  app.error(async ({ error, body }: { error: Error; body: unknown }) => {
    options.log.error('slack delivery failed', { error });
    const asker = askerOf(body);
    if (asker !== undefined) await options.chat.whisper(asker, faultMessage(error));
  });
  return app;
}

// The list, below what was just answered there.
function createHomeFill(options: SlackAppOptions): FillHome {
  return async (user, page) => {
    if (!options.appHome) return;
    const now = await options.useCases.home(user, page).catch((error: unknown) => [faultMessage(error)]);
    await publishHome(options, user, [...options.home.recent(user), ...now]);
  };
}

function register(app: App, interactions: Interactions, options: SlackAppOptions & { fillHome: FillHome }): void {
  listenToCommand(app, interactions, options.commandName);
  listenToShortcut(app, interactions);
  listenToChoices(app, interactions);
  listenToEdit(app, interactions, options);
  listenToIncidents(app, interactions, options);
  listenToGroups(app, (group) => options.onGroupChanged?.(group));
  listenToHome(app, interactions, options.fillHome);
}

async function readIdentity(options: SlackAppOptions): Promise<Identity> {
  const call = () => options.client.auth.test();
  const answer = await callSlack(options.clock, call, { withinMs: 20_000, repeatable: true });
  if (answer.kind === 'failed')
    throw new OomError('chat-refused', `Slack does not let the bot in (${answer.code}).`, {
      next: nextStep(answer.code, 'oombot'),
    });
  const { user_id, bot_id, team_id, enterprise_id, is_enterprise_install } = answer.value;
  return {
    botUserId: user_id ?? '',
    botId: bot_id,
    // An org-wide token belongs to no one workspace.
    teamId: is_enterprise_install === true ? undefined : team_id,
    enterpriseId: enterprise_id,
  };
}

import type { Message } from '../../src/model/message.ts';
import { createSlackClient } from '../../src/slack/api/client.ts';
import { createHomeAnswers } from '../../src/slack/api/home-answers.ts';
import { createSlackApp } from '../../src/slack/app.ts';
import { createSlackChat } from '../../src/slack/chat.ts';
import { createChatCounters } from '../../src/slack/deliver.ts';
import type { SlackRequest, SlackUseCases } from '../../src/slack/listeners/use-cases.ts';
import { createSlackStandin, type SlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createFakeLog } from '../fakes/log.ts';

export const SECRET = 'signing-secret';

/** The edge on a stand-in, with use cases that note what they were asked. */
export async function startApp(
  mode: 'http' | 'socket',
  given: Partial<SlackUseCases> = {},
  options: {
    commandName?: string;
    before?: (standin: SlackStandin) => void;
    ready?: () => Promise<boolean>;
  } = {},
) {
  const standin = await createSlackStandin();
  const clock = createSystemClock();
  const log = createFakeLog();
  const counters = createChatCounters();
  const client = createSlackClient({ token: 'xoxb-test', apiUrl: standin.apiUrl, timeoutMs: 2_000, log });
  const home = createHomeAnswers(clock);
  const chat = createSlackChat({ client, clock, log, counters, home });
  const asked: { verb: string; request: SlackRequest }[] = [];
  const note = (verb: string) => async (request: SlackRequest) => void asked.push({ verb, request });
  const useCases: SlackUseCases = {
    receipt: () => 'Looking.',
    command: note('command'),
    shortcut: note('shortcut'),
    candidate: note('candidate'),
    explain: note('explain'),
    act: async (verb, request) => void asked.push({ verb, request }),
    editForm: async (request) => void asked.push({ verb: 'edit-form', request }),
    incidentForm: async (_, request) => void asked.push({ verb: 'incident-form', request }),
    edited: async (_, request) => void asked.push({ verb: 'edited', request }),
    home: async (): Promise<Message[]> => [{ summary: 'No open incident.', blocks: [] }],
    ...given,
  };
  const way =
    mode === 'http' ? { mode, signingSecret: SECRET, port: 0 } : { mode, appToken: 'xapp-test', healthPort: 0 };
  const app = createSlackApp({
    ...way,
    botToken: 'xoxb-test',
    apiUrl: standin.apiUrl,
    commandName: options.commandName ?? '/oom',
    appHome: true,
    ...(options.ready && { ready: options.ready }),
    client,
    chat,
    home,
    counters,
    useCases,
    clock,
    log,
  });
  options.before?.(standin);
  const { port } = await app.start().catch(async (error: unknown) => {
    await app.stop(1_000);
    await standin.close();
    throw error;
  });
  const base = `http://127.0.0.1:${port}`;
  const people =
    mode === 'http' ? standin.overHttp({ url: `${base}/slack/events`, signingSecret: SECRET }) : standin.overSocket();
  return {
    standin,
    app,
    chat,
    client,
    log,
    counters,
    asked,
    people,
    base,
    async close() {
      await app.stop(1_000);
      await standin.close();
    },
  };
}

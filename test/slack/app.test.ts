import { afterEach, describe, expect, it } from 'vitest';
import { OomError } from '../../src/model/errors.ts';
import { type Message, plain } from '../../src/model/message.ts';
import type { SlackUseCases } from '../../src/slack/listeners/use-cases.ts';
import type { SlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { textsOf } from '../../src/standins/slack/state.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { isReachable } from '../../src/wire/open-store.ts';
import { createMemoryStore } from '../fakes/memory-store.ts';
import { SECRET, startApp } from './app-harness.ts';

const says = (text: string): Message => ({ summary: text, blocks: [{ kind: 'paragraph', spans: [plain(text)] }] });

type App = Awaited<ReturnType<typeof startApp>>;
const open: App[] = [];
const start = async (...given: Parameters<typeof startApp>): Promise<App> => {
  const app = await startApp(...given);
  open.push(app);
  return app;
};
afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

describe.each(['http', 'socket'] as const)('the Slack app over %s', (mode) => {
  it('acknowledges a command with a receipt and hands on the raw text', async () => {
    const t = await start(mode);

    const ack = await t.people.command({ text: 'triage  `llm/vllm-0` “x”' });

    expect(ack).toMatchObject({ status: 200, body: { response_type: 'ephemeral', text: 'Looking.' } });
    await t.standin.until('the use case is asked', () => t.asked.length === 1);
    const responseUrl = expect.stringContaining('/response/');
    const asker = { user: 'U_ONCALL', conversation: 'C_ONCALL', responseUrl };
    const where = { channel: 'C_ONCALL', teamId: 'T_TEAM', externallyShared: false };
    const request = { text: 'triage  `llm/vllm-0` “x”', asker, ...where };
    expect(t.asked[0]).toMatchObject({ verb: 'command', request });
  });

  it('acknowledges before the work has done anything', async () => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const t = await start(mode, {
      command: async () => {
        begun.resolve();
        await held.promise;
      },
    });
    const before = t.standin.state.calls.length;

    const ack = await t.people.command({ text: 'triage x' });

    expect(ack.status).toBe(200);
    await begun.promise;
    const calls = t.standin.state.calls.slice(before).map(({ method }) => method);
    expect(calls.filter((method) => method !== 'conversations.info')).toEqual([]);
    held.resolve();
  });

  it('hands on the words of a message', async () => {
    const t = await start(mode);

    await t.people.shortcut({ message: { text: 'see &lt;this&gt; <https://example.com/x|pod>' } });

    await t.standin.until('the use case is asked', () => t.asked.length === 1);
    expect(t.asked[0]).toMatchObject({ verb: 'shortcut', request: { text: 'see <this> pod' } });
  });

  it('hands on the value of the chosen button', async () => {
    const choose: SlackUseCases['command'] = async (request) => {
      const candidates = ['llm/vllm-0', 'dev/vllm-0'].map(
        (value) => ({ asks: 'triage-candidate', label: value, value }) as const,
      );
      const why = { asks: 'explain', label: 'Why', value: 'inc_1' } as const;
      await t.chat.whisper(request.asker, { ...says('Which pod?'), choices: [...candidates, why] });
    };
    const t: App = await start(mode, { command: choose });
    await t.people.command({ text: 'triage vllm-0' });
    const question = await t.standin.until('the question', () =>
      t.standin.state.ephemerals.find((e) => e.blocks.length > 0),
    );

    await t.people.click({ actionId: 'oom:triage-candidate:1', on: question });
    await t.people.click({ actionId: 'oom:explain:2', on: question });

    await t.standin.until('both are asked', () => t.asked.length === 2);
    expect(t.asked.map((a) => [a.verb, a.request.text])).toEqual([
      ['candidate', 'dev/vllm-0'],
      ['explain', 'inc_1'],
    ]);
  });

  it('fills the Home tab each time it is opened', async () => {
    const t = await start(mode, { home: async () => [says('2 open incidents'), says('llm/vllm-0')] });

    await t.people.openHome('U_APPROVER');

    const home = await t.standin.until('the home tab', () => t.standin.state.homes.get('U_APPROVER'));
    expect(JSON.stringify(home)).toContain('llm/vllm-0');
  });

  it('turns the page of the list of incidents, in the Home tab and in a channel', async () => {
    const list: Message = {
      ...says('44 open incidents'),
      choices: [{ asks: 'status', label: 'Next page', value: '2' }],
    };
    const pages: unknown[] = [];
    const t: App = await start(mode, {
      home: async (_, page) => {
        pages.push(page);
        return [list];
      },
      command: async (request) => {
        pages.push(request.text);
        await t.chat.whisper(request.asker, list);
      },
    });
    await t.people.openHome();
    const home = await t.standin.until('the home tab', () => t.standin.state.homes.get('U_ONCALL'));
    await t.people.command({ text: 'status' });
    const answer = await t.standin.until('the list', () => t.standin.state.ephemerals.find((e) => e.blocks.length > 0));

    const inHome = { channel: undefined, message: undefined, container: { type: 'view' }, view: { type: 'home' } };
    await t.people.click({
      actionId: 'oom:status:0',
      on: { blocks: home.blocks as Record<string, unknown>[], channel: '' },
      more: inHome,
    });
    await t.standin.until('the other page', () => pages.length === 3);
    await t.people.click({ actionId: 'oom:status:0', on: answer });

    await t.standin.until('the page is asked for', () => pages.length === 4);
    expect(pages).toEqual([undefined, 'status', '2', 'status 2']);
  });

  it('answers a fault to the one who asked, with words and code', async () => {
    const t = await start(mode, {
      command: async () => {
        throw new OomError('cluster-unreachable', 'The cluster prod does not answer.', { next: 'Try again.' });
      },
    });

    await t.people.command({ text: 'triage x', user: 'U_STRANGER' });

    const told = await t.standin.until('the answer', () =>
      t.standin.state.ephemerals.find((e) => e.via === 'response_url'),
    );
    expect(told.user).toBe('U_STRANGER');
    expect(textsOf(told)).toMatch(/does not answer[\s\S]*Try again[\s\S]*cluster-unreachable/);
  });

  it('does not act twice on a delivery that comes twice', async () => {
    const t = await start(mode);

    const again = { trigger_id: 'same' };
    await t.people.command({ text: 'triage x', more: again });
    const ack = await t.people.command({ text: 'triage x', more: again });
    await t.people.command({ text: 'triage y' });

    expect(ack.status).toBe(200);
    await t.standin.until('the other is asked', () => t.asked.some((a) => a.request.text === 'triage y'));
    expect(t.asked).toHaveLength(2);
  });

  it('finishes what is under way before it ends', async () => {
    const held = Promise.withResolvers<void>();
    const t = await start(mode, {
      command: async (request) => {
        await held.promise;
        await t.chat.post(request.channel, says('finding'));
      },
    });
    await t.people.command({ text: 'triage x' });

    const stopped = t.app.stop();
    held.resolve();

    expect(await stopped).toEqual({ drained: true });
    expect(t.standin.state.messages.map((m) => m.text)).toEqual(['finding']);
  });

  it('answers the probes', async () => {
    const t = await start(mode);

    expect((await fetch(`${t.base}/healthz`)).status).toBe(200);
    expect((await fetch(`${t.base}/readyz`)).status).toBe(200);
  });

  it('is alive and not ready while the store cannot be reached', async () => {
    const store = createMemoryStore();
    const t = await start(mode, {}, { ready: () => isReachable(store, createSystemClock()) });
    const probes = async () => [(await fetch(`${t.base}/healthz`)).status, (await fetch(`${t.base}/readyz`)).status];

    const before = await probes();
    store.fail(new OomError('store-failed', 'The store cannot be reached.', { next: '' }));
    const meanwhile = await probes();
    store.fail(undefined);

    expect([before, meanwhile, await probes()]).toEqual([
      [200, 200],
      [200, 503],
      [200, 200],
    ]);
  });

  it('is not ready where that cannot be told', async () => {
    const t = await start(mode, {}, { ready: () => Promise.reject(new Error('unheard of')) });

    expect((await fetch(`${t.base}/readyz`)).status).toBe(503);
  });
});

describe('a request over HTTP', () => {
  it.each([
    { name: 'signed with another secret', signingSecret: 'wrong', skewSeconds: 0 },
    { name: 'signed six minutes ago', signingSecret: SECRET, skewSeconds: 360 },
  ])('$name is refused', async ({ signingSecret, skewSeconds }) => {
    const t = await start('http');
    const stranger = t.standin.overHttp({ url: `${t.base}/slack/events`, signingSecret, skewSeconds });

    const answer = await stranger.command({ text: 'triage x' });

    expect(answer.status).toBe(401);
    expect(t.asked).toEqual([]);
  });

  it('that repeats an event with a retry header acts once', async () => {
    let opened = 0;
    const t = await start('http', {
      home: async () => {
        opened += 1;
        return [says('x')];
      },
    });
    const retry = t.standin.overHttp({
      url: `${t.base}/slack/events`,
      signingSecret: SECRET,
      headers: { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' },
    });
    const event = { type: 'app_home_opened', user: 'U_ONCALL', channel: 'D_HOME', tab: 'home', event_ts: '1.1' };

    await t.people.event(event, { event_id: 'Ev_same' });
    await retry.event(event, { event_id: 'Ev_same' });
    await retry.event(event, { event_id: 'Ev_lost_before' });

    await t.standin.until('both are published', () => opened === 2);
  });

  it('with the command of another installation is heard by that one', async () => {
    const t = await start('http', {}, { commandName: '/oom-staging' });

    await t.people.command({ text: 'help', command: '/oom-staging' });

    await t.standin.until('the use case is asked', () => t.asked.length === 1);
  });

  it.each([
    ['typed by another organisation', { team_id: 'T_OTHER' }, true],
    ['in the context of another workspace', { context_team_id: 'T_OTHER' }, true],
    ['marked as externally shared', { is_ext_shared_channel: true }, true],
    ['from home', {}, false],
    ['in a channel that is shared', { channel_id: 'C_SHARED' }, true],
    ['in a channel that Slack does not tell of', { channel_id: 'C_UNKNOWN' }, true],
  ])('%s: shared is told apart', async (_, more, shared) => {
    const t = await start('http');
    t.standin.addChannel('C_SHARED', { isExtShared: true });

    await t.people.command({ text: 'status', more });

    await t.standin.until('the use case is asked', () => t.asked.length === 1);
    expect(t.asked[0]?.request.externallyShared).toBe(shared);
  });

  it('has Slack asked once for its channel, before the work and after the ack', async () => {
    const t = await start('http');
    for (const text of ['status', 'status', 'help']) await t.people.command({ text });

    await t.standin.until('all are asked', () => t.asked.length === 3);

    expect(t.standin.state.calls.filter(({ method }) => method === 'conversations.info')).toHaveLength(1);
  });

  it('that cannot be read is acknowledged, and the one who sent it is told', async () => {
    const t = await start('http');

    const ack = await t.people.command({ text: 'triage x', more: { channel_id: undefined } });

    expect(ack.status).toBe(200);
    const told = await t.standin.until('the answer', () => t.standin.state.ephemerals[0]);
    expect(textsOf(told)).toContain('internal');
    expect(t.asked).toEqual([]);
  });
});

describe('the Home tab', () => {
  it('is plain text where Slack refuses its blocks, and the refusal is counted', async () => {
    const t = await start('http', { home: async () => [says('llm/vllm-0 ran out of RAM')] });
    t.standin.faults.next('views.publish', { kind: 'error', error: 'invalid_blocks' });

    await t.people.openHome();

    const home = await t.standin.until('the home tab', () => t.standin.state.homes.get('U_ONCALL'));
    expect(home.blocks).toMatchObject([{ type: 'section', text: { text: expect.stringContaining('llm/vllm-0') } }]);
    expect(t.counters).toMatchObject({ replaced: 1, refused: 0 });
  });

  it('says that its content could not be read', async () => {
    const t = await start('http', {
      home: async () => {
        throw new OomError('store-failed', 'The store does not answer.', { next: 'Try again.' });
      },
    });

    await t.people.openHome();

    const home = await t.standin.until('the home tab', () => t.standin.state.homes.get('U_ONCALL'));
    expect(JSON.stringify(home)).toContain('store-failed');
  });
});

it.each([
  { mode: 'http', method: 'auth.test', next: 'SLACK_BOT_TOKEN' },
  { mode: 'socket', method: 'apps.connections.open', next: 'SLACK_APP_TOKEN' },
] as const)(
  'the start fails over $mode with what to set right where $method knows no token',
  async ({ mode, method, next }) => {
    const before = ({ faults }: SlackStandin) => faults.next(method, { kind: 'error', error: 'invalid_auth' });
    const starting = startApp(mode, {}, { before });

    await expect(starting).rejects.toMatchObject({ code: 'chat-refused', next: expect.stringContaining(next) });
  },
);

describe('Socket Mode', () => {
  it.each([
    { name: 'Slack closes it, as it does every few hours', close: (t: App) => t.standin.socket.refresh() },
    { name: 'it dies without a word', close: (t: App) => t.standin.socket.cut() },
  ])('comes back at once when $name', async ({ close }) => {
    const t = await start('socket');

    close(t);
    await t.standin.until('a second connection', () => t.standin.socket.opened === 2 && t.app.ready);
    await t.people.command({ text: 'triage x' });

    await t.standin.until('the use case is asked', () => t.asked.length === 1);
  });

  it('keeps trying while Slack is down', async () => {
    const t = await start('socket');
    t.standin.faults.next('apps.connections.open', { kind: 'http', status: 503 });

    t.standin.socket.cut();
    await t.standin.until('it is not ready', () => !t.app.ready);

    await t.standin.until('it is back', () => t.app.ready);
  });
});

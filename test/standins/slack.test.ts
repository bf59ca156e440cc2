import { createServer, get, type RequestOptions, type Server } from 'node:http';
import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSdkLogger } from '../../src/slack/api/logger.ts';
import { close, listen, readBody } from '../../src/standins/loopback.ts';
import { createSlackStandin, type SlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { say } from '../../src/standins/slack/state.ts';
import { createFakeLog } from '../fakes/log.ts';

describe('the Slack stand-in', () => {
  let now = Date.UTC(2026, 0, 15);
  // Time of trigger ids: what is added passes at once.
  let passed = 0;
  let standin: SlackStandin;
  let client: WebClient;
  beforeEach(async () => {
    standin = await createSlackStandin({ now: () => now, monotonic: () => performance.now() + passed });
    client = new WebClient('xoxb-test', {
      slackApiUrl: standin.apiUrl,
      retryConfig: { retries: 0 },
      timeout: 500,
      rejectRateLimitedCalls: true,
      logger: createSdkLogger(createFakeLog()),
    });
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await close(server);
    await standin.close();
  });
  const servers: Server[] = [];
  /** An app that reads what it gets and acks with this. */
  const receiver = async (read: (body: { trigger_id: string; response_url: string }) => void, ack?: object) => {
    const server = createServer(async (incoming, response) => {
      read(JSON.parse(new URLSearchParams((await readBody(incoming)).toString()).get('payload') ?? '{}'));
      response.end(ack === undefined ? '' : JSON.stringify(ack));
    });
    servers.push(server);
    return `http://127.0.0.1:${await listen(server)}/`;
  };

  const post = (more: object = {}) => client.chat.postMessage({ channel: 'C_ONCALL', text: 'hello', ...more });

  it('refuses blocks as Slack does, with the place of the fault', async () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }];

    await expect(post({ blocks })).rejects.toMatchObject({
      data: {
        error: 'invalid_blocks',
        response_metadata: {
          messages: ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
        },
      },
    });
    expect(standin.state.messages).toEqual([]);
  });

  it('drops the blocks of an update that has only a text, as Slack does', async () => {
    const { ts } = await post({ blocks: [{ type: 'divider' }] });
    await client.chat.update({ channel: 'C_ONCALL', ts: ts ?? '', text: 'changed' });

    expect(standin.state.messages).toMatchObject([{ text: 'changed', blocks: [] }]);
  });

  it('lets nobody in without a token', async () => {
    const stranger = new WebClient('wrong', {
      slackApiUrl: standin.apiUrl,
      retryConfig: { retries: 0 },
      logger: createSdkLogger(createFakeLog()),
    });

    await expect(stranger.auth.test()).rejects.toMatchObject({ data: { error: 'not_authed' } });
  });

  it('refuses views that Slack refuses', async () => {
    const view = { type: 'home' as const, blocks: [{ type: 'plan', title: 'x' }] };

    await expect(client.views.publish({ user_id: 'U_ONCALL', view })).rejects.toMatchObject({
      data: { error: 'invalid_blocks' },
    });
  });

  const modal = (title = 'Edit plan') => ({
    type: 'modal' as const,
    callback_id: 'oom:edit',
    title: { type: 'plain_text' as const, text: title },
    blocks: [{ type: 'divider' }],
  });
  // Clicks a button on a message, as far as the delivery: what its trigger and response URL are.
  const clickedOn = async () => {
    const { ts = '' } = await post({ blocks: [BUTTONS] });
    let keys = { trigger_id: '', response_url: '' };
    const url = await receiver((body) => {
      keys = body;
    });
    const people = standin.overHttp({ url, signingSecret: 's' });
    const message = standin.state.messages.find((one) => one.ts === ts);
    await people.click({ actionId: 'oom:plan:0', on: message ?? { channel: 'C_ONCALL', blocks: [] } });
    return { people, ...keys };
  };

  it('opens one modal for a click, once and within three seconds', async () => {
    const { trigger_id } = await clickedOn();
    const open = (trigger: string) => client.views.open({ trigger_id: trigger, view: modal() });

    await open(trigger_id);
    await expect(open(trigger_id)).rejects.toMatchObject({ data: { error: 'exchanged_trigger_id' } });
    await expect(open('7.other')).rejects.toMatchObject({ data: { error: 'invalid_trigger_id' } });
    const late = await clickedOn();
    passed += 3001;
    await expect(open(late.trigger_id)).rejects.toMatchObject({ data: { error: 'expired_trigger_id' } });
    expect(standin.state.openViews.get('U_ONCALL')).toHaveLength(1);
  });

  it('updates the modal on the screen, unless it has changed meanwhile, and stacks three', async () => {
    const { view } = await client.views.open({ trigger_id: (await clickedOn()).trigger_id, view: modal() });
    const { id: view_id = '', hash = '' } = view ?? {};

    await client.views.update({ view_id, hash, view: modal('Changed') });
    await expect(client.views.update({ view_id, hash, view: modal() })).rejects.toMatchObject({
      data: { error: 'hash_conflict' },
    });
    const push = async () => client.views.push({ trigger_id: (await clickedOn()).trigger_id, view: modal('On top') });
    await push();
    await push();
    await expect(push()).rejects.toMatchObject({ data: { error: 'push_limit_reached' } });
    const titles = standin.state.openViews.get('U_ONCALL')?.map(({ view }) => (view.title as { text: string }).text);
    expect(titles).toEqual(['Changed', 'On top', 'On top']);
  });

  it.for([
    ['errors stay in the form', { response_action: 'errors', errors: {} }, ['Edit plan']],
    ['another form takes its place', { response_action: 'update', view: modal('Next') }, ['Next']],
    ['no words close it', undefined, []],
  ] as const)('follows what a form is answered with: %s', async ([, ack, titles]) => {
    await client.views.open({ trigger_id: (await clickedOn()).trigger_id, view: modal() });
    const [open] = standin.state.openViews.get('U_ONCALL') ?? [];
    const people = standin.overHttp({ url: await receiver(() => undefined, ack), signingSecret: 's' });

    await people.submit({ view: open?.view ?? {} });

    const shown = standin.state.openViews.get('U_ONCALL')?.map(({ view }) => (view.title as { text: string }).text);
    expect(shown).toEqual(titles);
  });

  it('takes five answers by a response URL, for thirty minutes', async () => {
    const { response_url } = await clickedOn();
    const answer = (url: string) => fetch(url, { method: 'POST', body: JSON.stringify({ text: 'hello' }) });
    const statuses: number[] = [];
    for (let use = 0; use < 6; use += 1) statuses.push((await answer(response_url)).status);
    const later = (await clickedOn()).response_url;
    now += 30 * 60_000 + 1;

    expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
    expect(await (await answer(later)).json()).toMatchObject({ error: 'expired_url' });
  });

  it('threads below parents only, and changes only what the bot wrote', async () => {
    const { ts: parent } = await post();
    const { ts: reply } = await post({ thread_ts: parent });
    const typed = say(standin.state, { channel: 'C_ONCALL', user: 'U_ONCALL', text: 'llm/vllm-0 died', now });

    await expect(post({ thread_ts: reply })).rejects.toMatchObject({ data: { error: 'cannot_reply_to_message' } });
    const update = client.chat.update({ channel: 'C_ONCALL', ts: typed.ts, text: 'changed' });
    await expect(update).rejects.toMatchObject({ data: { error: 'cant_update_message' } });
  });

  it.for([
    ['xoxb-1234567890-1234567890123-AbCdEf', 'auth.test', 'invalid_auth'],
    ['xapp-1-A0123456789-987654-abc', 'apps.connections.open', 'invalid_auth'],
    ['xapp-test', 'auth.test', 'not_allowed_token_type'],
  ] as const)('lets %s not in at %s', async ([token, method, error]) => {
    const other = new WebClient(token, {
      slackApiUrl: standin.apiUrl,
      retryConfig: { retries: 0 },
      logger: createSdkLogger(createFakeLog()),
    });

    await expect(other.apiCall(method)).rejects.toMatchObject({ data: { error } });
  });

  it('goes wrong as told: rate limit, server error, slow, done but unanswered', async () => {
    const { faults, state } = standin;
    faults.next('chat.postMessage', { kind: 'rate-limited', retryAfterSeconds: 7 });
    await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
    faults.next('*', { kind: 'http', status: 500 });
    await expect(post()).rejects.toThrow(/500/);
    faults.next('chat.postMessage', { kind: 'slow', ms: 20 });
    await post({ text: 'slow' });
    faults.next('chat.postMessage', { kind: 'lost' });
    await expect(post({ text: 'lost' })).rejects.toThrow();

    expect(state.messages.map(({ text }) => text)).toEqual(['slow', 'lost']);
    expect(state.calls.map(({ status }) => status)).toEqual([429, 500, 200, 200]);
  });

  it('records what reached the app, with its ack or without one', async () => {
    await clickedOn();
    const gone = standin.overHttp({ url: 'http://127.0.0.1:1/', signingSecret: 's' });
    await expect(gone.command({ text: 'status' })).rejects.toThrow();

    expect(standin.state.deliveries).toMatchObject([
      { what: 'block_actions oom:plan:0', user: 'U_ONCALL', status: 200 },
      { what: '/oom status', user: 'U_ONCALL', status: 0 },
    ]);
  });

  it('answers no name that somebody points at loopback', async () => {
    const { status } = await request(`${standin.apiUrl}auth.test`, { headers: { host: 'evil.example' } });

    expect(status).toBe(403);
  });
});

const BUTTONS = {
  type: 'actions',
  elements: [{ type: 'button', action_id: 'oom:plan:0', text: { type: 'plain_text', text: 'Plan' }, value: 'inc' }],
};

// fetch sets the host by itself.
function request(url: string, options: RequestOptions): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    }).on('error', reject);
  });
}

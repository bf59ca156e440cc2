import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSdkLogger } from '../../src/slack/api/logger.ts';
import { createSlackStandin, type SlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { createFakeLog } from '../fakes/log.ts';

describe('the Slack stand-in', () => {
  let now = Date.UTC(2026, 0, 15);
  let standin: SlackStandin;
  let client: WebClient;
  beforeEach(async () => {
    standin = await createSlackStandin({ now: () => now });
    client = new WebClient('xoxb-test', {
      slackApiUrl: standin.apiUrl,
      retryConfig: { retries: 0 },
      timeout: 500,
      rejectRateLimitedCalls: true,
      logger: createSdkLogger(createFakeLog()),
    });
  });
  afterEach(() => standin.close());

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

  it.each([
    { channel: 'C_GONE', error: 'channel_not_found', as: undefined },
    { channel: 'C_OLD', error: 'is_archived', as: { isArchived: true } },
    { channel: 'C_CLOSED', error: 'not_in_channel', as: { isMember: false } },
  ])('answers $error', async ({ channel, error, as }) => {
    if (as !== undefined) standin.addChannel(channel, as);

    await expect(post({ channel })).rejects.toMatchObject({ data: { error } });
  });

  it('drops the blocks of an update that has only a text, as Slack does', async () => {
    const { ts } = await post({ blocks: [{ type: 'divider' }] });
    await client.chat.update({ channel: 'C_ONCALL', ts: ts ?? '', text: 'changed' });

    expect(standin.state.messages).toMatchObject([{ text: 'changed', blocks: [] }]);
  });

  it.each([
    { fault: { kind: 'rate-limited', retryAfterSeconds: 3 } as const, seen: { retryAfter: 3 } },
    { fault: { kind: 'http', status: 502 } as const, seen: { statusCode: 502 } },
    { fault: { kind: 'hang' } as const, seen: { code: 'slack_webapi_request_error' } },
  ])('fails when told to: $fault.kind, and then no more', async ({ fault, seen }) => {
    standin.faults.next('chat.postMessage', fault);

    await expect(post()).rejects.toMatchObject(seen);
    await expect(post()).resolves.toMatchObject({ ok: true });
  });

  it('counts the uses of a response_url and lets it expire', async () => {
    standin.state.responseUrls.set('1', { channel: 'C_ONCALL', user: 'U_ONCALL', since: now, uses: 0 });
    standin.state.responseUrls.set('2', { channel: 'C_ONCALL', user: 'U_ONCALL', since: now, uses: 0 });
    const use = async (id: string) => {
      const url = standin.apiUrl.replace('api/', `response/${id}`);
      return (await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'x' }) })).status;
    };

    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push(await use('1'));
    now += 31 * 60_000;

    expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
    expect(await use('2')).toBe(404);
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
});

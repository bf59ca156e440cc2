import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSdkLogger } from '../../src/slack/api/logger.ts';
import { createSlackStandin, type SlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { createFakeLog } from '../fakes/log.ts';

describe('the Slack stand-in', () => {
  const now = Date.UTC(2026, 0, 15);
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
});

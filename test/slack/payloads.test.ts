import { describe, expect, it } from 'vitest';
import { requestOfClick, requestOfShortcut, wordsOf } from '../../src/slack/listeners/payloads.ts';

const HOME = { botUserId: 'U_BOT', botId: 'B_BOT', teamId: 'T_TEAM', enterpriseId: 'E_ORG' };
const SISTER = { id: 'W_ONCALL', team_id: 'T_SISTER' };
const shortcut = (more: object = {}) => ({
  user: { id: 'U_ONCALL', team_id: 'T_TEAM' },
  channel: { id: 'C_ONCALL' },
  team: { id: 'T_TEAM' },
  message: { text: 'x' },
  ...more,
});

describe('a payload', () => {
  it.each([
    ['at home', {}, undefined],
    ['that says that it is not', { is_ext_shared_channel: false }, false],
    ['that says so in a form', { is_ext_shared_channel: 'true' }, true],
    ['that says in a form that it is not', { is_ext_shared_channel: 'false' }, false],
    ['that says what nobody knows', { is_ext_shared_channel: 'perhaps' }, undefined],
    ['by a guest of another organisation', { user: { id: 'U_STRANGER', team_id: 'T_OTHER' } }, true],
    ['by a sister workspace of our enterprise', { user: SISTER, enterprise: { id: 'E_ORG' } }, undefined],
    ['on a message of another organisation', { message: { text: 'x', user_team: 'T_OTHER' } }, true],
    ['that says so itself', { is_ext_shared_channel: true }, true],
    ['of an org-wide install, without a team', { team: null, user: { id: 'U_ONCALL' } }, undefined],
  ])('%s, with %j: externally shared is %s', (_, more, shared) => {
    expect(requestOfShortcut(shortcut(more), HOME).externallyShared).toBe(shared);
  });

  it('of a click in an ephemeral message has its channel in the container', () => {
    const click = {
      user: { id: 'U_ONCALL' },
      container: { channel_id: 'C_ONCALL', is_ephemeral: true },
      actions: [{ action_id: 'oom:explain:0', value: 'inc_1' }],
      response_url: 'https://example.com/r',
    };

    expect(requestOfClick(click, HOME)).toMatchObject({
      text: 'inc_1',
      asker: { user: 'U_ONCALL', conversation: 'C_ONCALL', responseUrl: 'https://example.com/r' },
    });
    expect(requestOfClick(click, HOME).clicked).toBeUndefined();
  });

  it('of a click names the message that bears the button', () => {
    const container = { type: 'message', channel_id: 'C_ONCALL', message_ts: '17.1', is_ephemeral: false };
    const click = { ...shortcut({ container }), actions: [{ action_id: 'oom:approve:0', value: 'p h' }] };

    expect(requestOfClick(click, HOME).clicked).toEqual({ conversation: 'C_ONCALL', ts: '17.1' });
  });
});

describe('the words of a message', () => {
  const section = { type: 'section', text: { type: 'mrkdwn', text: 'pod x' } };
  const pieces = [
    { type: 'text', text: 'vllm-' },
    { type: 'text', text: '0' },
  ];
  const rich = { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: pieces }] };
  const alert = { fallback: 'f', fields: [{ title: 'pod', value: 'vllm-0' }] };
  it.each([
    ['text', { text: 'llm/vllm-0' }, 'llm/vllm-0'],
    ['entities and links', { text: 'a &lt;b&gt; &amp;amp; <https://x.example|c>' }, 'a <b> &amp; c'],
    ['a text that its block repeats', { text: 'pod x', blocks: [section] }, 'pod x'],
    ['nothing', {}, ''],
    ['pieces of a rich text', { text: '', blocks: [rich] }, 'vllm-0'],
    ['fields of an alert', { attachments: [alert] }, 'f\npod\nvllm-0'],
  ])('come from %s', (_, message, words) => {
    expect(wordsOf(message)).toBe(words);
  });

  it('are cut where someone pasted a whole log', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i}`).join('\n');

    expect(wordsOf({ text })).toHaveLength(20_000);
  });
});

import { describe, expect, it } from 'vitest';
import { requestOfClick, requestOfShortcut, wordsOf } from '../../src/slack/listeners/payloads.ts';

const HOME = { botUserId: 'U_BOT', botId: 'B_BOT', teamId: 'T_TEAM', enterpriseId: 'E_ORG' };
const shortcut = (more: object = {}) => ({
  user: { id: 'U_ONCALL', team_id: 'T_TEAM' },
  channel: { id: 'C_ONCALL' },
  team: { id: 'T_TEAM' },
  message: { text: 'x' },
  ...more,
});

describe('a payload', () => {
  it.each([
    { name: 'at home', body: shortcut(), shared: undefined },
    { name: 'that says that it is not', body: shortcut({ is_ext_shared_channel: false }), shared: false },
    { name: 'that says so in a form', body: shortcut({ is_ext_shared_channel: 'true' }), shared: true },
    { name: 'that says in a form that it is not', body: shortcut({ is_ext_shared_channel: 'false' }), shared: false },
    { name: 'that says what nobody knows', body: shortcut({ is_ext_shared_channel: 'perhaps' }), shared: undefined },
    {
      name: 'by a guest of another organisation',
      body: shortcut({ user: { id: 'U_STRANGER', team_id: 'T_OTHER' } }),
      shared: true,
    },
    {
      name: 'by a sister workspace of our enterprise',
      body: shortcut({ user: { id: 'W_ONCALL', team_id: 'T_SISTER' }, enterprise: { id: 'E_ORG' } }),
      shared: undefined,
    },
    {
      name: 'on a message of another organisation',
      body: shortcut({ message: { text: 'x', user_team: 'T_OTHER' } }),
      shared: true,
    },
    { name: 'that says so itself', body: shortcut({ is_ext_shared_channel: true }), shared: true },
    {
      name: 'of an org-wide install, without a team',
      body: shortcut({ team: null, user: { id: 'U_ONCALL' } }),
      shared: undefined,
    },
  ])('$name: externally shared is $shared', ({ body, shared }) => {
    expect(requestOfShortcut(body, HOME).externallyShared).toBe(shared);
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
  });
});

describe('the words of a message', () => {
  it.each([
    { name: 'text', message: { text: 'llm/vllm-0' }, words: 'llm/vllm-0' },
    {
      name: 'entities and links',
      message: { text: 'a &lt;b&gt; &amp;amp; <https://x.example|c>' },
      words: 'a <b> &amp; c',
    },
    {
      name: 'a text that its block repeats',
      message: { text: 'pod x', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'pod x' } }] },
      words: 'pod x',
    },
    { name: 'nothing', message: {}, words: '' },
    {
      name: 'fields of an alert',
      message: { attachments: [{ fallback: 'f', fields: [{ title: 'pod', value: 'vllm-0' }] }] },
      words: 'f\npod\nvllm-0',
    },
  ])('come from $name', ({ message, words }) => {
    expect(wordsOf(message)).toBe(words);
  });

  it('are cut where someone pasted a whole log', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i}`).join('\n');

    expect(wordsOf({ text })).toHaveLength(20_000);
  });
});

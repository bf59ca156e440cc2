import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asker } from '../../src/app/ports.ts';
import { type Message, plain } from '../../src/model/message.ts';
import { createSlackClient } from '../../src/slack/api/client.ts';
import { createSlackChat } from '../../src/slack/chat.ts';
import { createChatCounters } from '../../src/slack/deliver.ts';
import { createSlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { findMessage, repliesTo, textsOf } from '../../src/standins/slack/state.ts';
import { testChat } from '../contracts/chat.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeLog } from '../fakes/log.ts';

const CHANNEL = 'C_ONCALL';
const says = (text: string): Message => ({ summary: text, blocks: [{ kind: 'paragraph', spans: [plain(text)] }] });
const progress = (detail: string): Message => ({
  summary: 'Reading llm/vllm-0.',
  blocks: [{ kind: 'progress', title: 'Reading', steps: [{ id: 'logs', title: 'Logs', status: 'running', detail }] }],
});

async function setUp({ timeoutMs = 20_000 } = {}) {
  const clock = createFakeClock();
  const standin = await createSlackStandin({ now: () => clock.now() });
  const log = createFakeLog();
  const counters = createChatCounters();
  const client = createSlackClient({ token: 'xoxb-test', apiUrl: standin.apiUrl, timeoutMs, log });
  const chat = createSlackChat({ client, clock, log, counters });
  let lastUrl = 0;
  const responseUrl = (user: string, channel: string): string => {
    lastUrl += 1;
    standin.state.responseUrls.set(`r${lastUrl}`, { channel, user, since: clock.now(), uses: 0 });
    return standin.apiUrl.replace('api/', `response/r${lastUrl}`);
  };
  const shown = (ref: { conversation: string; ts: string }) => {
    const found = findMessage(standin.state, ref.conversation, ref.ts);
    return found === undefined ? undefined : textsOf(found);
  };
  return { clock, standin, log, counters, chat, responseUrl, shown };
}

testChat('Slack', async () => {
  const { standin, chat, responseUrl, shown } = await setUp();
  return {
    chat,
    shown,
    replies: (ref) => repliesTo(standin.state, { channel: ref.conversation, ts: ref.ts }).map(textsOf),
    whispered: (user) => standin.state.ephemerals.filter((e) => e.user === user).map(textsOf),
    files: (thread) =>
      [...standin.state.files.values()]
        .filter((f) => f.threadTs === thread.ts)
        .map((f) => ({ name: f.name, text: f.bytes?.toString() ?? '' })),
    responseUrl,
    removeBot: (id) => standin.addChannel(id, { isMember: false }),
    remove: (ref) => {
      standin.state.messages.splice(
        standin.state.messages.findIndex((m) => m.ts === ref.ts),
        1,
      );
    },
    close: () => standin.close(),
  };
});

describe('the Slack chat', () => {
  let t: Awaited<ReturnType<typeof setUp>>;
  beforeEach(async () => {
    t = await setUp();
  });
  afterEach(() => t.standin.close());

  const posted = async (message: Message) => {
    const outcome = await t.chat.post(CHANNEL, message);
    if (outcome.kind !== 'posted') throw new Error(outcome.code);
    return outcome;
  };
  const calls = (method: string) => t.standin.state.calls.filter((c) => c.method === method);
  const asker = (responseUrl?: string): Asker => ({ user: 'U_ONCALL', conversation: CHANNEL, responseUrl });
  // Moves the fake clock on until the work that waits on it is done.
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let done = false;
    const ended = work.finally(() => {
      done = true;
    });
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      if (t.clock.sleeping > 0) await t.clock.advance(250);
    }
    return ended;
  };

  it.each(['invalid_blocks', 'msg_too_long', 'msg_blocks_too_long', 'a_new_error_of_slack'])(
    'sends plain text, once, where Slack answers %s, and counts it',
    async (error) => {
      t.standin.faults.next('chat.postMessage', { kind: 'error', error });

      const outcome = await posted(says('RAM ran out'));

      expect(outcome.plain).toBe(true);
      const plainly = { text: expect.stringContaining('RAM ran out'), blocks: [] };
      expect(findMessage(t.standin.state, CHANNEL, outcome.ref.ts)).toMatchObject(plainly);
      expect(t.counters).toMatchObject({ replaced: 1, refused: 0 });
    },
  );

  it.each(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])(
    'sends no plain text where Slack answers %s, which may pass: that would have no buttons',
    async (error) => {
      t.standin.faults.next('chat.postMessage', { kind: 'error', error });

      const outcome = await t.chat.post(CHANNEL, says('RAM ran out'));

      expect(outcome).toMatchObject({ kind: 'refused', code: error, retryMs: expect.any(Number) });
      expect(calls('chat.postMessage')).toHaveLength(1);
    },
  );

  const PLAN: Message = {
    ...says('Proposed: shorter context.'),
    choices: [{ asks: 'approve', label: 'Approve…', value: `plan_1 ${'f'.repeat(32)}` }],
  };
  // As the outbox tries it again: every five minutes.
  const tries = async (minutes: number, meanwhile: () => Promise<unknown> = async () => undefined) => {
    for (let passed = 0; passed < minutes; passed += 5) {
      const outcome = await run(t.chat.post(CHANNEL, PLAN));
      if (outcome.kind === 'posted') return outcome;
      await meanwhile();
      await t.clock.advance(300_000);
    }
    return undefined;
  };
  const refuseBlocks = () => t.standin.faults.next('chat.postMessage', { kind: 'error', error: 'internal_error' }, 4);

  it.each([
    ['other messages', 'auth.test', () => t.chat.whisper(asker(), says('x'))],
    ['other calls', 'none', async () => undefined],
  ])(
    'sends plain text with what to type after 15 minutes in which Slack fails at it and takes %s',
    async (_, silent, meanwhile) => {
      t.standin.faults.next(silent, { kind: 'error', error: 'internal_error' }, Number.POSITIVE_INFINITY);
      refuseBlocks();

      const outcome = await tries(30, meanwhile);

      expect(outcome).toMatchObject({ plain: true });
      expect(JSON.stringify(t.standin.state.messages.at(-1))).toMatch(
        /Proposed: shorter context.*type \/oom approve plan_1"/,
      );
      expect(t.counters.replaced).toBe(1);
    },
  );

  it('waits for Slack with its buttons for as long as Slack takes nothing at all', async () => {
    t.standin.faults.next('*', { kind: 'error', error: 'internal_error' }, Number.POSITIVE_INFINITY);
    expect(await tries(60)).toBeUndefined();
    t.standin.faults.clear();

    expect(await tries(5)).toMatchObject({ plain: false });
    expect(t.counters.replaced).toBe(0);
  });

  it.each(['rate_limited', 'ratelimited', 'message_limit_exceeded', 'external_channel_migrating'])(
    'posts later what Slack has not taken for now: %s',
    async (error) => {
      t.standin.faults.next('chat.postMessage', { kind: 'error', error });

      const outcome = await run(t.chat.post(CHANNEL, says('RAM ran out')));

      expect(outcome).toMatchObject({ kind: 'posted', plain: false });
      expect(calls('chat.postMessage')).toHaveLength(2);
    },
  );

  it('gives up after the plain text and says so', async () => {
    t.standin.faults.next('chat.postMessage', { kind: 'error', error: 'invalid_blocks' }, 2);

    const outcome = await t.chat.post(CHANNEL, says('RAM ran out'));

    const next = expect.stringContaining('invalid_blocks');
    expect(outcome).toEqual({ kind: 'refused', code: 'invalid_blocks', next });
    expect(calls('chat.postMessage')).toHaveLength(2);
    expect(t.counters).toMatchObject({ replaced: 1, refused: 1 });
  });

  it('keeps blocks that break a limit at home and sends plain text', async () => {
    // Nothing that the builders make breaks a limit, so a draft is bent by hand.
    const bent = { ...says('x'), choices: [{ asks: 'explain' as const, label: 'Why', value: '' }] };

    const outcome = await posted(bent);

    expect(outcome.plain).toBe(true);
    expect(calls('chat.postMessage').map((c) => c.answer)).toEqual(['ok']);
    expect(JSON.stringify(t.log.entries)).toContain('/blocks/1/elements/0/value');
  });

  it.each([
    ['channel_not_found', '/invite @oombot'],
    ['is_archived', 'unarchive'],
    ['missing_scope', 'slack-app-manifest.yaml'],
    ['invalid_auth', 'SLACK_BOT_TOKEN'],
  ])('does not try again where Slack answers %s, and says what to do', async (error, next) => {
    t.standin.faults.next('chat.postMessage', { kind: 'error', error }, 5);

    const outcome = await t.chat.post(CHANNEL, says('x'));

    expect(outcome).toMatchObject({ kind: 'refused', code: error, next: expect.stringContaining(next) });
    expect(calls('chat.postMessage')).toHaveLength(1);
  });

  it('waits as long as Slack asks, then posts', async () => {
    t.standin.faults.next('chat.postMessage', { kind: 'rate-limited', retryAfterSeconds: 7 });
    const began = t.clock.now();

    const outcome = await run(t.chat.post(CHANNEL, says('x')));

    expect(outcome.kind).toBe('posted');
    expect(t.clock.now() - began).toBeGreaterThanOrEqual(7_000);
    expect(t.counters.rateLimited).toBe(1);
  });

  it('does not wait beyond its deadline', async () => {
    t.standin.faults.next('chat.postMessage', { kind: 'rate-limited', retryAfterSeconds: 600 });

    const outcome = await t.chat.post(CHANNEL, says('x'));

    expect(outcome).toMatchObject({ kind: 'refused', code: 'ratelimited', retryMs: 600_000 });
  });

  it('waits as long as Slack asks with what one person alone is told', async () => {
    t.standin.faults.next('chat.postEphemeral', { kind: 'rate-limited', retryAfterSeconds: 600 });

    const asker = { user: 'U_ONCALL', conversation: CHANNEL, responseUrl: undefined };
    expect(await run(t.chat.whisper(asker, says('x')))).toMatchObject({ kind: 'posted' });
  });

  it('tries again after 5xx', async () => {
    t.standin.faults.next('chat.postMessage', { kind: 'http', status: 503 }, 2);

    expect(await run(t.chat.post(CHANNEL, says('x')))).toMatchObject({ kind: 'posted', plain: false });
  });

  it('does not post twice when only the answer was lost', async () => {
    t.standin.faults.next('chat.postMessage', { kind: 'lost' });

    const outcome = await run(t.chat.post(CHANNEL, says('x')));

    expect(outcome).toMatchObject({ kind: 'refused', code: 'unreachable' });
    expect(t.standin.state.messages).toHaveLength(1);
  });

  it('repeats an update whose answer was lost', async () => {
    const { ref } = await posted(says('reading'));
    t.standin.faults.next('chat.update', { kind: 'lost' });

    expect(await run(t.chat.update(ref, says('done')))).toMatchObject({ kind: 'posted', ref });
    expect(t.shown(ref)).toContain('done');
  });

  it('does not wait for ever for an answer', async () => {
    const { standin, chat } = await setUp({ timeoutMs: 400 });
    standin.faults.next('chat.postMessage', { kind: 'hang' });

    expect(await chat.post(CHANNEL, says('x'))).toMatchObject({ kind: 'refused', code: 'deadline' });
    await standin.close();
  });

  it('posts anew in the same thread, and follows the new message from then on', async () => {
    const card = (await posted(says('card'))).ref;
    const reply = await t.chat.post(CHANNEL, says('reply'), card);
    if (reply.kind !== 'posted') throw new Error(reply.code);
    t.standin.faults.next('chat.update', { kind: 'error', error: 'edit_window_closed' });

    await t.chat.update(reply.ref, says('first'));
    await t.chat.update(reply.ref, says('second'));

    const replies = repliesTo(t.standin.state, { channel: CHANNEL, ts: card.ts });
    expect(replies.map((m) => m.text)).toEqual(['reply', 'second']);
  });

  it.each(['thread_not_found', 'cannot_reply_to_message'])(
    'posts in the channel what has lost its thread: %s',
    async (error) => {
      const card = (await posted(says('card'))).ref;
      t.standin.faults.next('chat.postMessage', { kind: 'error', error });

      const reply = await t.chat.post(CHANNEL, says('result'), card);

      expect(reply).toMatchObject({ kind: 'posted', plain: false });
      expect(t.standin.state.messages.map(({ text, threadTs }) => [text, threadTs])).toEqual([
        ['card', undefined],
        ['result', undefined],
      ]);
    },
  );

  it('gathers progress: at most one update a second, the last state wins', async () => {
    const { ref } = await posted(progress('0'));
    const updates = ['1', '2', '3', '4'].map((n) => t.chat.update(ref, progress(n)));
    await t.clock.advance(999);
    expect(calls('chat.update')).toHaveLength(0);

    await t.clock.advance(1);
    await run(Promise.all(updates));

    expect(calls('chat.update')).toHaveLength(1);
    expect(t.shown(ref)).toContain('4');
  });

  it('sends nothing where nothing changed', async () => {
    const { ref } = await posted(progress('0'));

    expect(await run(t.chat.update(ref, progress('0')))).toMatchObject({ kind: 'posted', ref });
    expect(calls('chat.update')).toHaveLength(0);
  });

  it('lets the finding overtake the progress that still waits', async () => {
    const { ref } = await posted(progress('0'));
    const waiting = t.chat.update(ref, progress('1'));
    const final = t.chat.update(ref, says('RAM ran out'));

    await Promise.all([waiting, final]);

    expect(calls('chat.update')).toHaveLength(1);
    expect(t.shown(ref)).toContain('RAM ran out');
  });

  it('never lets an older state arrive after a newer one', async () => {
    const { ref } = await posted(progress('0'));
    await t.clock.advance(1000);
    t.standin.faults.next('chat.update', { kind: 'rate-limited', retryAfterSeconds: 5 });
    const old = t.chat.update(ref, progress('1'));
    await t.standin.until('the first update meets the limit', () => calls('chat.update').length === 1);
    const final = t.chat.update(ref, says('RAM ran out'));

    await run(Promise.all([old, final]));

    const states = findMessage(t.standin.state, CHANNEL, ref.ts)?.history.map(textsOf) ?? [];
    expect(states.at(-1)).toContain('RAM ran out');
    expect(states.some((s) => s.includes('Logs') && s.includes('1'))).toBe(false);
  });

  it('answers the asker by response_url first, then as a member', async () => {
    const url = t.responseUrl('U_ONCALL', CHANNEL);

    await t.chat.whisper(asker(url), says('one'));
    await t.chat.whisper(asker(url), says('two'));

    expect(t.standin.state.ephemerals.map((e) => e.via)).toEqual(['response_url', 'chat.postEphemeral']);
  });

  it('comes back to response_url where it may not post, five times at most', async () => {
    t.standin.addChannel('C_CLOSED', { isMember: false });
    const url = t.responseUrl('U_ONCALL', 'C_CLOSED');
    const asks = { ...asker(url), conversation: 'C_CLOSED' };

    const outcomes = [];
    for (let i = 0; i < 6; i += 1) outcomes.push((await t.chat.whisper(asks, says(`${i}`))).kind);

    expect(outcomes).toEqual(['posted', 'posted', 'posted', 'posted', 'posted', 'refused']);
    expect(calls('response_url')).toHaveLength(5);
  });

  it('whispers as a member where response_url has expired', async () => {
    const url = t.responseUrl('U_ONCALL', CHANNEL);
    t.clock.pass(31 * 60_000);

    await t.chat.whisper(asker(url), says('late'));

    expect(t.standin.state.ephemerals.map((e) => e.via)).toEqual(['chat.postEphemeral']);
  });

  it('sends a whisper as plain text where its blocks are refused', async () => {
    t.standin.faults.next('response_url', { kind: 'error', error: 'invalid_blocks' });

    const outcome = await t.chat.whisper(asker(t.responseUrl('U_ONCALL', CHANNEL)), says('finding'));

    expect(outcome).toMatchObject({ kind: 'posted', plain: true });
    expect(t.standin.state.ephemerals).toMatchObject([{ text: expect.stringContaining('finding'), blocks: [] }]);
  });

  it.each<[string, number, Parameters<typeof t.standin.faults.next>[1]]>([
    ['answers 503', 16, { kind: 'http', status: 503 }],
    ['drops connections', 4, { kind: 'lost' }],
  ])('keeps an answer to one person while Slack %s', async (_, times, fault) => {
    t.standin.faults.next('*', fault, times);
    const began = t.clock.now();

    const outcome = await run(t.chat.whisper(asker(t.responseUrl('U_ONCALL', CHANNEL)), says('counted')));

    expect(outcome.kind).toBe('posted');
    expect(t.standin.state.ephemerals.map(textsOf).at(-1)).toContain('counted');
    expect(t.clock.now() - began).toBeLessThan(300_000);
  });

  it('gives an answer to one person up after a quarter of an hour', async () => {
    t.standin.faults.next('*', { kind: 'http', status: 503 }, Number.POSITIVE_INFINITY);
    const began = t.clock.now();

    const outcome = await run(t.chat.whisper(asker(), says('counted')));

    expect(outcome).toMatchObject({ kind: 'refused', retryMs: expect.any(Number) });
    expect(t.clock.now() - began).toBeLessThan(16 * 60_000);
  });

  it('says in the thread which files are missing', async () => {
    const { ref } = await posted(says('card'));
    t.standin.faults.next('files.getUploadURLExternal', { kind: 'error', error: 'missing_scope' }, 5);

    const outcome = await t.chat.attach(ref, [{ name: 'previous.log', title: 'Log', text: 'x' }]);

    expect(outcome).toMatchObject({ kind: 'refused', code: 'missing_scope' });
    expect(repliesTo(t.standin.state, { channel: CHANNEL, ts: ref.ts }).map(textsOf).join()).toContain('previous.log');
  });

  it('attaches an empty file too', async () => {
    const { ref } = await posted(says('card'));

    const outcome = await t.chat.attach(ref, [{ name: 'events.json', title: 'Events', text: '' }]);

    expect(outcome).toMatchObject({ kind: 'posted' });
  });

  it('never logs what it was asked to say', async () => {
    t.standin.faults.next('*', { kind: 'error', error: 'invalid_blocks' }, 4);

    await t.chat.post(CHANNEL, says('s3cret-line'));

    expect(t.log.text()).not.toContain('s3cret-line');
  });
});

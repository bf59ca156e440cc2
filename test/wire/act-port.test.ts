import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { askBot } from '../../src/commands/ask-bot.ts';
import { OomError } from '../../src/model/errors.ts';
import type { Message } from '../../src/model/message.ts';
import type { HttpPort } from '../../src/system/http-port.ts';
import { type ActPortDeps, startActPort } from '../../src/wire/act-port.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeLog } from '../fakes/log.ts';
import { createMemoryStore } from '../fakes/memory-store.ts';
import { recordTerminal } from '../fakes/terminal.ts';

const open: HttpPort[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.stop();
});

const says = (mark: 'ok' | 'warn' | 'bad' | 'info', text: string): Message => ({
  summary: text,
  blocks: [{ kind: 'headline', mark, spans: [{ kind: 'plain', text }] }],
});

const TOKENS: Readonly<Record<string, string>> = {
  'token-1': 'approver@example.org',
  'token-2': 'stranger@example.org',
  'token-own-1': 'constructor',
  'token-own-2': '__proto__',
};

async function openPort(over: Partial<ActPortDeps> = {}) {
  const asked: string[] = [];
  const acts = createMemoryStore();
  const log = createFakeLog();
  const port = await startActPort({
    port: 0,
    people: { 'approver@example.org': 'U_APPROVER' },
    review: async (token) => {
      const username = TOKENS[token];
      return username === undefined ? { kind: 'nobody' } : { kind: 'user', username };
    },
    answer: async (verb, rest, user) => {
      asked.push(`${user} ${verb} ${rest}`);
      return [says('ok', 'Approved: the run begins.')];
    },
    acts,
    clock: createFakeClock(),
    log,
    ...over,
  });
  open.push(port);
  const url = `http://127.0.0.1:${port.port}`;
  const audited = async () =>
    (await acts.auditRows(1, 100)).map(({ actor, subject, data }) => `${actor} ${subject} ${data}`);
  return { port, url, asked, audited, log };
}

async function ask(url: string | undefined, verb: string, rest: string, token: string | undefined = 'token-1') {
  const { terminal, told } = recordTerminal();
  const code = await askBot({ terminal, url, token: async () => token, timeoutMs: 2000 }, verb, rest);
  return { code, ...told() };
}

describe('a command of a terminal', () => {
  it('is done by the bot for the person that the user is', async () => {
    const { url, asked } = await openPort();

    const answer = await ask(url, 'approve', 'plan_1 --confirm=vllm');

    expect(asked).toEqual(['U_APPROVER approve plan_1 --confirm=vllm']);
    expect(answer).toMatchObject({ code: 0, out: expect.stringContaining('Approved: the run begins.') });
  });

  it.each([
    ['an unknown token', 'token-3', /does not know the token/, 'unknown'],
    ['a user who is nobody here', 'token-2', /stranger@example.org may not act/, 'stranger@example.org'],
  ])('with %s is refused, audited, and not done', async (_, token, words, who) => {
    const { url, asked, audited } = await openPort();

    const answer = await ask(url, 'approve', 'plan_1', token);

    expect(answer.code).toBe(4);
    expect(answer.err).toMatch(words);
    expect(asked).toEqual([]);
    expect((await audited()).at(-1)).toContain(`${who} plan_1`);
  });

  it('is not done where nobody can say whose token it is', async () => {
    const review = async () => ({ kind: 'could-not-tell', why: 'ECONNREFUSED' }) as const;
    const { url, asked } = await openPort({ review });

    const answer = await ask(url, 'abort', 'run_1');

    expect(answer).toMatchObject({ code: 5, err: expect.stringMatching(/ECONNREFUSED/) });
    expect(asked).toEqual([]);
  });

  it.each([
    ['bad', 'approve', 4],
    ['warn', 'approve', 1],
    ['warn', 'pause', 0],
    ['info', 'reject', 0],
  ] as const)('that is answered with %s to %s ends with %i', async (mark, verb, code) => {
    const { url } = await openPort({ answer: async () => [says(mark, 'x')] });

    expect((await ask(url, verb, '')).code).toBe(code);
  });

  it('that fails inside is answered with what to do, and never with the token', async () => {
    const { url, log } = await openPort({
      answer: async () => {
        throw new OomError('store-failed', 'The disk is full.', { next: 'Free it.' });
      },
    });

    const answer = await ask(url, 'approve', 'plan_1');

    expect(answer).toMatchObject({ code: 1, err: expect.stringMatching(/The disk is full[\s\S]*Free it/) });
    expect(log.text()).not.toContain('token-1');
  });
});

it.each([
  ['no port is configured', undefined, /needs the running bot, but `acting\.port` is not set/],
  ['nothing listens', 'http://127.0.0.1:1', /No bot answers at/],
])('without a bot (%s) a command says so', async (_, url, words) => {
  const fault = await ask(url, 'approve', 'plan_1').catch((error: unknown) => error);

  expect(fault).toMatchObject({ code: 'bot-unreachable', message: expect.stringMatching(words) });
  expect(fault).toMatchObject({ next: expect.stringContaining('port-forward') });
});

describe('the port', () => {
  const post = (url: string, body: string | ReadableStream, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/act`, { method: 'POST', body, headers, duplex: 'half' });

  it.each([
    ['no verb', '{"verb":"delete","rest":""}', 400],
    ['a plan, which a terminal makes itself', '{"verb":"plan","rest":"x"}', 400],
    ['no JSON', 'hello', 400],
    ['more than a command', JSON.stringify({ verb: 'approve', rest: 'x'.repeat(50_000) }), 400],
    ['no token', '{"verb":"approve","rest":"plan_1"}', 401],
  ])('refuses %s', async (_, body, status) => {
    const { url, asked } = await openPort();

    expect((await post(url, body)).status).toBe(status);
    expect(asked).toEqual([]);
  });

  it.each([
    ['announced', (text: string) => text],
    ['in pieces', (text: string) => new Blob([text]).stream()],
  ])('refuses more bytes than a command has, also where they mean one: %s', async (_, send) => {
    const { url, asked } = await openPort();
    const body = `{"verb":"approve","rest":"plan_1"}${' '.repeat(50_000)}`;

    const { status } = await post(url, send(body), { authorization: 'Bearer token-1' });

    expect(status).toBe(400);
    expect(asked).toEqual([]);
  });

  it.each(['token-own-1', 'token-own-2'])('takes no name that every object has for a person: %s', async (token) => {
    const { url, asked, audited } = await openPort();

    const { status } = await post(url, '{"verb":"approve","rest":"plan_1"}', { authorization: `Bearer ${token}` });

    expect(status).toBe(403);
    expect(asked).toEqual([]);
    expect(await audited()).toHaveLength(1);
  });

  it('is reached by the loopback address that a port-forward uses, and by no other', async () => {
    const { port } = await openPort();
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const others = addresses.filter((one) => one.family === 'IPv4' && !one.internal).map(({ address }) => address);

    for (const address of ['127.0.0.2', ...others])
      await expect(once(connect(port.port, address), 'connect')).rejects.toThrow();
  });

  it('takes so many commands in a minute, and audits only some of those that it refuses', async () => {
    const clock = createFakeClock();
    let reviews = 0;
    const review = async () => {
      reviews += 1;
      return { kind: 'nobody' } as const;
    };
    const limits = { perMinute: 5, auditedPerMinute: 2 };
    const { url, audited } = await openPort({ clock, review, limits });
    const statuses = async (count: number) => {
      const all = [];
      for (let i = 0; i < count; i += 1)
        all.push((await post(url, '{"verb":"pause","rest":""}', { authorization: 'Bearer x' })).status);
      return all;
    };

    expect(await statuses(7)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(reviews).toBe(5);
    expect(await audited()).toHaveLength(2);
    await clock.advance(60_000);
    expect(await statuses(1)).toEqual([401]);
    expect(await audited()).toHaveLength(3);
  });

  it.each([
    ['its headers', 'POST /v1/act HTTP/1.1\r\nhost: x\r\n'],
    ['its body', 'POST /v1/act HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{'],
  ])('hangs up on a request that does not end %s', async (_, sent) => {
    const { port, asked } = await openPort({ limits: { headersMs: 40, requestMs: 80 } });
    const socket = connect(port.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(sent);

    await once(socket.resume(), 'close');

    expect(asked).toEqual([]);
  });

  it('keeps no more connections than it has been given', async () => {
    const { port } = await openPort({ limits: { connections: 1, headersMs: 60_000, requestMs: 60_000 } });
    const first = connect(port.port, '127.0.0.1');
    await once(first, 'connect');
    const second = connect(port.port, '127.0.0.1');
    second.on('error', () => undefined);

    await once(second.resume(), 'close');

    first.destroy();
  });

  it('knows one path alone', async () => {
    const { url } = await openPort();

    expect((await fetch(`${url}/`)).status).toBe(404);
  });

  it('ends with the work that is under way', async () => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { url, port } = await openPort({
      answer: async () => {
        begun.resolve();
        await held.promise;
        return [says('ok', 'done')];
      },
    });

    const asking = ask(url, 'approve', 'plan_1');
    await begun.promise;
    const stopped = port.stop();
    held.resolve();

    expect((await asking).out).toContain('done');
    await stopped;
    open.length = 0;
  });
});

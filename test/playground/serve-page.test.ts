import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import type { Deed, Feed, Outcome } from '../../src/playground/page/shown.ts';
import { DEFAULT_PORT, type ServedPage, servePage } from '../../src/playground/server/serve-page.ts';

const served: ServedPage[] = [];
afterEach(async () => {
  for (const page of served.splice(0)) await page.close();
});

const serve = async (scenario = 'look-alike', { port }: { port: number | undefined } = { port: 0 }) => {
  const page = await servePage({ page: '<p>page</p>', port, scenario, speed: 1, mode: 'http', playbooks: [] });
  served.push(page);
  return page;
};

const act = async (url: string, deed: Deed | object, headers: Record<string, string> = {}) => {
  const json = { 'content-type': 'application/json', ...headers };
  const response = await fetch(`${url}/do`, { method: 'POST', headers: json, body: JSON.stringify(deed) });
  return { status: response.status, outcome: (await response.json().catch(() => undefined)) as Outcome | undefined };
};

/** What a page gets as soon as it is open. */
const firstFeed = async (url: string): Promise<Feed> => {
  const response = await fetch(`${url}/events`);
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.endsWith('\n\n')) break;
  }
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '') as Feed;
};

it('serves the page, and lets neither other hosts, other pages nor unknown requests in', async () => {
  const { url } = await serve();
  const otherHost = await new Promise((resolve, reject) => {
    get(url, { headers: { host: 'evil.example' } }, ({ statusCode }) => resolve(statusCode)).on('error', reject);
  });

  expect(await (await fetch(url)).text()).toBe('<p>page</p>');
  expect(otherHost).toBe(403);
  expect(await act(url, { kind: 'bot', what: 'kill' }, { origin: 'http://evil.example' })).toMatchObject({
    status: 403,
  });
  expect(await act(url, { kind: 'shell', what: 'ls' })).toMatchObject({ status: 422, outcome: { ok: false } });
  expect((await fetch(`${url}/files/F1`)).status).toBe(404);
});

it('goes on after a name that no scenario has, a real token and a command that is none', async () => {
  const { url } = await serve();
  const type = (text: string) => act(url, { kind: 'type', as: 'U_ONCALL', text });

  expect((await act(url, { kind: 'scenario', name: 'vllm-kv-rom' })).outcome).toEqual({
    ok: false,
    says: expect.stringContaining('No scenario `vllm-kv-rom`. Did you mean `vllm-kv-room`?'),
  });
  expect((await type(`my token is xoxb-${'1234567890'}-AbC`)).outcome).toMatchObject({
    says: expect.stringContaining('real Slack token'),
  });
  expect((await type('/oops help')).outcome).toMatchObject({ says: '/oops is not a command here. Type /oom help.' });
  await type('the pod llm/vllm-server died');

  const feed = await firstFeed(url);
  expect(feed.playground).toMatchObject({ scenario: 'look-alike', suggestion: '/oom triage llm/vllm-server' });
  const messages = Object.entries(feed).filter(([key]) => key.startsWith('message/'));
  expect(messages.map(([, message]) => message)).toMatchObject([
    { user: 'U_ONCALL', text: 'the pod llm/vllm-server died' },
  ]);
});

it('refuses a port in use that was asked for, and takes the next free one otherwise', async () => {
  const { url } = await serve('look-alike', { port: undefined });
  const port = Number(new URL(url).port);

  await expect(serve('look-alike', { port })).rejects.toMatchObject({ message: `Port ${port} is in use.` });
  const next = await serve('look-alike', { port: undefined });
  expect(Number(new URL(next.url).port)).toBeGreaterThan(port);
  expect(port).toBeGreaterThanOrEqual(DEFAULT_PORT);
});

it('says which scenario was meant', async () => {
  await expect(serve('vllm-brust')).rejects.toMatchObject({ message: expect.stringContaining('`vllm-burst`') });
});

it('does not start with a real token in the environment', async () => {
  const token = `xoxb-${'123456789012'}-AbCdEf`;
  const main = join(import.meta.dirname, '../../src/playground/server/main.ts');
  const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, SLACK_BOT_TOKEN: token } });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

  expect(code).toBe(2);
  expect(said).toMatch(/^SLACK_BOT_TOKEN looks like a real Slack token\.\n.*unset SLACK_BOT_TOKEN/);
  expect(said).not.toContain(token);
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Before the effect, after it and before its answer, or just after the answer. */
export type KillAt = { readonly effect: number; readonly when: 'before' | 'after' | 'late' };

export type KillProxy = {
  readonly url: string;
  /** Reports as they were told, raw. */
  readonly reports: readonly string[];
  /** Effects that came so far: writes that are no dry runs, and reports. */
  readonly effects: () => number;
  /** Whom to kill, and when; once. */
  arm(victim: () => void, at: KillAt): void;
  /** Called before each request is passed on; what it waits for holds it up. `effect` is 0 for what has none. */
  hold:
    | ((request: { readonly method: string; readonly path: string; readonly effect: number }) => Promise<void> | void)
    | undefined;
  /** The same, after the answer was sent. */
  sent: ((request: { readonly method: string; readonly path: string; readonly effect: number }) => void) | undefined;
  close(): Promise<void>;
};

const LATE_MS = 3;

/** Stands between a bot and the API server, counts what has an effect, and kills the bot around one of them. Takes its reports as well. */
export async function createKillProxy(upstream: string): Promise<KillProxy> {
  const reports: string[] = [];
  const told = new Set<string>();
  let effects = 0;
  let armed: { victim: () => void; at: KillAt } | undefined;

  const strike = (when: KillAt['when'], effect: number): boolean => {
    if (armed?.at.when !== when || armed.at.effect !== effect) return false;
    armed.victim();
    armed = undefined;
    return true;
  };
  const pass = async (request: IncomingMessage, body: string): Promise<{ status: number; text: string }> => {
    const path = request.url ?? '';
    if (path.startsWith('/report/')) {
      const known = told.has(path);
      if (request.method === 'GET') return { status: known ? 200 : 404, text: '' };
      told.add(path);
      reports.push(body);
      return { status: 200, text: '' };
    }
    const type = request.headers['content-type'];
    const answer = await fetch(`${upstream}${path}`, {
      method: request.method ?? 'GET',
      headers: {
        'user-agent': request.headers['user-agent'] ?? '',
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(body !== '' && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const isEffect = request.method !== 'GET' && !(request.url ?? '').includes('dryRun=All');
    if (isEffect) effects += 1;
    const effect = isEffect ? effects : -1;
    const seen = { method: request.method ?? '', path: request.url ?? '', effect: Math.max(0, effect) };
    await proxy.hold?.(seen);
    if (strike('before', effect)) return void response.destroy();
    const { status, text } = await pass(request, body);
    if (strike('after', effect)) return void response.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    proxy.sent?.(seen);
    if (armed?.at.when === 'late' && armed.at.effect === effect) setTimeout(() => strike('late', effect), LATE_MS);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: KillProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reports,
    effects: () => effects,
    hold: undefined,
    sent: undefined,
    arm(victim, at) {
      armed = { victim, at };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

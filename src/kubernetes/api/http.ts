import { request as send } from 'undici';
import type { Clock, ReadContext } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import type { Lane } from './agents.ts';
import { type KubeFailure, statusFailure, thrownFailure, tooSlow } from './failure.ts';
import { subjectOf } from './identity.ts';
import type { Rule } from './rbac.ts';
import { hasStatus, type JsonAnswer, readJson, readText, type TextAnswer } from './read-text.ts';
import type { Access, Session } from './session.ts';

export type KubeRequest = {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** The right that the request needs, named where it is missing. */
  readonly rule: Rule;
  readonly accept?: string;
  /** What answers behind the API server, for the words of a failure. */
  readonly behind?: string;
  /** Most bytes of the answer, 8 MiB unless told; never more than the budget has left. */
  readonly maxBytes?: number;
  /** Most tries, 3 unless told. */
  readonly tries?: number;
  /** JSON that is sent with POST; a GET without. For services behind a proxy: the API itself is only read here. */
  readonly post?: string;
  /** The first try was taken from the budget before. */
  readonly prepaid?: boolean;
  /** Whose connections it takes; those of calls or of logs unless told. */
  readonly lane?: Lane;
};

/** `chunks` throws what the connection throws when it breaks; leaving its loop closes the connection. */
export type StreamAnswer =
  | { readonly kind: 'ok'; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: 'failed'; readonly failure: KubeFailure };

export type { JsonAnswer, TextAnswer } from './read-text.ts';

/** Reads from one API server. No method throws for what server or network do; each try is one call of the budget. */
export type KubeHttp = {
  getJson(request: KubeRequest, context: ReadContext): Promise<JsonAnswer>;
  /** A body as text, counted as a call. */
  getText(request: KubeRequest, context: ReadContext): Promise<TextAnswer>;
  /** A body of any length, counted as a log. The caller reads and counts its bytes. */
  getStream(request: KubeRequest, context: ReadContext): Promise<StreamAnswer>;
  /** The namespace of the kubeconfig's context; undefined where it names none. */
  namespace(context: ReadContext): Promise<string | undefined>;
  close(): Promise<void>;
};

export type KubeHttpOptions = {
  readonly session: Session;
  readonly clock: Clock;
  /** From 0 to 1, for the spread of waits. */
  readonly random?: () => number;
  /** Longest wait for one JSON answer, in ms of a process that gets its CPU. */
  readonly timeoutMs?: number;
};

const TRIES = 3;
const TIMEOUT_MS = 8000;
const MAX_BYTES = 8 * 1024 * 1024;
const FIRST_WAIT_MS = 200;
// A triage has 20 s: a server that asks for longer is not waited for.
const LONGEST_WAIT_MS = 5000;
const WORTH_ANOTHER = new Set([429, 500, 502, 503, 504]);

type Kind = 'call' | 'log';
type Got<T> = { readonly kind: 'got'; readonly value: T };
type Lost = { readonly kind: 'lost'; readonly failure: KubeFailure; readonly again: boolean };
type Try<T> = Got<T> | Lost;
type Take<T> = (body: AsyncIterable<Uint8Array> & { destroy(): unknown }) => Promise<Try<T>>;

/** The one way to an API server: credentials kept fresh, few connections, bounded waits, tries and bytes. */
export function createKubeHttp(options: KubeHttpOptions): KubeHttp {
  const { session, clock, random = Math.random } = options;

  const attempt = async <T>(asked: Asked, take: Take<T>): Promise<Try<T>> => {
    let server: string | undefined;
    try {
      const access = await session.access(laneOf(asked), asked.signal);
      server = access.server;
      const { statusCode, headers, body } = await send(urlOf(access, asked.request), {
        headers: headersOf(access, asked),
        ...(asked.request.post !== undefined && { method: 'POST', body: asked.request.post }),
        dispatcher: access.dispatcher,
        signal: asked.signal,
      });
      if (statusCode >= 200 && statusCode < 300) return await take(body);
      // The connection can serve again only when the body has been read.
      const { behind, rule, path } = asked.request;
      // A group that it does not serve the API server refuses in plain text.
      const isUnserved = statusCode === 404 && path.startsWith('/apis/');
      const isStatus = behind === undefined || isUnserved || (await hasStatus(body));
      await body.dump({ limit: 64 * 1024, signal: asked.signal });
      const subject = subjectOf(access.headers.authorization);
      const failure = statusFailure(statusCode, { rule, subject }, { behind, isStatus });
      const isUnknown = statusCode === 401 && isStatus;
      if (isUnknown) session.renew(access);
      const retryAfter = Number(headers['retry-after']);
      const again = WORTH_ANOTHER.has(statusCode) || isUnknown;
      return { kind: 'lost', failure: { ...failure, ...(retryAfter > 0 && { retryAfter }) }, again };
    } catch (thrown) {
      return lostBy(thrown, asked, server);
    }
  };

  const tryAgain = async <T>(asked: Asked, take: Take<T>): Promise<Try<T>> => {
    let last: Lost = { kind: 'lost', failure: noBudget(), again: false };
    for (let n = 1; n <= TRIES; n++) {
      if (!isPaid(asked, n)) return last;
      const got = await attempt(asked, take);
      if (got.kind === 'got') return got;
      const wait = waitMs(got, last, { tries: n, most: asked.request.tries ?? TRIES, random });
      last = got;
      if (wait === undefined || !(await slept(clock, wait, asked.context.signal))) break;
    }
    return last;
  };

  const getText = async (request: KubeRequest, context: ReadContext): Promise<TextAnswer> => {
    const limit = clock.limit(options.timeoutMs ?? TIMEOUT_MS);
    const asked: Asked = { request, context, kind: 'call', signal: AbortSignal.any([context.signal, limit.signal]) };
    const got = await tryAgain<string>(asked, async (body) => {
      const read = await readText(body, { budget: context.budget, maxBytes: request.maxBytes ?? MAX_BYTES });
      return read.kind === 'ok' ? { kind: 'got', value: read.body } : { ...read, kind: 'lost', again: false };
    }).finally(limit.end);
    return got.kind === 'got' ? { kind: 'ok', body: got.value } : { kind: 'failed', failure: got.failure };
  };

  return {
    async getJson(request, context) {
      const text = await getText(request, context);
      if (text.kind === 'ok') return readJson(text.body);
      const path = text.failure.status === 403 ? addedApi(request.path) : undefined;
      if (path === undefined) return text;
      const served = await getText({ path, rule: request.rule, tries: 1 }, context);
      return served.kind === 'failed' && served.failure.reason === 'gone' ? served : text;
    },
    getText,
    async getStream(request, context) {
      const asked: Asked = { request, context, kind: 'log', signal: context.signal };
      const got = await tryAgain(asked, async (body) => ({ kind: 'got', value: body as AsyncIterable<Uint8Array> }));
      return got.kind === 'got' ? { kind: 'ok', chunks: got.value } : { kind: 'failed', failure: got.failure };
    },
    namespace: (context) => session.namespace(context.signal).catch(() => undefined),
    close: () => session.close(),
  };
}

// Who may not read a kind is refused before the API server looks whether it serves that kind at all: discovery, which is
// open to all, tells. Groups without a dot come with every API server.
function addedApi(path: string): string | undefined {
  return /^\/apis\/[^/]+\.[^/]+\/[^/]+(?=\/)/.exec(path)?.[0];
}

type Asked = {
  readonly request: KubeRequest;
  readonly context: ReadContext;
  readonly kind: Kind;
  readonly signal: AbortSignal;
};

function laneOf({ kind, request }: Asked): Lane {
  return request.lane ?? (kind === 'log' ? 'logs' : 'calls');
}

/** The address of a request. */
export function urlOf({ server }: Access, { path, query = {} }: Pick<KubeRequest, 'path' | 'query'>): string {
  const words = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(value)}`],
  );
  return `${server}${path}${words.length === 0 ? '' : `?${words.join('&')}`}`;
}

function headersOf(access: Access, { request, context }: Asked): Record<string, string> {
  return {
    ...access.headers,
    accept: request.accept ?? 'application/json',
    ...(request.post !== undefined && { 'content-type': 'application/json' }),
    'user-agent': userAgent(context),
  };
}

/** Who asks, in text that a header can hold. */
export function userAgent({ agent }: { readonly agent: string }): string {
  return agent.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}

function lostBy(thrown: unknown, { signal, request }: Asked, server: string | undefined): Lost {
  // Without its credentials nothing was asked of anybody.
  const behind = server === undefined ? undefined : request.behind;
  if (signal.aborted) return { kind: 'lost', failure: tooSlow(thrown, behind), again: false };
  if (thrown instanceof OomError) {
    // The words of a fault of ours are fit to be shown.
    const detail = thrown.message.replace(/\.$/, '');
    return { kind: 'lost', failure: { reason: 'failed', code: thrown.code, detail, cause: thrown }, again: false };
  }
  const { again, ...failure } = thrownFailure(thrown);
  return { kind: 'lost', failure: { ...failure, server }, again };
}

function noBudget(): KubeFailure {
  return { reason: 'budget', code: 'deadline', detail: 'API call limit' };
}

function isPaid({ request, context, kind }: Asked, n: number): boolean {
  return (n === 1 && request.prepaid === true) || context.budget.take(kind);
}

// Undefined: not worth another try. New credentials are tried at once, and only once.
function waitMs(
  { failure, again }: Lost,
  before: Lost,
  { tries, most, random }: { tries: number; most: number; random: () => number },
): number | undefined {
  if (!again || tries >= most) return undefined;
  if (failure.status === 401) return before.failure.status === 401 ? undefined : 0;
  if (failure.retryAfter === undefined) return FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + random());
  const asked = failure.retryAfter * 1000;
  return asked > LONGEST_WAIT_MS ? undefined : asked + FIRST_WAIT_MS * random();
}

/** Whether the wait came to its end. */
export async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return !signal.aborted;
  } catch {
    return false;
  }
}

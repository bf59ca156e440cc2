import { request as send } from 'undici';
import type { ActContext } from '../../app/acting-ports.ts';
import type { Clock } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import { parseJson } from '../../model/json-file.ts';
import type { Lane } from '../api/agents.ts';
import { thrownFailure, tooSlow } from '../api/failure.ts';
import { slept, urlOf, userAgent } from '../api/http.ts';
import { type Subject, serviceAccountOf, subjectOf } from '../api/identity.ts';
import type { Access, Session } from '../api/session.ts';

export type ActRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly contentType?: string;
  readonly body?: unknown;
};

/** `answered` with any status; `lost` where no whole answer came, so that nobody knows what the API server did. */
export type ActAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Undefined where it is no JSON. */
      readonly body: unknown;
      readonly warnings: readonly string[];
      readonly retryAfterMs: number | null;
      /** Who acted, and who asked for them (the same where nobody is impersonated), as far as it is known. */
      readonly subject: Subject | undefined;
      readonly asker: Subject | undefined;
    }
  | { readonly kind: 'lost'; readonly why: string };

export type ActHttp = {
  /** For what may be asked twice: reads and access reviews. Never throws. */
  ask(request: ActRequest, context: ActContext): Promise<ActAnswer>;
  /** For writes: sent once. Only after 401, before which nothing is done, it is sent again. Never throws. */
  send(request: ActRequest, context: ActContext): Promise<ActAnswer>;
};

type ActHttpOptions = {
  readonly session: Session;
  readonly clock: Clock;
  /** `system:serviceaccount:<namespace>:<name>` that requests are made as. */
  readonly impersonate?: string | undefined;
  /** Longest wait for one answer, in ms. */
  readonly timeoutMs?: number | undefined;
  /** Whose connections it takes; those of acts unless told. */
  readonly lane?: Lane;
};

const TIMEOUT_MS = 15_000;
const TRIES = 3;
const FIRST_WAIT_MS = 250;
// Longer waits are the caller's: a run sleeps durably.
const LONGEST_WAIT_MS = 5000;
const MAX_BYTES = 8 * 1024 * 1024;

/** The acting identity's way to the API server, over the connections and credentials of a session. */
export function createActHttp(options: ActHttpOptions): ActHttp {
  const { session, clock } = options;

  const once = async (request: ActRequest, context: ActContext): Promise<ActAnswer> => {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
    const signal = AbortSignal.any([context.signal, timeout]);
    try {
      const access = await session.access(options.lane ?? 'acts', signal);
      const { statusCode, headers, body } = await send(urlOf(access, request), {
        method: request.method,
        headers: headersOf(access, request, { context, options }),
        body: request.body === undefined ? null : JSON.stringify(request.body),
        dispatcher: access.dispatcher,
        signal,
      });
      const text = await readWhole(body);
      if (statusCode === 401) session.renew(access);
      const asker = subjectOf(access.headers.authorization);
      if (text === undefined) return { kind: 'lost', why: 'the answer is larger than any object' };
      return {
        kind: 'answered',
        status: statusCode,
        body: parseJson(text),
        warnings: parseWarnings(headers.warning),
        retryAfterMs: retryAfterOf(headers['retry-after']),
        subject: serviceAccountOf(options.impersonate) ?? asker,
        asker,
      };
    } catch (thrown) {
      return { kind: 'lost', why: lostBy(thrown, signal) };
    }
  };

  const withNewCredentials = async (request: ActRequest, context: ActContext): Promise<ActAnswer> => {
    const answer = await once(request, context);
    return answer.kind === 'answered' && answer.status === 401 ? once(request, context) : answer;
  };

  return {
    send: withNewCredentials,
    async ask(request, context) {
      let answer = await withNewCredentials(request, context);
      for (let tried = 1; tried < TRIES && isWorthAnother(answer); tried++) {
        const wait = waitMs(answer, tried);
        if (wait > LONGEST_WAIT_MS || !(await slept(clock, wait, context.signal))) return answer;
        answer = await withNewCredentials(request, context);
      }
      return answer;
    },
  };
}

/** Whether an answer says no more than that the API server cannot answer now. */
export function isOutOfOrder(status: number): boolean {
  return status === 429 || status >= 500 || status === 401 || status === 408;
}

/** What an answer that is no answer says. */
export function sayStatusOf({ status }: { readonly status: number }): string {
  if (status === 401) return 'the API server rejected the credentials (401)';
  if (status === 429) return 'the API server is overloaded (429)';
  return status >= 500 ? `the API server failed (${status})` : `the API server refused (${status})`;
}

function headersOf(
  access: Access,
  { contentType, body }: ActRequest,
  { context, options }: { context: ActContext; options: ActHttpOptions },
): Record<string, string> {
  return {
    ...access.headers,
    accept: 'application/json',
    'user-agent': userAgent(context),
    ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
    ...(options.impersonate !== undefined && { 'impersonate-user': options.impersonate }),
  };
}

async function readWhole(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

// A number of seconds; the form with a date is not used by the API server.
function retryAfterOf(header: string | string[] | undefined): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

function lostBy(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return tooSlow(thrown).detail;
  if (thrown instanceof OomError) return thrown.message.replace(/\.$/, '');
  return thrownFailure(thrown).detail;
}

function isWorthAnother(answer: ActAnswer): boolean {
  return answer.kind === 'lost' || (isOutOfOrder(answer.status) && answer.status !== 401);
}

function waitMs(answer: ActAnswer, tried: number): number {
  const asked = answer.kind === 'answered' ? answer.retryAfterMs : null;
  return asked ?? FIRST_WAIT_MS * 2 ** (tried - 1);
}

const MOST = 10;
const LONGEST = 300;

/** The texts of `Warning:` headers: `299 - "the words"`, several of them apart or joined by commas. */
function parseWarnings(header: string | readonly string[] | undefined): string[] {
  const joined = header === undefined ? [] : [header].flat();
  return joined
    .flatMap((one) => [...one.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)])
    .map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').slice(0, LONGEST))
    .filter((text, i, all) => text !== '' && all.indexOf(text) === i)
    .slice(0, MOST);
}

import { type Dispatcher, request } from 'undici';
import type { Clock, ReadContext } from '../app/ports.ts';
import { createAuthorization, type PrometheusAuth } from './credentials.ts';
import { type Answer, faultIn, parseAnswer, type Reason } from './prometheus-answer.ts';
import { type BodyText, readBody, whyUnreachable } from './response.ts';
import { createDispatcherSource, type TlsOptions } from './tls.ts';

export type ClientOptions = {
  readonly clock: Pick<Clock, 'limit'>;
  readonly baseUrl: string;
  readonly auth?: PrometheusAuth;
  readonly tls?: TlsOptions | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for one answer, in ms; 5,000 unless told. */
  readonly timeoutMs?: number;
  readonly dispatcher?: Dispatcher;
};

/** Asks one question of the HTTP API; parameters as in its documentation. Never throws. */
export type PrometheusClient = {
  ask(
    api: 'query' | 'query_range',
    parameters: Readonly<Record<string, string>>,
    context: ReadContext,
  ): Promise<Answer>;
};

const MAX_BODY_BYTES = 8 * 1024 * 1024;
const WHO = 'Prometheus';

type Method = 'POST' | 'GET';
type Question = {
  readonly url: string;
  readonly form: string;
  readonly context: ReadContext;
  readonly signal: AbortSignal;
};
type Reply = { readonly status: number; readonly body: BodyText };
/** Undefined where no call was left. */
type Send = (question: Question, method: Method, authorization: string | undefined) => Promise<Reply | undefined>;

export function createPrometheusClient(options: ClientOptions): PrometheusClient {
  const authorization = createAuthorization(options.auth ?? { kind: 'none' });
  const attempt = createSender(options);
  const base = options.baseUrl.replace(/\/+$/, '');
  // Some proxies before a Prometheus let only GET through; found out once.
  let usual: Method = 'POST';

  // A token may have been renewed since it was read, and POST may be forbidden: each is tried once more.
  async function exchange(question: Question): Promise<Answer> {
    const method = usual;
    let credentials = await authorization(false);
    let reply = await attempt(question, method, credentials);
    if (reply?.status === 401) {
      const before = credentials;
      credentials = await authorization(true);
      if (credentials !== before) reply = await attempt(question, method, credentials);
    }
    if (reply?.status === 405 && method === 'POST') {
      usual = 'GET';
      reply = await attempt(question, usual, credentials);
    }
    return reply === undefined ? none('budget', 'API call limit') : read(reply);
  }

  return {
    async ask(api, parameters, context) {
      const limit = options.clock.limit(options.timeoutMs ?? 5000);
      const signal = AbortSignal.any([context.signal, limit.signal]);
      try {
        const form = new URLSearchParams(parameters).toString();
        return await exchange({ url: `${base}/api/v1/${api}`, form, context, signal });
      } catch (thrown) {
        return { kind: 'none', ...whyUnreachable(thrown, WHO, signal) };
      } finally {
        limit.end();
      }
    },
  };
}

function createSender({ headers = {}, dispatcher: given, tls }: ClientOptions): Send {
  const dispatcherOf = given ? async () => given : createDispatcherSource(tls);
  return async ({ url, form, context, signal }, method, authorization) => {
    if (!context.budget.take('call')) return undefined;
    const { statusCode, body } = await request(method === 'GET' ? `${url}?${form}` : url, {
      method,
      signal,
      dispatcher: await dispatcherOf(),
      headers: {
        ...headers,
        accept: 'application/json',
        'user-agent': context.agent.replace(/[^\x20-\x7e]/g, '?'),
        ...(authorization !== undefined && { authorization }),
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: method === 'POST' ? form : null,
    });
    const text = await readBody(body, Math.min(MAX_BODY_BYTES, context.budget.bytesLeft));
    context.budget.addBytes(text.bytes);
    return { status: statusCode, body: text };
  };
}

function read({ status, body }: Reply): Answer {
  if (body.cut) return none('budget', 'byte limit');
  if (status === 200) return parseAnswer(body.text);
  if (status === 401 || status === 403) return none('forbidden', `Prometheus refused the credentials (${status})`);
  if (status === 429 || status >= 500)
    return faultIn(body.text) ?? none('unreachable', `Prometheus answered ${status}`);
  if (status >= 300 && status < 400) return none('failed', `Prometheus answered ${status}, maybe a login page`);
  if (status === 404) return none('failed', 'no Prometheus API at this address (404)');
  return faultIn(body.text) ?? none('failed', `Prometheus answered ${status}`);
}

function none(reason: Reason, detail: string): Answer {
  return { kind: 'none', reason, detail };
}

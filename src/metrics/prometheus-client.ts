import { type Dispatcher, request } from 'undici';
import type { ReadContext } from '../app/ports.ts';
import { type Answer, faultIn, parseAnswer, type Reason } from './answer.ts';
import { createAuthorization, type PrometheusAuth } from './credentials.ts';
import { type BodyText, readBody } from './read-body.ts';
import { createDispatcherSource, type TlsOptions } from './tls.ts';
import { whyUnreachable } from './why-unreachable.ts';

export type ClientOptions = {
  readonly baseUrl: string;
  readonly auth?: PrometheusAuth;
  readonly tls?: TlsOptions | undefined;
  readonly headers?: Readonly<Record<string, string>>;
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

type Reply = { readonly status: number; readonly body: BodyText };

export function createPrometheusClient(options: ClientOptions): PrometheusClient {
  const { timeoutMs = 5000, headers = {} } = options;
  const authorization = createAuthorization(options.auth ?? { kind: 'none' });
  const dispatcherOf = options.dispatcher ? async () => options.dispatcher : createDispatcherSource(options.tls);
  const base = options.baseUrl.replace(/\/+$/, '');
  // Some proxies before a Prometheus let only GET through; found out once.
  let method: 'POST' | 'GET' = 'POST';

  async function send(url: string, form: string, attempt: Attempt): Promise<Reply> {
    const { context, signal, fresh } = attempt;
    const credentials = await authorization(fresh);
    const dispatcher = await dispatcherOf();
    const { statusCode, body } = await request(method === 'GET' ? `${url}?${form}` : url, {
      method,
      signal,
      ...(dispatcher && { dispatcher }),
      headers: {
        ...headers,
        accept: 'application/json',
        'user-agent': context.agent.replace(/[^\x20-\x7e]/g, '?'),
        ...(credentials !== undefined && { authorization: credentials }),
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: method === 'POST' ? form : null,
    });
    const text = await readBody(body, Math.min(MAX_BODY_BYTES, context.budget.bytesLeft));
    context.budget.addBytes(text.bytes);
    return { status: statusCode, body: text };
  }

  // A token may have been renewed, and POST may be forbidden: each is tried once more.
  async function exchange(url: string, form: string, context: ReadContext, signal: AbortSignal): Promise<Answer> {
    let fresh = false;
    for (;;) {
      if (!context.budget.take('call')) return none('budget', 'no API calls were left for it');
      const reply = await send(url, form, { context, signal, fresh });
      if (reply.status === 401 && !fresh) fresh = true;
      else if (reply.status === 405 && method === 'POST') method = 'GET';
      else return read(reply);
    }
  }

  return {
    async ask(api, parameters, context) {
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
      try {
        return await exchange(`${base}/api/v1/${api}`, new URLSearchParams(parameters).toString(), context, signal);
      } catch (thrown) {
        return { kind: 'none', ...whyUnreachable(thrown, WHO, signal) };
      }
    },
  };
}

type Attempt = { readonly context: ReadContext; readonly signal: AbortSignal; readonly fresh: boolean };

function read({ status, body }: Reply): Answer {
  if (body.cut) return none('budget', `the answer is larger than the ${body.bytes} bytes left for it`);
  if (status === 200) return parseAnswer(body.text);
  if (status === 401 || status === 403) return none('forbidden', `Prometheus refused the credentials (${status})`);
  if (status === 429 || status >= 500)
    return faultIn(body.text) ?? none('unreachable', `Prometheus answered ${status}`);
  if (status >= 300 && status < 400) return none('failed', `Prometheus answered ${status}: perhaps a page to log in`);
  if (status === 404) return none('failed', 'there is no Prometheus API at this address (404)');
  return faultIn(body.text) ?? none('failed', `Prometheus answered ${status}`);
}

function none(reason: Reason, detail: string): Answer {
  return { kind: 'none', reason, detail };
}

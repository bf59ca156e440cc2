import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { close, headersOf, listen, readBody, wait } from '../loopback.ts';
import { evaluate, parseExpression, type StandinSeries } from './evaluate.ts';

export type { StandinSeries } from './evaluate.ts';

type StandinRequest = {
  readonly method: string;
  readonly path: string;
  readonly api: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
};

/** How the stand-in answers. All may be changed while it runs. */
export type StandinBehaviour = {
  series: readonly StandinSeries[];
  /** What Authorization must be; undefined lets everybody in. */
  authorization?: string | undefined;
  /** Answers instead of the API: a status, a body, or both; `drop` cuts the connection. */
  answer?: ((request: StandinRequest) => StandinAnswer | undefined) | undefined;
  /** Waits this long before each answer, in ms. */
  delayMs?: number | undefined;
  warnings?: readonly string[] | undefined;
  getOnly?: boolean | undefined;
};

type StandinAnswer = {
  readonly status?: number;
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly drop?: boolean;
};

export type PrometheusStandin = {
  readonly url: string;
  readonly requests: readonly StandinRequest[];
  readonly behaviour: StandinBehaviour;
  close(): Promise<void>;
};

/** A loopback double of the Prometheus HTTP API, fed with series as data. With `tls` it speaks HTTPS. */
export async function createPrometheusStandin(
  behaviour: StandinBehaviour,
  options: { readonly tls?: ServerOptions; readonly prefix?: string; readonly port?: number | undefined } = {},
): Promise<PrometheusStandin> {
  const requests: StandinRequest[] = [];
  const prefix = options.prefix ?? '';
  const listener: RequestListener = (request, response) => {
    serve(request, response, { behaviour, requests, prefix }).catch(() => response.destroy());
  };
  const server: Server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  const port = await listen(server, options.port);
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}${prefix}`,
    requests,
    behaviour,
    close: () => close(server),
  };
}

type Scene = { readonly behaviour: StandinBehaviour; readonly requests: StandinRequest[]; readonly prefix: string };

async function serve(incoming: IncomingMessage, response: ServerResponse, scene: Scene): Promise<void> {
  const { behaviour, requests } = scene;
  const request = await readRequest(incoming, scene.prefix);
  requests.push(request);
  if (behaviour.delayMs !== undefined) await wait(behaviour.delayMs, response);
  const own = behaviour.answer?.(request);
  if (own?.drop) {
    response.destroy();
    return;
  }
  if (own !== undefined) send(response, own.status ?? 200, own.body ?? '', own.type);
  else if (behaviour.authorization !== undefined && request.headers.authorization !== behaviour.authorization) {
    send(response, 401, 'Unauthorized\n', 'text/plain');
  } else if (behaviour.getOnly && request.method !== 'GET') send(response, 405, '', 'text/plain');
  else answerApi(request, response, behaviour);
}

function answerApi(request: StandinRequest, response: ServerResponse, behaviour: StandinBehaviour): void {
  const times = timesOf(request);
  if (times === undefined) {
    send(response, 404, '404 page not found\n', 'text/plain');
    return;
  }
  try {
    const found = evaluate(parseExpression(request.parameters.query ?? ''), behaviour.series, times);
    const range = request.api === 'query_range';
    const result = found.map(({ labels, points }) => {
      const pairs = points.map(([at, value]) => [at / 1000, textOf(value)]);
      return range ? { metric: labels, values: pairs } : { metric: labels, value: pairs[0] };
    });
    const data = { resultType: range ? 'matrix' : 'vector', result };
    const { warnings } = behaviour;
    send(response, 200, JSON.stringify({ status: 'success', data, ...(warnings && { warnings }) }));
  } catch (error) {
    const fault = { status: 'error', errorType: 'bad_data', error: error instanceof Error ? error.message : '' };
    send(response, 400, JSON.stringify(fault));
  }
}

function timesOf({ api, parameters }: StandinRequest): readonly number[] | undefined {
  if (api === 'query') return [Number(parameters.time) * 1000];
  if (api !== 'query_range') return undefined;
  const [start, end, step] = [parameters.start, parameters.end, parameters.step].map((text) => Number(text) * 1000);
  if (start === undefined || end === undefined || step === undefined || !(step > 0)) return undefined;
  return Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, i) => start + i * step);
}

function textOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

async function readRequest(incoming: IncomingMessage, prefix: string): Promise<StandinRequest> {
  const body = await readBody(incoming);
  const url = new URL(incoming.url ?? '/', 'http://standin');
  const form = incoming.method === 'POST' ? new URLSearchParams(body.toString()) : url.searchParams;
  const headers = headersOf(incoming);
  const api = url.pathname.startsWith(`${prefix}/api/v1/`) ? url.pathname.slice(`${prefix}/api/v1/`.length) : '';
  return { method: incoming.method ?? '', path: url.pathname, api, parameters: Object.fromEntries(form), headers };
}

function send(response: ServerResponse, status: number, body: string | Buffer, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

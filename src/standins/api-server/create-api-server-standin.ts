import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { deniedBy, unauthorised } from './access.ts';
import { type ApiFaults, createApiFaults } from './faults.ts';
import { getObject, listObjects, type ObjectRequest } from './objects.ts';
import { readPodLog } from './pod-logs.ts';
import type { ApiRequest } from './request.ts';
import { parseApiPath } from './resources.ts';
import { send } from './send.ts';
import { type Answer, refuse } from './status.ts';
import type { ApiWorld } from './world.ts';

export type { ApiRequest } from './request.ts';

export type ApiServerStandin = {
  readonly url: string;
  readonly world: ApiWorld;
  readonly requests: readonly ApiRequest[];
  readonly faults: ApiFaults;
  /** Connections made so far: each is a TLS handshake where TLS is spoken. */
  readonly connections: number;
  /** The bearer token that is let in; undefined lets everybody in. */
  token: string | undefined;
  /** Called with each request before it is answered: the place to change the world in between. */
  onRequest: ((request: ApiRequest) => void) | undefined;
  forgetRequests(): void;
  close(): Promise<void>;
};

export type ApiServerOptions = {
  readonly tls?: ServerOptions;
  readonly token?: string;
  /** Text that a pod's port answers through the pod proxy: `{ 'vllm-0:8000/metrics': '...' }`. */
  readonly proxied?: Readonly<Record<string, string>>;
};

/** A loopback double of the Kubernetes API server for reads: objects, lists, tables, logs, refusals and faults. With `tls` it speaks HTTPS. */
export async function createApiServerStandin(
  world: ApiWorld,
  options: ApiServerOptions = {},
): Promise<ApiServerStandin> {
  const requests: ApiRequest[] = [];
  const faults = createApiFaults();
  let connections = 0;
  const listener: RequestListener = (incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://standin');
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    );
    const request: ApiRequest = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      userAgent: headers['user-agent'] ?? '',
      status: 0,
      bytes: 0,
    };
    incoming.resume();
    requests.push(request);
    standin.onRequest?.(request);
    const answer = answerTo(request, standin, options);
    send(response, { answer, request, fault: faults.take(incoming.url ?? '') }).catch(() => response.destroy());
  };
  const server: Server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.on(options.tls ? 'secureConnection' : 'connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const standin: ApiServerStandin = {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    world,
    requests,
    faults,
    token: options.token,
    onRequest: undefined,
    get connections() {
      return connections;
    },
    forgetRequests: () => {
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return standin;
}

function answerTo(request: ApiRequest, standin: ApiServerStandin, options: ApiServerOptions): Answer {
  if (standin.token !== undefined && request.headers.authorization !== `Bearer ${standin.token}`) return unauthorised();
  const path = parseApiPath(request.path);
  if (path === undefined) return refuse(404, 'NotFound', 'the server could not find the requested resource');
  // Writes come with the issue that needs them: one handler beside the reads, by the resource's family.
  if (request.method !== 'GET') return refuse(405, 'MethodNotAllowed', 'the stand-in only reads');
  const verb = path.name === undefined ? 'list' : 'get';
  const denied = deniedBy(standin.world.denied, verb, path);
  if (denied !== undefined) return denied;
  const asked: ObjectRequest = { path, query: request.query, accept: request.headers.accept ?? '' };
  if (path.subresource === 'log') return readPodLog(standin.world, asked);
  if (path.subresource === 'proxy') return proxied(options.proxied?.[`${path.name}${path.rest}`]);
  if (path.subresource !== undefined) return refuse(404, 'NotFound', 'the stand-in has no such subresource');
  return path.name === undefined ? listObjects(standin.world, asked) : getObject(standin.world, asked);
}

function proxied(text: string | undefined): Answer {
  if (text === undefined) return refuse(503, 'ServiceUnavailable', 'no endpoints available');
  return { kind: 'text', status: 200, chunks: [text] };
}

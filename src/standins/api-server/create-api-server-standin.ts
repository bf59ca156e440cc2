import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ClusterInMemory, type ClusterOptions, createClusterInMemory } from './cluster-in-memory.ts';
import { answerControl, CONTROL } from './control.ts';
import { type ApiFaults, createApiFaults } from './faults.ts';
import { unauthorised } from './objects/access.ts';
import type { ApiRequest } from './objects/request.ts';
import type { ApiWorld } from './objects/world.ts';
import { serve } from './serve.ts';
import type { WriteEntry } from './write/write-log.ts';

export type { ApiRequest } from './objects/request.ts';

export type ApiServerStandin = {
  readonly url: string;
  readonly world: ApiWorld;
  /** What lives behind the API: time, controllers, admission, warnings. */
  readonly cluster: ClusterInMemory;
  readonly requests: readonly ApiRequest[];
  /** Every write that came in, with what became of it. Reviews of access are none. */
  readonly writes: readonly WriteEntry[];
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

export type ApiServerOptions = ClusterOptions & {
  readonly tls?: ServerOptions;
  readonly token?: string;
  /** Port to listen on; any free one unless told. */
  readonly port?: number;
  /** Serves `/_standin/...`, by which another process looks at it and moves it. */
  readonly control?: boolean;
};

/** A loopback double of the Kubernetes API server: objects, lists, tables, logs, patches, scales, reviews, refusals and faults. With `tls` it speaks HTTPS. */
export async function createApiServerStandin(
  world: ApiWorld,
  options: ApiServerOptions = {},
): Promise<ApiServerStandin> {
  const requests: ApiRequest[] = [];
  const writes: WriteEntry[] = [];
  const faults = createApiFaults();
  const cluster = createClusterInMemory(world, options);
  let connections = 0;
  const listener: RequestListener = (incoming, response) => {
    if (options.control && incoming.url?.startsWith(CONTROL)) return answerControl(standin, incoming, response);
    const request = toRequest(incoming);
    requests.push(request);
    const answer = (text: string): void => {
      standin.onRequest?.(request);
      const stranger =
        standin.token !== undefined && request.headers.authorization !== `Bearer ${standin.token}`
          ? unauthorised()
          : undefined;
      const fault = faults.take(request.method, incoming.url ?? '');
      serve(response, { cluster, writes, request, text, fault, stranger }).catch(() => response.destroy());
    };
    if (request.method !== 'GET') return void readBody(incoming).then(answer, () => response.destroy());
    incoming.resume();
    answer('');
  };
  const server: Server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.on(options.tls ? 'secureConnection' : 'connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const standin: ApiServerStandin = {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    world,
    cluster,
    requests,
    writes,
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

function toRequest(incoming: IncomingMessage): ApiRequest {
  const url = new URL(incoming.url ?? '/', 'http://standin');
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers,
    userAgent: headers['user-agent'] ?? '',
    status: 0,
    bytes: 0,
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('utf8');
}

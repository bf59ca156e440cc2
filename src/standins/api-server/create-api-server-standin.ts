import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { close, headersOf, listen, readBody } from '../loopback.ts';
import { type ClusterInMemory, type ClusterOptions, createClusterInMemory } from './cluster-in-memory.ts';
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
  /** Any, unless told. */
  readonly port?: number | undefined;
  /** Serves `/_standin/writes` and `/_standin/objects` of one namespace, by which another process looks at it; DELETE of the latter takes them away. */
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
    const shown = options.control ? control(incoming, standin) : undefined;
    if (shown !== undefined) return void response.end(JSON.stringify(shown));
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
    if (request.method !== 'GET') {
      return void readBody(incoming).then(
        (body) => answer(body.toString('utf8')),
        () => response.destroy(),
      );
    }
    incoming.resume();
    answer('');
  };
  const server: Server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.on(options.tls ? 'secureConnection' : 'connection', () => {
    connections += 1;
  });
  const port = await listen(server, options.port);
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
    close: () => close(server),
  };
  return standin;
}

function toRequest(incoming: IncomingMessage): ApiRequest {
  const url = new URL(incoming.url ?? '/', 'http://standin');
  const headers = headersOf(incoming);
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

function control({ method, url = '' }: IncomingMessage, { writes, world }: ApiServerStandin): unknown {
  const [, what, namespace] = /^\/_standin\/(writes|objects)\/([^/]+)$/.exec(url) ?? [];
  if (namespace === undefined) return undefined;
  if (what === 'writes') return writes.filter(({ path }) => path.includes(`/namespaces/${namespace}/`));
  const objects = world.objects.filter(({ metadata }) => metadata.namespace === namespace);
  if (method === 'DELETE') world.objects.splice(0, Infinity, ...world.objects.filter((one) => !objects.includes(one)));
  return objects;
}

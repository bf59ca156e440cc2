import { createServer, type Server, type ServerResponse } from 'node:http';
import { HTTPReceiver, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { Clock, Log } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { slackClientOptions } from './api/client.ts';
import { createSdkLogger } from './api/logger.ts';
import { createSocketLink } from './socket-link.ts';

export type Transport = {
  readonly receiver: Receiver;
  /** Begins to receive; answers the port on which it listens, if any. */
  start(): Promise<number | undefined>;
  /** Ends receiving; work under way goes on. */
  stop(): Promise<void>;
  readonly connected: boolean;
};

type TransportOptions = (
  | { readonly mode: 'socket'; readonly appToken: string; readonly healthPort?: number }
  | { readonly mode: 'http'; readonly signingSecret: string; readonly port: number }
) & {
  readonly apiUrl?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Asked by `/readyz`. */
  readonly ready: () => Promise<boolean>;
  readonly metrics?: MetricsPage | undefined;
};

export type MetricsPage = { text(): Promise<string>; readonly contentType: string };

/** The connection from Slack, and the health probes. */
export function createTransport(options: TransportOptions): Transport {
  return options.mode === 'socket' ? createSocketTransport(options) : createHttpTransport(options);
}

function createHttpTransport(options: Extract<TransportOptions, { mode: 'http' }>): Transport {
  const receiver = new HTTPReceiver({
    signingSecret: options.signingSecret,
    logger: createSdkLogger(options.log),
    customRoutes: ['/healthz', '/readyz', '/metrics'].map((path) => ({
      path,
      method: ['GET'],
      handler: (_request, response) => void answerProbe(path, options, response),
    })),
  });
  let listening = false;
  return {
    receiver,
    get connected() {
      return listening;
    },
    async start() {
      const server = await receiver.start(options.port);
      listening = true;
      return portOf(server);
    },
    async stop() {
      if (!listening) return;
      listening = false;
      await receiver.stop();
    },
  };
}

function createSocketTransport(options: Extract<TransportOptions, { mode: 'socket' }>): Transport {
  const { clock, log } = options;
  const receiver = new SocketModeReceiver({
    appToken: options.appToken,
    autoReconnectEnabled: false,
    logger: createSdkLogger(log),
    // The SDK hands these to its own client only by this detour.
    installerOptions: { clientOptions: slackClientOptions(options) },
  });
  const link = createSocketLink({ client: receiver.client, clock, log });
  const health = options.healthPort === undefined ? undefined : createProbeServer(options);
  return {
    receiver,
    get connected() {
      return link.connected;
    },
    async start() {
      const port = health === undefined ? undefined : await listen(health, options.healthPort ?? 0);
      await link.start().catch((error: unknown) => {
        throw new OomError('chat-refused', 'Socket Mode does not connect.', {
          next: 'Check SLACK_APP_TOKEN (xapp-…, with connections:write) and that Socket Mode is on in the Slack app.',
          cause: error,
        });
      });
      return port;
    },
    async stop() {
      health?.close();
      await link.stop();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve(portOf(server) ?? port));
  });
}

function portOf(server: { address(): ReturnType<Server['address']> }): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

type Probed = Pick<TransportOptions, 'ready' | 'metrics'>;

/** `/healthz`: the process answers. `/readyz`: it can serve. `/metrics`: for Prometheus. */
async function answerProbe(path: string, { ready, metrics }: Probed, response: ServerResponse): Promise<void> {
  if (path === '/metrics' && metrics !== undefined) return answerMetrics(metrics, response);
  const status =
    path === '/healthz' ? 200 : path === '/readyz' ? ((await ready().catch(() => false)) ? 200 : 503) : 404;
  const words = status === 200 ? 'ok' : status === 503 ? 'not ready' : 'not found';
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${words}\n`);
}

async function answerMetrics({ text, contentType }: MetricsPage, response: ServerResponse): Promise<void> {
  const page = await text().catch(() => undefined);
  if (page === undefined) response.writeHead(503).end();
  else response.writeHead(200, { 'content-type': contentType }).end(page);
}

/** The probes' own server, for Socket Mode, which needs no port otherwise. */
function createProbeServer(probed: Probed): Server {
  return createServer((request, response) => {
    void answerProbe(new URL(request.url ?? '/', 'http://health').pathname, probed, response);
  });
}

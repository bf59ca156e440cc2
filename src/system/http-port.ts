import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PortBody, PortHandler, PortReply } from '../app/http-ports.ts';
import type { Clock, Log } from '../app/ports.ts';

export type HttpPortOptions = {
  /** For log lines: `alert webhook`. */
  readonly name: string;
  readonly port: number;
  /** Address to listen on; all without it. */
  readonly host?: string;
  readonly limits: HttpLimits;
  readonly answer: PortHandler;
  readonly clock: Clock;
  readonly log: Log;
};

export type HttpLimits = {
  /** Longest body. */
  readonly bytes: number;
  readonly perMinute: number;
  readonly connections: number;
  /** Longest time for the headers of a request, and for all of it, in ms. */
  readonly headersMs: number;
  readonly requestMs: number;
};

export type HttpPort = { readonly port: number; stop(): Promise<void> };

/** Listens on a port of its own, within limits. Stopping ends after the answers that are under way. */
export async function openHttpPort(options: HttpPortOptions): Promise<HttpPort> {
  const { limits, clock, log, name } = options;
  const underWay = new Set<Promise<void>>();
  const isInRate = createRateGate(limits.perMinute, clock);
  const { headersMs: headersTimeout, requestMs: requestTimeout } = limits;
  const times = { headersTimeout, requestTimeout, connectionsCheckingInterval: headersTimeout / 4 };
  const server = createServer(times, (request, response) => {
    const work = serve({ ...options, isInRate }, request, response).catch((error) => {
      log.error('request failed', { port: name, error });
      response.destroy();
    });
    underWay.add(work);
    void work.then(() => underWay.delete(work));
  });
  server.maxConnections = limits.connections;
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(underWay);
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, { port, host }: HttpPortOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

const MINUTE_MS = 60_000;

/** True for the first `most` calls of each minute. */
export function createRateGate(most: number, clock: Pick<Clock, 'monotonic'>): () => boolean {
  let since = clock.monotonic();
  let count = 0;
  return () => {
    if (clock.monotonic() - since >= MINUTE_MS) {
      since = clock.monotonic();
      count = 0;
    }
    count += 1;
    return count <= most;
  };
}

type Serving = HttpPortOptions & { readonly isInRate: () => boolean };

async function serve(
  { answer, limits, isInRate }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let isRead = false;
  const reply = await answer({
    method: request.method ?? '',
    path: request.url ?? '',
    authorization: request.headers.authorization,
    isInRate,
    readBody: () => {
      isRead = true;
      return readBody(request, { most: limits.bytes, keep: true });
    },
  });
  // A sender whose body is left unread may see a reset in the place of the answer.
  if (!isRead && !request.complete) await readBody(request, { most: limits.bytes, keep: false });
  send(reply, request, response);
}

function send({ status, type, body }: PortReply, request: IncomingMessage, response: ServerResponse): void {
  const isLast = status >= 400 || !request.complete;
  response.writeHead(status, { 'content-type': type, ...(isLast && { connection: 'close' }) }).end(body);
  // The rest of a body that is too long is not read.
  if (!request.complete) response.once('finish', () => request.destroy());
}

type Reading = { readonly most: number; readonly keep: boolean };

function readBody(request: IncomingMessage, { most, keep }: Reading): Promise<PortBody> {
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.resolve({ kind: 'too-large' });
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    request.on('data', (piece: Uint8Array) => {
      bytes += piece.byteLength;
      if (bytes <= most) return void (keep && chunks.push(piece));
      chunks.length = 0;
      request.pause();
      resolve({ kind: 'too-large' });
    });
    const end = () =>
      resolve(request.complete ? { kind: 'text', text: Buffer.concat(chunks).toString('utf8') } : { kind: 'cut-off' });
    request.once('end', end).once('close', end).once('error', end);
  });
}

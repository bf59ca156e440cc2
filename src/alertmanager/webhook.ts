import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Meters } from '../app/meter-ports.ts';
import type { Clock, Log } from '../app/ports.ts';
import type { Alert } from '../model/alert.ts';
import { isAuthorized, type WebhookAuth } from './credentials.ts';
import { readPayload } from './payload.ts';

type WebhookOptions = {
  readonly port: number;
  readonly auth: WebhookAuth;
  /** Ends once the alerts are stored; rejects where they are not. */
  readonly take: (alerts: readonly Alert[]) => Promise<void>;
  readonly meters: Pick<Meters, 'count'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
};

type Limits = {
  /** Longest body, in bytes: a thousand alerts with their annotations have about one MB. */
  readonly bytes: number;
  readonly perMinute: number;
  readonly connections: number;
  /** Longest time for a request, in ms. */
  readonly requestMs: number;
};

const LIMITS: Limits = { bytes: 2_097_152, perMinute: 600, connections: 64, requestMs: 10_000 };
const MINUTE_MS = 60_000;

export type Webhook = { readonly port: number; stop(): Promise<void> };

type Reason = 'not-found' | 'too-many' | 'unauthorized' | 'too-large' | 'not-alerts' | 'store-failed' | 'cut-off';

type Answer = { readonly status: number; readonly refused?: Reason };

/**
 * Receives alerts from Alertmanager: `POST /v1/alerts` on a port of its own. 200 means that they are stored. Alertmanager
 * sends again what was answered with 5xx, and drops what was answered with 4xx.
 */
export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const limits = { ...LIMITS, ...options.limits };
  const underWay = new Set<Promise<void>>();
  const isInRate = rateOf(limits.perMinute, options.clock);
  const times = { headersTimeout: limits.requestMs / 2, requestTimeout: limits.requestMs };
  const server = createServer({ ...times, connectionsCheckingInterval: limits.requestMs / 4 }, (request, response) => {
    const work = reply({ ...options, limits, isInRate }, request, response).catch((error) =>
      options.log.error('alert webhook failed', { error }),
    );
    underWay.add(work);
    void work.then(() => underWay.delete(work));
  });
  server.maxConnections = limits.connections;
  await listen(server, options.port);
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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
}

/** True so many times in a minute. */
function rateOf(most: number, clock: Clock): () => boolean {
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

type Serving = WebhookOptions & { readonly limits: Limits; readonly isInRate: () => boolean };

async function reply(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, refused } = await answerTo(serving, request);
  if (refused !== undefined) {
    serving.meters.count('oombot_alert_requests_refused_total', { reason: refused });
    serving.log.warn('alerts refused', { status, why: refused });
  }
  // What is left of a body that is not wanted is not read.
  const headers = refused === undefined ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(`${refused ?? 'ok'}\n`);
  if (refused !== undefined && !request.complete) response.once('finish', () => request.destroy());
}

async function answerTo(serving: Serving, request: IncomingMessage): Promise<Answer> {
  const { auth, limits, isInRate, take, meters, log } = serving;
  if (request.method !== 'POST' || request.url !== '/v1/alerts') return { status: 404, refused: 'not-found' };
  // 503 and not 429, after which Alertmanager would not try again.
  if (!isInRate()) return { status: 503, refused: 'too-many' };
  if (!isAuthorized(auth, request.headers.authorization)) return { status: 401, refused: 'unauthorized' };
  const text = await readText(request, limits.bytes);
  if (text === undefined) return { status: 413, refused: 'too-large' };
  if (!request.complete) return { status: 400, refused: 'cut-off' };
  const read = readPayload(text);
  if (read.kind === 'bad') return { status: 400, refused: 'not-alerts' };
  if (read.unreadable > 0) meters.count('oombot_alerts_total', { result: 'unreadable' }, read.unreadable);
  try {
    await take(read.alerts);
    return { status: 200 };
  } catch (error) {
    log.error('alerts not stored', { error });
    return { status: 503, refused: 'store-failed' };
  }
}

// Undefined where it is too long; what was read of one that was cut off.
function readText(request: IncomingMessage, most: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    request.on('data', (piece: Uint8Array) => {
      bytes += piece.byteLength;
      if (bytes <= most) return chunks.push(piece);
      chunks.length = 0;
      request.pause();
      resolve(undefined);
    });
    const end = () => resolve(Buffer.concat(chunks).toString('utf8'));
    request.once('end', end).once('close', end).once('error', end);
  });
}

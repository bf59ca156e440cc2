import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

type Envelope = { readonly type: string; readonly payload: unknown; readonly acceptsResponse: boolean };

export type SocketSide = {
  /** Sends an envelope to one connection and waits for its ack; rejects where none is open or none came in time. */
  deliver(envelope: Envelope, timeoutMs: number): Promise<unknown>;
  /** What Slack does every few hours: says that it will close, and closes. */
  refresh(): void;
  /** A connection that dies without a word. */
  cut(): void;
  readonly connections: number;
  readonly opened: number;
  close(): void;
};

/**
 * Socket Mode on the same port as the API: `hello`, envelopes, acks. The SDK closes a connection whose last pong is five
 * seconds old by `Date`: for an app whose time is sped up, `pongEveryMs` sends pongs that nobody asked for.
 */
export function createSocketSide(server: Server, pongEveryMs?: number): SocketSide {
  const sockets = new WebSocketServer({ server, path: '/socket' });
  const acks: Acks = new Map();
  const open = new Set<WebSocket>();
  let opened = 0;
  let last = 0;

  sockets.on('connection', (socket) => {
    opened += 1;
    welcome(socket, open, acks);
  });

  const pongs = pongEveryMs && setInterval(() => pongAll(open), pongEveryMs);

  return {
    get connections() {
      return open.size;
    },
    get opened() {
      return opened;
    },
    deliver(envelope, timeoutMs) {
      // Each delivery goes to one connection only.
      const [socket] = open;
      if (socket === undefined) return Promise.reject(new Error('no Socket Mode connection is open'));
      last += 1;
      const id = `env-${last}`;
      const { type, payload, acceptsResponse } = envelope;
      const acked = waitForAck(acks, id, timeoutMs);
      socket.send(JSON.stringify({ envelope_id: id, type, payload, accepts_response_payload: acceptsResponse }));
      return acked;
    },
    refresh() {
      for (const socket of open) {
        socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
        open.delete(socket);
      }
    },
    cut() {
      for (const socket of open) socket.terminate();
    },
    close() {
      clearInterval(pongs);
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

function pongAll(open: ReadonlySet<WebSocket>): void {
  for (const socket of open) if (socket.readyState === socket.OPEN) socket.pong();
}

type Acks = Map<string, (payload: unknown) => void>;

function welcome(socket: WebSocket, open: Set<WebSocket>, acks: Acks): void {
  open.add(socket);
  socket.on('close', () => open.delete(socket));
  socket.on('error', () => open.delete(socket));
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { envelope_id?: string; payload?: unknown };
    acks.get(message.envelope_id ?? '')?.(message.payload);
  });
  socket.send(JSON.stringify({ type: 'hello', num_connections: open.size, connection_info: { app_id: 'A_APP' } }));
}

function waitForAck(acks: Acks, id: string, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      acks.delete(id);
      reject(new Error(`no ack for ${id} within ${timeoutMs} ms`));
    }, timeoutMs);
    acks.set(id, (payload) => {
      clearTimeout(timer);
      acks.delete(id);
      resolve(payload);
    });
  });
}

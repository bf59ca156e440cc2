import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen } from '../loopback.ts';
import { createFaults, type Faults } from './faults.ts';
import { deliverByHttp } from './http-delivery.ts';
import { createSender, type Sender } from './sender.ts';
import { createApiServer } from './server.ts';
import { createSocketSide, type SocketSide } from './socket.ts';
import { type Channel, createState, type SlackState } from './state.ts';

export type SlackStandin = {
  /** For `slackApiUrl`. */
  readonly apiUrl: string;
  readonly state: SlackState;
  readonly faults: Faults;
  readonly socket: SocketSide;
  /** People whose deeds reach the app's HTTP receiver, signed. */
  overHttp(app: {
    url: string;
    signingSecret: string;
    skewSeconds?: number;
    headers?: Readonly<Record<string, string>>;
  }): Sender;
  /** People whose deeds reach the app over its Socket Mode connection. */
  overSocket(): Sender;
  addChannel(id: string, as?: Partial<Omit<Channel, 'id'>>): void;
  /** Called after each call of the app and each delivery to it; answers what ends that. */
  subscribe(listener: () => void): () => void;
  /** Ends when `look` gives something; rejects, with what was last seen, after `withinMs`. */
  until<T>(what: string, look: () => T | undefined | false, withinMs?: number): Promise<T>;
  close(): Promise<void>;
};

type SlackStandinOptions = {
  /** Time of messages and response URLs, in epoch ms. */
  readonly now?: () => number;
  /** Time of trigger ids, in ms. */
  readonly monotonic?: () => number;
  readonly pongEveryMs?: number;
};

const ACK_MS = 3_000;
const LOOK_EVERY_MS = 2;

/** Slack on 127.0.0.1: it keeps what is posted, refuses what Slack refuses, and goes wrong when told to. */
export async function createSlackStandin(options: SlackStandinOptions = {}): Promise<SlackStandin> {
  const now = options.now ?? (() => Date.now());
  const monotonic = options.monotonic ?? (() => performance.now());
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const state = createState();
  const faults = createFaults();
  let port = 0;
  const baseUrl = () => `http://127.0.0.1:${port}/`;
  const socketUrl = () => `ws://127.0.0.1:${port}/socket`;
  const server = createApiServer({ state, now, monotonic, baseUrl, socketUrl }, faults, changed);
  const socket = createSocketSide(server, options.pongEveryMs);
  port = await listen(server);
  const base = { baseUrl, now, monotonic, changed };

  return {
    apiUrl: `${baseUrl()}api/`,
    state,
    faults,
    socket,
    overHttp: (app) => createSender(state, { ...base, deliver: deliverByHttp({ now, ...app }) }),
    overSocket: () =>
      createSender(state, {
        ...base,
        deliver: async (type, payload) => {
          const began = performance.now();
          const body = await socket.deliver({ type, payload, acceptsResponse: type !== 'events_api' }, ACK_MS);
          return { status: 200, body, ms: performance.now() - began };
        },
      }),
    addChannel(id, as = {}) {
      state.channels.set(id, {
        id,
        name: id.toLowerCase(),
        isMember: true,
        isArchived: false,
        isExtShared: false,
        ...as,
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    until: (what, look, withinMs = HANGS_MS) => until(what, look, withinMs),
    async close() {
      listeners.clear();
      socket.close();
      await close(server);
    },
  };
}

// No measure of speed: what takes as long does not come at all, on the slowest machine.
const HANGS_MS = 40_000;

async function until<T>(what: string, look: () => T | undefined | false, withinMs: number): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

import type { Dispatcher } from 'undici';
import type { Clock } from '../../app/ports.ts';
import { type Agents, createAgents, type Lane, markOf } from './agents.ts';
import type { Credentials, Material } from './credentials.ts';

export type Access = {
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
};

/** Credentials that are kept fresh, and the connections that go with them. */
export type Session = {
  access(lane: Lane, signal: AbortSignal): Promise<Access>;
  /** Reads the credentials again, after a 401 to the request that was sent with `used`. */
  renew(used: Access): void;
  namespace(signal: AbortSignal): Promise<string | undefined>;
  close(): Promise<void>;
};

type Held = {
  readonly credentials: Credentials;
  readonly material: Material;
  readonly agents: Agents;
  readonly mark: string;
  readonly readAt: number;
};

const FRESH_MS = 30_000;

/** A session over credentials that are loaded when first needed and looked at again every 30 s. */
export function createSession(load: () => Promise<Credentials>, clock: Clock): Session {
  let held: Held | undefined;
  // One reading at a time: plugins would else be started once per request.
  let reading: Promise<Held> | undefined;
  let renewing = false;

  const read = async (): Promise<Held> => {
    const before = held;
    const credentials = before === undefined || renewing ? await load() : before.credentials;
    const material = await credentials.material();
    const mark = markOf(material);
    const same = before !== undefined && before.mark === mark;
    const agents = same ? before.agents : createAgents(material, credentials.proxy);
    if (!same) void before?.agents.close();
    renewing = false;
    held = { credentials, material, agents, mark, readAt: clock.monotonic() };
    return held;
  };

  const current = (signal: AbortSignal): Promise<Held> => {
    if (held !== undefined && !renewing && clock.monotonic() - held.readAt < FRESH_MS) return Promise.resolve(held);
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return orAbort(reading, signal);
  };

  return {
    async access(lane, signal) {
      const { credentials, material, agents } = await current(signal);
      return { server: credentials.server, headers: material.headers, dispatcher: agents.of(lane) };
    },
    renew(used) {
      // Another request may have renewed them meanwhile.
      if (held?.material.headers === used.headers) renewing = true;
    },
    namespace: async (signal) => (await current(signal)).credentials.namespace,
    async close() {
      await held?.agents.close();
      held = undefined;
    },
  };
}

// A plugin that hangs must not hold a request beyond its deadline.
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

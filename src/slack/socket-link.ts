import type { SocketModeReceiver } from '@slack/bolt';
import type { Clock, Log } from '../app/ports.ts';

type Client = SocketModeReceiver['client'];

type SocketLink = {
  /** Connects for the first time; rejects where that fails, so that a wrong token is seen at the start. */
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly connected: boolean;
};

type LinkDeps = { readonly client: Client; readonly clock: Clock; readonly log: Log };

const LONGEST_WAIT_MS = 30_000;
const CLOSE_MS = 2_000;

/**
 * Keeps a Socket Mode connection. The SDK's own way of reconnecting leaves a gap of five seconds at each of Slack's regular
 * closings, and ends the process with an unhandled rejection where Slack is down for longer than its retries.
 */
export function createSocketLink(deps: LinkDeps): SocketLink {
  const { client, clock } = deps;
  const over = new AbortController();
  let connected = false;
  let reconnecting = false;

  client.on('connected', () => {
    connected = true;
  });
  client.on('disconnected', () => {
    connected = false;
    void reconnect();
  });

  const reconnect = async (): Promise<void> => {
    if (reconnecting || over.signal.aborted) return;
    reconnecting = true;
    await connectAgain(deps, over.signal, () => connected);
    reconnecting = false;
  };

  return {
    get connected() {
      return connected;
    },
    async start() {
      // Until this first attempt has ended, a closing is its failure and not a reason to reconnect.
      reconnecting = true;
      try {
        await client.start();
      } finally {
        reconnecting = false;
      }
    },
    async stop() {
      over.abort(new Error('stopping'));
      const enough = new AbortController();
      await Promise.race([client.disconnect(), clock.sleep(CLOSE_MS, enough.signal).catch(() => undefined)]);
      enough.abort();
      connected = false;
    },
  };
}

async function connectAgain(deps: LinkDeps, over: AbortSignal, connected: () => boolean): Promise<void> {
  for (let failures = 0; !connected() && !over.aborted; failures += 1) {
    const wait = failures === 0 ? 0 : Math.min(LONGEST_WAIT_MS, 500 * 2 ** failures);
    await deps.clock.sleep(wait, over).catch(() => undefined);
    if (over.aborted) return;
    await deps.client
      .start()
      .catch((error: unknown) => deps.log.warn('socket mode does not connect', { failures, error }));
  }
}

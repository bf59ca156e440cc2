import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

export type AckOrder = {
  /** What went out of this process, other than to the receiver, before the delivery at hand was acknowledged. */
  readonly tooEarly: readonly string[];
  stop(): void;
};

const RECEIVER = '/slack/events';

/** Watches one delivery at a time: every request of ours must find the receiver's response already ended. */
export function watchAckOrder(): AckOrder {
  const tooEarly: string[] = [];
  let response: ServerResponse | undefined;
  const received = (message: unknown): void => {
    const seen = message as { request: IncomingMessage; response: ServerResponse };
    if (seen.request.url === RECEIVER) response = seen.response;
  };
  const sent = (path: string): void => {
    // The stand-in's own delivery is no call of ours.
    if (path === RECEIVER) return;
    if (response !== undefined && !response.writableEnded) tooEarly.push(path);
  };
  const byClient = (message: unknown): void => sent((message as { request: { path: string } }).request.path);
  const watched = {
    'http.server.request.start': received,
    'undici:request:create': byClient,
    'http.client.request.created': byClient,
  };
  for (const [channel, listener] of Object.entries(watched)) subscribe(channel, listener);
  return {
    tooEarly,
    stop() {
      for (const [channel, listener] of Object.entries(watched)) unsubscribe(channel, listener);
    },
  };
}

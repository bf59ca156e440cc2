import { createHmac } from 'node:crypto';
import { parseJson } from '../../model/json-file.ts';
import type { Deliver } from './sender.ts';

/** Delivers over HTTP to the app's receiver, signed as Slack signs. `skewSeconds` makes an old signature. */
export function deliverByHttp(options: {
  url: string;
  signingSecret: string;
  now: () => number;
  skewSeconds?: number;
  headers?: Readonly<Record<string, string>>;
}): Deliver {
  return async (kind, body) => {
    const isEvent = kind === 'events_api';
    const raw = isEvent ? JSON.stringify(body) : formOf(kind, body);
    const stamp = String(Math.floor(options.now() / 1000) - (options.skewSeconds ?? 0));
    const hash = createHmac('sha256', options.signingSecret).update(`v0:${stamp}:${raw}`).digest('hex');
    const began = performance.now();
    const response = await fetch(options.url, {
      method: 'POST',
      headers: {
        'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': stamp,
        'x-slack-signature': `v0=${hash}`,
        ...options.headers,
      },
      body: raw,
      signal: AbortSignal.timeout(4_000),
    });
    const text = await response.text();
    return { status: response.status, body: parseJson(text) ?? text, ms: performance.now() - began };
  };
}

function formOf(kind: string, body: Record<string, unknown>): string {
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(body) }).toString();
  return new URLSearchParams(
    Object.entries(body).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  ).toString();
}

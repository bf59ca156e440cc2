import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { createBoundedMap } from './bounded-map.ts';

export type Fetch = typeof globalThis.fetch;

// Slack's own limits of one response_url.
const USES = 5;
const LIVES_MS = 30 * 60_000;
const REMEMBERED = 1000;

export type ResponseUrls = {
  /** How often the address was used; undefined where it cannot be used any more. */
  used(url: string): number | undefined;
  /** Posts to it once. Throws the SDK's own errors, so that they are judged alike. */
  post(url: string, body: Readonly<Record<string, unknown>>): Promise<void>;
};

/** Keeps count of the uses of each response_url: five within half an hour. */
export function createResponseUrls(options: { fetch: Fetch; now: () => number; timeoutMs: number }): ResponseUrls {
  const seen = createBoundedMap<{ uses: number; readonly since: number }>(REMEMBERED);

  return {
    used(url) {
      const entry = seen.get(url);
      if (entry === undefined) return 0;
      return entry.uses >= USES || options.now() - entry.since > LIVES_MS ? undefined : entry.uses;
    },
    async post(url, body) {
      const entry = seen.get(url) ?? { uses: 0, since: options.now() };
      entry.uses += 1;
      seen.set(url, entry);
      await postOnce(options, url, body);
    },
  };
}

async function postOnce(
  options: { fetch: Fetch; timeoutMs: number },
  url: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const response = await options
    .fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(options.timeoutMs),
    })
    .catch((error: unknown) => {
      throw new WebAPIRequestError(error instanceof Error ? error : new Error(String(error)));
    });
  const text = await response.text();
  if (response.ok && !text.includes('"ok":false')) return;
  if (response.status === 429) throw new WebAPIRateLimitedError(Number(response.headers.get('retry-after') ?? 1));
  if (response.status >= 500) throw new WebAPIHTTPError(response.status, response.statusText, {}, undefined);
  throw new WebAPIPlatformError({ ok: false, error: errorIn(text) });
}

function errorIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : 'invalid_payload';
  } catch {
    // Some answers are the bare word of the error.
    return /^[a-z_]{2,80}$/.test(text.trim()) ? text.trim() : 'invalid_payload';
  }
}

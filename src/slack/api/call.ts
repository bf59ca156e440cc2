import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import type { Clock } from '../../app/ports.ts';

export type CallOutcome<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** `retryMs`: Slack may take it later, so long from now. */
  | { readonly kind: 'failed'; readonly code: string; readonly details: readonly string[]; readonly retryMs?: number };

export type CallOptions = {
  /** Longest time for all attempts, waits included. */
  readonly withinMs: number;
  /** A call that may reach Slack twice without harm; a post may not, since the lost answer of one leaves two messages. */
  readonly repeatable: boolean;
  readonly onRateLimit?: () => void;
  readonly onRetry?: () => void;
  /** Longest time for waits that Slack asks for, where that is more than `withinMs`. */
  readonly patienceMs?: number;
  /** Ends all waits. */
  readonly signal?: AbortSignal | undefined;
};

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
// The request never left, so nothing can be done twice.
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Calls Slack until it answers, an answer is final, or the time is up. Never throws for what Slack or the network does. */
export async function callSlack<T>(
  clock: Clock,
  attempt: () => Promise<T>,
  options: CallOptions,
): Promise<CallOutcome<T>> {
  const began = clock.monotonic();
  for (let count = 1; ; count += 1) {
    try {
      return { kind: 'ok', value: await attempt() };
    } catch (thrown) {
      const fault = classify(thrown);
      if (fault.code === 'ratelimited') options.onRateLimit?.();
      const wait = fault.waitMs ?? FIRST_WAIT_MS * 2 ** (count - 1);
      const isInTime = clock.monotonic() - began + wait <= patienceFor(fault, options);
      const goesOn = count < ATTEMPTS && isInTime && mayRepeat(fault, options);
      if (goesOn && (await waitFor(clock, wait, options.signal))) {
        options.onRetry?.();
        continue;
      }
      const { code, details } = fault;
      return { kind: 'failed', code, details, ...(fault.again !== 'never' && { retryMs: wait }) };
    }
  }
}

function mayRepeat({ again }: Fault, { repeatable }: CallOptions): boolean {
  return again === 'always' || (again === 'if-repeatable' && repeatable);
}

function patienceFor({ waitMs }: Fault, { withinMs, patienceMs = withinMs }: CallOptions): number {
  return waitMs === undefined ? withinMs : patienceMs;
}

/** Answers whether it was waited for: not if `signal` ended it. */
export async function waitFor(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

type Fault = {
  readonly code: string;
  readonly again: 'never' | 'if-repeatable' | 'always';
  readonly waitMs?: number;
  readonly details: readonly string[];
};

function classify(thrown: unknown): Fault {
  if (thrown instanceof WebAPIRateLimitedError)
    return { code: 'ratelimited', again: 'always', waitMs: thrown.retryAfter * 1000, details: [] };
  if (thrown instanceof WebAPIPlatformError) return ofPlatform(thrown);
  // 5xx: Slack says that it did not do it.
  if (thrown instanceof WebAPIHTTPError)
    return {
      code: 'unreachable',
      again: thrown.statusCode >= 500 ? 'always' : 'never',
      details: [`HTTP ${thrown.statusCode}`],
    };
  if (thrown instanceof WebAPIRequestError) return ofRequest(thrown.original);
  return { code: 'internal', again: 'never', details: [thrown instanceof Error ? thrown.name : typeof thrown] };
}

// Slack's words for "not now", with HTTP 200 and without a time to wait.
const NOT_NOW: ReadonlySet<string> = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

function ofPlatform(thrown: WebAPIPlatformError): Fault {
  const { error } = thrown.data;
  const details = thrown.data.response_metadata?.messages ?? [];
  if (NOT_NOW.has(error)) return { code: 'ratelimited', again: 'always', details: [error, ...details] };
  if (error === 'external_channel_migrating') return { code: error, again: 'always', details };
  // Slack's own words for "not done, try again"; an HTML page instead of JSON comes here too, as its whole text.
  if (['internal_error', 'fatal_error', 'service_unavailable', 'team_added_to_org', 'request_timeout'].includes(error))
    return { code: error, again: 'if-repeatable', details };
  if (!/^[a-z_]{2,80}$/.test(error)) return { code: 'unreachable', again: 'if-repeatable', details: ['no JSON'] };
  return { code: error, again: 'never', details };
}

function ofRequest(cause: Error): Fault {
  const code = codeOf(cause);
  if (cause.name === 'TimeoutError') return { code: 'deadline', again: 'if-repeatable', details: [] };
  return { code: 'unreachable', again: NEVER_SENT.has(code) ? 'always' : 'if-repeatable', details: [code] };
}

function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0], depth + 1);
  return codeOf(error.cause, depth + 1);
}

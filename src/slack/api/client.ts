import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Log } from '../../app/ports.ts';
import { createSdkLogger } from './logger.ts';

type SlackClientOptions = {
  readonly token: string;
  /** Base address of the Web API; Slack's own where it is left out. */
  readonly apiUrl?: string;
  /** Deadline of one request; the SDK's default is none. */
  readonly timeoutMs?: number;
  readonly log: Log;
};

const TIMEOUT_MS = 10_000;

/**
 * Options of every Slack client of ours. The SDK retries for half an hour and halts all calls for one 429, so both are
 * switched off; chat.ts retries by itself, with deadlines, and knows which calls may be repeated.
 */
export function slackClientOptions(options: Omit<SlackClientOptions, 'token'>): WebClientOptions {
  return {
    ...(options.apiUrl === undefined ? {} : { slackApiUrl: options.apiUrl }),
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: createSdkLogger(options.log),
  };
}

/** A Web API client with a deadline and without retries of its own. */
export function createSlackClient(options: SlackClientOptions): WebClient {
  return new WebClient(options.token, slackClientOptions(options));
}

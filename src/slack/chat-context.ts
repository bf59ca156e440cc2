import type { WebClient } from '@slack/web-api';
import type { Clock, Log, PostOutcome } from '../app/ports.ts';
import type { MessageRef } from '../model/incident.ts';
import { createBoundedMap } from './api/bounded-map.ts';
import { type CallOutcome, callSlack } from './api/call.ts';
import type { HomeAnswers } from './api/home-answers.ts';
import { nextStep } from './api/refusals.ts';
import { createResponseUrls, type Fetch, type ResponseUrls } from './api/response-url.ts';
import { createStubborn, type Stubborn } from './api/stubborn.ts';
import type { ChatCounters, Delivered } from './deliver.ts';

export type SlackChatOptions = {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: ChatCounters;
  /** Name of the bot as it is invited; `oombot` where it is left out. */
  readonly botName?: string;
  /** Takes answers to clicks in the Home tab, which is no conversation; they are lost where it is left out. */
  readonly home?: HomeAnswers;
  /** What is typed before the words of the bot; `/oom` where it is left out. */
  readonly commandName?: string;
  /** Longest time for one message, waits for 429 included; 30 s where it is left out. */
  readonly withinMs?: number;
  /** Ends waits that Slack asks for. */
  readonly signal?: AbortSignal;
  /** For response_url; the fetch of the moment of construction where it is left out. */
  readonly fetch?: Fetch;
};

/** All that one chat remembers. */
export type Context = Required<Omit<SlackChatOptions, 'fetch' | 'signal' | 'home'>> & {
  readonly home: HomeAnswers | undefined;
  readonly signal: AbortSignal | undefined;
  readonly urls: ResponseUrls;
  readonly stubborn: Stubborn;
  /** Parent of each reply, and where a message went that could not be changed any more. */
  readonly parents: Map<string, MessageRef>;
  readonly moved: Map<string, MessageRef>;
  /** Permalinks, which never change. */
  readonly links: Map<string, string>;
};

export function createContext(options: SlackChatOptions): Context {
  const fetch = options.fetch ?? globalThis.fetch;
  return {
    ...options,
    signal: options.signal,
    home: options.home,
    botName: options.botName ?? 'oombot',
    commandName: options.commandName ?? '/oom',
    stubborn: createStubborn(options.clock, () => answers(options)),
    withinMs: options.withinMs ?? 30_000,
    urls: createResponseUrls({ fetch, now: () => options.clock.monotonic(), timeoutMs: 5_000 }),
    parents: createBoundedMap(1000),
    moved: createBoundedMap(1000),
    links: createBoundedMap(1000),
  };
}

async function answers({ client, clock }: SlackChatOptions): Promise<boolean> {
  return (await callSlack(clock, () => client.auth.test(), { withinMs: 5_000, repeatable: false })).kind === 'ok';
}

/** What became of a message, and what a refusal asks people to do. */
export function concluded<T>(
  context: Context,
  method: string,
  { outcome, plain }: Delivered<T>,
  refOf: (answer: T) => MessageRef,
): PostOutcome {
  if (outcome.kind === 'ok') return { kind: 'posted', ref: refOf(outcome.value), plain };
  context.counters.refused += 1;
  const { code, details, retryMs } = outcome as Extract<CallOutcome<T>, { kind: 'failed' }>;
  context.log.warn('message refused', { method, code, details });
  return { kind: 'refused', code, next: nextStep(code, context.botName), retryMs };
}

/** One message, as a key. */
export function keyOf(ref: MessageRef): string {
  return `${ref.conversation} ${ref.ts}`;
}

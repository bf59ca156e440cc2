import type { Clock, Log } from '../app/ports.ts';
import type { Message } from '../model/message.ts';
import { type CallOptions, type CallOutcome, callSlack } from './api/call.ts';
import { isOfPlace } from './api/refusals.ts';
import type { Stubborn } from './api/stubborn.ts';
import { type Drawing, drawMessage, type SlackBlock } from './draw/message.ts';
import { drawPlain } from './draw/plain.ts';
import { formatProblem, type LimitProblem, validateMessage } from './limits/message-limits.ts';

/** Messages sent as plain text instead of blocks, messages that could not be sent at all, answers 429, and calls that were tried again. */
export type ChatCounters = { replaced: number; refused: number; rateLimited: number; retried: number };

export function createChatCounters(): ChatCounters {
  return { replaced: 0, refused: 0, rateLimited: 0, retried: 0 };
}

export type DeliverDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: ChatCounters;
  readonly stubborn: Stubborn;
  /** What is typed before the words of the bot. */
  readonly commandName: string;
};

/** A message as drawn and checked. */
export type Draft = { readonly message: Message; readonly drawn: Drawing; readonly problems: readonly LimitProblem[] };
export type Content = { readonly text: string; readonly blocks?: SlackBlock[] };
export type Delivered<T> = { readonly outcome: CallOutcome<T>; readonly plain: boolean };

/** Draws a message and checks it; for updates the text may be less long. */
export function draft(message: Message, method: 'post' | 'update'): Draft {
  const drawn = drawMessage(message);
  return { message, drawn, problems: validateMessage(drawn, method) };
}

// Slack no longer lets the message be changed, or it is gone: plain text would be refused as well.
const GONE = new Set(['message_not_found', 'edit_window_closed', 'cant_update_message']);

export function isGone(outcome: CallOutcome<unknown>): boolean {
  return outcome.kind === 'failed' && GONE.has(outcome.code);
}

// The message that it replies to is gone, or is a reply itself.
const NO_THREAD = new Set(['thread_not_found', 'cannot_reply_to_message']);

export function hasNoThread(outcome: CallOutcome<unknown>): boolean {
  return outcome.kind === 'failed' && NO_THREAD.has(outcome.code);
}

/** `isLastChance`: nobody sends it again if Slack has a fault that passes. Else `key` names the message at each attempt. */
type DeliverOptions = Omit<CallOptions, 'onRateLimit' | 'onRetry'> & {
  readonly isLastChance?: boolean;
  readonly key?: string;
};

/** Sends blocks, and plain text once where the blocks break a limit or Slack refuses them. `newest` is asked before each attempt. */
export async function deliver<T>(
  deps: DeliverDeps,
  newest: () => Draft,
  send: (content: Content) => Promise<T>,
  { isLastChance = false, key, ...options }: DeliverOptions,
): Promise<Delivered<T>> {
  const call = (content: () => Content): Promise<CallOutcome<T>> =>
    callSlack(deps.clock, () => send(content()), {
      ...options,
      onRateLimit: () => {
        deps.counters.rateLimited += 1;
      },
      onRetry: () => {
        deps.counters.retried += 1;
      },
    });
  const { problems } = newest();
  const outcome: CallOutcome<T> =
    problems.length === 0
      ? await call(() => newest().drawn)
      : { kind: 'failed', code: 'own-check', details: problems.slice(0, 5).map(formatProblem) };
  if (outcome.kind === 'ok') deps.stubborn.accept(key);
  if (outcome.kind === 'ok' || isOfPlace(outcome.code) || isGone(outcome) || hasNoThread(outcome))
    return { outcome, plain: false };
  // Plain text has no buttons.
  const isPassing = outcome.retryMs !== undefined && !isLastChance;
  if (isPassing && !(await deps.stubborn.refuse(key, outcome.code))) return { outcome, plain: false };

  deps.counters.replaced += 1;
  deps.log.warn('message replaced by plain text', { code: outcome.code, details: outcome.details });
  return { outcome: await call(() => ({ text: drawPlain(newest().message, deps.commandName) })), plain: true };
}

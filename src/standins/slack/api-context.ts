import { formatProblem, type LimitProblem } from '../../slack/limits/message-limits.ts';
import type { SlackState } from './state.ts';

export type Args = Readonly<Record<string, unknown>>;
export type Answer = { readonly ok: boolean; readonly error?: string } & Readonly<Record<string, unknown>>;

export type ApiContext = {
  readonly state: SlackState;
  /** Time of messages and response URLs, in epoch ms. */
  readonly now: () => number;
  /** Time of trigger ids, in ms from any start: a person clicks in real time, whatever the clock of the messages says. */
  readonly monotonic: () => number;
  readonly baseUrl: () => string;
  readonly socketUrl: () => string;
};

export type Method = (context: ApiContext, args: Args) => Answer;

export const refuse = (error: string, more: Record<string, unknown> = {}): Answer => ({ ok: false, error, ...more });

/** A refusal for what breaks Slack's limits, with the same details that Slack gives; undefined if nothing does. */
export function refuseProblems(problems: readonly LimitProblem[]): Answer | undefined {
  if (problems.length === 0) return undefined;
  return refuse(problems[0]?.code ?? 'invalid_blocks', {
    response_metadata: { messages: problems.map(formatProblem) },
  });
}

/** Refuses what Slack refuses for the place: unknown, archived, or without the bot. */
export function refusePlace(state: SlackState, id: string): Answer | undefined {
  const channel = state.channels.get(id);
  if (channel === undefined) return refuse('channel_not_found');
  if (channel.isArchived) return refuse('is_archived');
  return channel.isMember ? undefined : refuse('not_in_channel');
}

export function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

import type { Asker, PostOutcome } from '../app/ports.ts';
import { backoffMs } from '../model/backoff.ts';
import type { Message } from '../model/message.ts';
import { waitFor } from './api/call.ts';
import { isHome } from './api/home-answers.ts';
import { type Context, concluded } from './chat-context.ts';
import { type Content, deliver, draft } from './deliver.ts';

const PATIENCE_MS = 15 * 60_000;
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 60_000;

/** Answers one person alone. No outbox posts it, so it waits here while Slack is away. */
export async function whisper(context: Context, asker: Asker, message: Message): Promise<PostOutcome> {
  if (isHome(asker) && context.home !== undefined) return context.home.add(asker, message);
  const { clock, signal } = context;
  const until = clock.monotonic() + PATIENCE_MS;
  for (let i = 0; ; i += 1) {
    const outcome = await whisperOnce(context, asker, message);
    if (outcome.kind === 'posted' || outcome.retryMs === undefined) return outcome;
    const waitMs = Math.max(outcome.retryMs, backoffMs(i, FIRST_WAIT_MS, LONGEST_WAIT_MS));
    if (clock.monotonic() + waitMs > until || !(await waitFor(clock, waitMs, signal))) return outcome;
  }
}

// The first use of response_url works where the bot is no member; the others are kept for when nothing else does.
async function whisperOnce(context: Context, asker: Asker, message: Message): Promise<PostOutcome> {
  const drafted = draft(message, 'post');
  const { withinMs, signal } = context;
  const options = { withinMs, patienceMs: PATIENCE_MS, signal, repeatable: false, isLastChance: true };
  const url = asker.responseUrl;
  const ephemeral = { response_type: 'ephemeral', replace_original: false } as const;
  const byUrl = (address: string) =>
    deliver(
      context,
      () => drafted,
      (content) => context.urls.post(address, { ...ephemeral, ...content }),
      options,
    );
  const ref = { conversation: asker.conversation, ts: 'ephemeral' };

  if (url !== undefined && context.urls.used(url) === 0) {
    const answered = await byUrl(url);
    if (answered.outcome.kind === 'ok') return { kind: 'posted', ref, plain: answered.plain };
  }
  const place = { channel: asker.conversation, user: asker.user };
  const send = (content: Content) => context.client.chat.postEphemeral({ ...place, ...content });
  const posted = await deliver(context, () => drafted, send, options);
  if (posted.outcome.kind === 'failed' && url !== undefined && context.urls.used(url) !== undefined) {
    const answered = await byUrl(url);
    if (answered.outcome.kind === 'ok') return { kind: 'posted', ref, plain: answered.plain };
  }
  return concluded(context, 'chat.postEphemeral', posted, () => ref);
}

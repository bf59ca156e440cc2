import type { WebClient } from '@slack/web-api';
import type { Clock, Log } from '../app/ports.ts';
import { createBoundedMap } from './api/bounded-map.ts';
import { callSlack } from './api/call.ts';
import { nextStep } from './api/refusals.ts';

type SharedChannelsOptions = { readonly client: WebClient; readonly clock: Clock; readonly log: Log };

const CHANNELS = 1000;
const FRESH_MS = 10 * 60_000;
const WITHIN_MS = 4_000;

/** Whether a channel is shared with another organization, by `conversations.info`, kept for ten minutes. What Slack does not tell counts as shared. */
export function createSharedChannels({
  client,
  clock,
  log,
}: SharedChannelsOptions): (channel: string) => Promise<boolean> {
  const known = createBoundedMap<{ readonly at: number; readonly shared: Promise<boolean> }>(CHANNELS);

  const ask = async (channel: string): Promise<boolean> => {
    const call = () => client.conversations.info({ channel });
    const answer = await callSlack(clock, call, { withinMs: WITHIN_MS, repeatable: true });
    if (answer.kind === 'ok') {
      const { is_ext_shared, is_pending_ext_shared } = answer.value.channel ?? {};
      return is_ext_shared !== false || is_pending_ext_shared === true;
    }
    const { code } = answer;
    log.warn('channel unknown, so it counts as shared', { channel, code, next: nextStep(code, 'oombot') });
    known.delete(channel);
    return true;
  };

  return (channel) => {
    const before = known.get(channel);
    if (before !== undefined && clock.monotonic() - before.at < FRESH_MS) return before.shared;
    const shared = ask(channel);
    known.set(channel, { at: clock.monotonic(), shared });
    return shared;
  };
}

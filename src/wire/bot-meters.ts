import type { Meters } from '../app/meter-ports.ts';
import type { Clock } from '../app/ports.ts';
import { BOT_METRICS } from '../monitoring/bot-metrics.ts';
import type { ChatCounters } from '../slack/deliver.ts';
import { createMeters } from '../system/meters.ts';
import { type DurableStore, isReachable } from './open-store.ts';
import { VERSION } from './version.ts';

const ACTIVE_STATES = ['queued', 'running', 'compensating'] as const;

type Parts = {
  readonly store: DurableStore;
  readonly counters: ChatCounters;
  readonly clock: Clock;
  /** Whether Slack is connected. */
  readonly connected: () => boolean;
};

/** What the bot shows of itself: counted where it happens, or read from the store when Prometheus asks. */
export type BotMeters = { readonly meters: Meters; readonly page: { text(): Promise<string>; contentType: string } };

export function wireMeters({ store, counters, clock, connected }: Parts): BotMeters {
  const meters = createMeters(BOT_METRICS);
  const one = (value: number) => [{ value }];
  meters.set('oombot_info', { version: VERSION }, 1);
  meters.read('oombot_ready', async () => one(Number(connected() && (await isReachable(store, clock)))));
  meters.read('oombot_slack_messages_refused_total', () => one(counters.refused));
  meters.read('oombot_slack_messages_plain_total', () => one(counters.replaced));
  meters.read('oombot_slack_rate_limited_total', () => one(counters.rateLimited));
  meters.read('oombot_slack_retries_total', () => one(counters.retried));
  meters.read('oombot_messages_undelivered', async () => one((await store.unsentMessages()).length));
  meters.read('oombot_incidents_open', async () => one((await store.openPlaces()).length));
  meters.read('oombot_runs_open', async () => {
    const runs = await store.openRuns();
    return ACTIVE_STATES.map((state) => ({
      labels: { state },
      value: runs.filter((run) => run.state === state).length,
    }));
  });
  meters.read('oombot_feedback', async () => {
    const all = await store.feedback();
    const right = all.filter((one) => one.right).length;
    return [
      { labels: { judgment: 'right' }, value: right },
      { labels: { judgment: 'wrong' }, value: all.length - right },
    ];
  });
  return { meters, page: meters };
}

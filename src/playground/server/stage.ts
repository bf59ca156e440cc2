import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSlackStandin, type SlackStandin } from '../../standins/slack/create-slack-standin.ts';
import type { Sender } from '../../standins/slack/sender.ts';
import { createSystemClock } from '../../system/clock.ts';
import { type OpenScenario, openScenario } from '../scenarios/open-scenario.ts';
import { makeTemporaryFolder } from '../scenarios/temporary-folder.ts';
import { type Bot, type BotNews, createBot } from './bot.ts';

export type StageOptions = {
  readonly scenario: string;
  /** Simulated seconds per second. */
  readonly speed: number;
  readonly mode: 'socket' | 'http';
  /** Own playbook folders, as in `playbooks.dirs`. */
  readonly playbooks: readonly string[];
  readonly onNews: (news: BotNews) => void;
  readonly onChange: () => void;
};

/** One scenario on loopback: the cluster, Slack, and the real bot between them. */
export type Stage = {
  readonly cluster: OpenScenario;
  readonly slack: SlackStandin;
  readonly bot: Bot;
  /** People at their keyboards, whose deeds reach the bot as it runs now. */
  people(): Sender;
  readonly speed: number;
  setSpeed(speed: number): void;
  close(): Promise<void>;
};

export const CHANNEL = 'C_ONCALL';
const SECRET = 'playground-signing-secret';

/** Opens the cluster and Slack; the bot is started by the caller. Throws OomError `bad-input` for a scenario that does not exist. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const { scenario, mode, onChange } = options;
  let { speed } = options;
  let pace = speed;
  const cluster = await openScenario(scenario, { clock: createSystemClock(), speed });
  const slack = await createSlackStandin({ now: cluster.clock.now, pongEveryMs: 50 });
  const folder = makeTemporaryFolder('oom-playground-');
  const config = join(folder, 'oombot.yaml');
  writeFileSync(config, configOf(cluster, slack, folder, options));
  const bot = createBot({
    config,
    onChange,
    onNews: options.onNews,
    time: () => ({ now: cluster.clock.now(), speed: pace }),
  });
  const keepPace = (next: number): void => {
    if (next === pace) return;
    pace = next;
    cluster.setSpeed(pace);
    bot.setTime(cluster.clock.now(), pace);
  };
  const work = watchWork(bot, cluster, slack);
  const pacing = setInterval(() => keepPace(work.isGoingOn() ? Math.min(speed, WORKING_SPEED) : speed), LOOK_MS);
  const follows = [slack.subscribe(onChange), cluster.subscribe(onChange)];
  return {
    cluster,
    slack,
    bot,
    people() {
      work.begin();
      if (mode === 'socket') return slack.overSocket();
      return slack.overHttp({ url: `http://127.0.0.1:${bot.port}/slack/events`, signingSecret: SECRET });
    },
    get speed() {
      return speed;
    },
    setSpeed(next) {
      speed = next;
      keepPace(next);
      onChange();
    },
    async close() {
      clearInterval(pacing);
      for (const end of follows) end();
      await bot.kill();
      await Promise.all([slack.close(), cluster.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// The bot's deadlines pass in simulated time, and its work takes real time: a read of 20 s would have one second.
const WORKING_SPEED = 1;
const LOOK_MS = 50;
// Between two calls it computes; the first deed loads what answers it.
const WORK_MS = 500;
const DEED_MS = 3000;

/** Whether the bot starts, was asked something, or has asked the cluster, Prometheus or Slack just now. */
function watchWork(bot: Bot, { api, metrics }: OpenScenario, { state }: SlackStandin) {
  const asked = (): number => api.requests.length + metrics.requests.length + state.calls.length;
  let before = asked();
  let until = 0;
  const lasts = (ms: number): void => {
    until = Math.max(until, performance.now() + ms);
  };
  return {
    begin: () => lasts(DEED_MS),
    isGoingOn() {
      const now = asked();
      if (now !== before || bot.state === 'starting') lasts(WORK_MS);
      before = now;
      return performance.now() < until;
    },
  };
}

function configOf(cluster: OpenScenario, slack: SlackStandin, folder: string, options: StageOptions): string {
  const { mode, playbooks } = options;
  const tokens = `botToken: xoxb-playground, appToken: xapp-playground, signingSecret: ${SECRET}`;
  return [
    ...cluster.botConfig,
    `slack: { mode: ${mode}, apiUrl: ${JSON.stringify(slack.apiUrl)}, ${tokens} }`,
    `store: { url: ${JSON.stringify(`sqlite:${join(folder, 'oom.db')}`)} }`,
    `playbooks: { dirs: ${JSON.stringify(playbooks)} }`,
    'logLevel: info',
    '',
  ].join('\n');
}

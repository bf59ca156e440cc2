import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { parseJson } from '../../model/json-file.ts';
import type { FromBot, ToBot } from './bot-messages.ts';

export type BotState = 'stopped' | 'starting' | 'running';

/** What the bot logged as a warning or an error, and that it took a changed playbook. */
export type BotNews = { readonly level: 'info' | 'warn' | 'error'; readonly says: string };

export type Bot = {
  readonly state: BotState;
  /** Port of its HTTP receiver, once it runs. */
  readonly port: number | undefined;
  /** Starts it unless it runs; rejects with what it says if it does not start. */
  start(): Promise<void>;
  setTime(now: number, speed: number): void;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Lets it finish, then ends it. */
  stop(): Promise<void>;
};

type BotOptions = {
  readonly config: string;
  readonly time: () => { readonly now: number; readonly speed: number };
  readonly onNews: (news: BotNews) => void;
  readonly onChange: () => void;
};

const DRAIN_MS = 5000;

/** The bot as a process of its own, on this configuration file. */
export function createBot({ config, time, onNews, onChange }: BotOptions): Bot {
  let child: ChildProcess | undefined;
  let state: BotState = 'stopped';
  let port: number | undefined;
  const become = (next: BotState): void => {
    state = next;
    onChange();
  };
  const send = (message: ToBot): void => {
    if (child?.connected) child.send(message);
  };
  const end = async (how: () => void): Promise<void> => {
    const ending = child;
    if (ending === undefined) return;
    const gone = new Promise((resolve) => ending.once('exit', resolve));
    how();
    await gone;
  };
  const kill = (): Promise<void> => end(() => child?.kill('SIGKILL'));

  return {
    get state() {
      return state;
    },
    get port() {
      return port;
    },
    async start() {
      if (child !== undefined) return;
      const started = fork(join(import.meta.dirname, 'bot-process.ts'), [config], {
        // Only what finds programs and folders: no token, no KUBECONFIG, no setting.
        env: { PATH: '/usr/bin:/bin' },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      child = started;
      become('starting');
      readNews(started, onNews);
      started.once('exit', () => {
        child = undefined;
        become('stopped');
      });
      send({ kind: 'time', ...time() });
      port = await readiness(started);
      become('running');
    },
    setTime: (now, speed) => send({ kind: 'time', now, speed }),
    kill,
    async stop() {
      const late = setTimeout(kill, DRAIN_MS);
      await end(() => send({ kind: 'stop' }));
      clearTimeout(late);
    },
  };
}

function readiness(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The bot ended while it started (code ${code}).`)));
    child.once('message', (message: FromBot) => {
      if (message.kind === 'ready') resolve(message.port);
      else reject(new Error(message.says));
    });
  });
}

const Line = z.object({
  level: z.number(),
  msg: z.string(),
  problems: z.array(z.string()).optional(),
  says: z.string().optional(),
  code: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
});

const WARN = 40;
const ERROR = 50;
const RELOADED = 'playbook reloaded';
const MOST_PROBLEMS = 3;

function readNews({ stderr }: ChildProcess, onNews: (news: BotNews) => void): void {
  if (stderr === null) return;
  createInterface({ input: stderr }).on('line', (text) => {
    const { data } = Line.safeParse(parseJson(text));
    if (data === undefined || (data.level < WARN && data.msg !== RELOADED)) return;
    const { level, msg, problems = [], says, code, error } = data;
    const details = [...problems.slice(0, MOST_PROBLEMS), says, code, error?.message].filter(
      (one) => one !== undefined,
    );
    onNews({
      level: level < WARN ? 'info' : level < ERROR ? 'warn' : 'error',
      says: [`Bot: ${msg}`, ...details].join('\n'),
    });
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeKnowledge } from '../../scripts/write-knowledge.ts';
import { kvRoomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { bundleEntries } from '../app/acting/kill/processes.ts';
import { peopleOf, type Stage, setStage } from './stage.ts';

const ACTING = [
  'act:',
  '  - { users: [U_ONCALL], verbs: [plan, approve, rollback, abort], scope: { namespaces: [llm] } }',
  'acting: { verifyMinutes: 0.2, readyMinutes: 5, requesterMayApprove: true }',
].join('\n');

/** The bot is killed `afterMs` after step `at` (0 to 2) was asked for. */
export type Kill = { readonly at: number; readonly afterMs: number };

export type Chaos = {
  /** One incident from triage to run, with one kill on the way. Returns what was not answered or shown. */
  killOnce(store: (folder: string) => string, kill: Kill): Promise<readonly string[]>;
  close(): void;
};

export async function openChaos(): Promise<Chaos> {
  const folder = mkdtempSync(join(tmpdir(), 'oom-chaos-'));
  // The bundle looks for the shipped playbooks one level above.
  symlinkSync(join(import.meta.dirname, '../../playbooks'), join(folder, 'playbooks'));
  await bundleEntries({ bot: join(import.meta.dirname, 'chaos-bot.ts') }, join(folder, 'dist'));
  await writeKnowledge(join(folder, 'dist'));
  return {
    async killOnce(store, kill) {
      const stage = await setStage(kvRoomWorld(Date.now()), ACTING, '    acting: {}');
      const slack = { ...stage.config.slack, mode: 'http', port: 0 };
      const file = join(stage.folder, 'config.json');
      writeFileSync(
        file,
        JSON.stringify({ ...stage.config, slack, store: { ...stage.config.store, url: store(stage.folder) } }),
      );
      const start = () => startBot(join(folder, 'dist/bot.mjs'), file, folder);
      const life: Life = { stage, bot: await start(), start };
      try {
        for (const [i, step] of STEPS.entries()) {
          const fault = await carryOut(life, step, i === kill.at ? kill.afterMs : undefined);
          if (fault !== undefined) return [`${step.name}: ${fault}\n${shown(stage)}`];
        }
        return unshown(stage);
      } finally {
        await life.bot.kill();
        await stage.close();
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

type Bot = { readonly port: number; kill(): Promise<void> };
type Life = { readonly stage: Stage; bot: Bot; readonly start: () => Promise<Bot> };
type Step = {
  readonly name: string;
  /** The button that is clicked; undefined for the command. */
  readonly asks?: string;
  /** The button that is there once the step is done. */
  readonly gives: string;
};

const STEPS: readonly Step[] = [
  { name: 'triage', gives: 'plan' },
  { name: 'plan', asks: 'plan', gives: 'approve' },
  { name: 'approve', asks: 'approve', gives: 'abort' },
];

// Limits for what hangs.
const ANSWER_MS = 60_000;
const STEP_MS = 120_000;
// Someone who is told "no" or "wait" looks at the channel for so long before the next try.
const PATIENCE_MS = 5000;
const LOOK_EVERY_MS = 20;

/** A person whose click failed clicks again; one whose click was taken waits, and tries again where the answer is no. */
async function carryOut(life: Life, step: Step, killAfterMs: number | undefined): Promise<string | undefined> {
  const isDone = () => withButton(life.stage, step.gives) !== undefined;
  const first = answersTo(life.stage);
  const isAcked = send(life, step);
  if (killAfterMs !== undefined) {
    await sleep(killAfterMs);
    await life.bot.kill();
    life.bot = await life.start();
  }
  let answers = (await isAcked) ? first : undefined;
  for (const until = performance.now() + STEP_MS; performance.now() < until; answers = undefined) {
    if (answers === undefined) {
      answers = answersTo(life.stage);
      if (!isDone() && !(await send(life, step))) return 'not acknowledged after the restart';
    }
    const seen = answers;
    if (!(await comes(() => isDone() || seen().length > 0, ANSWER_MS))) return 'acknowledged, and not answered';
    if (await comes(isDone, PATIENCE_MS)) return undefined;
  }
  return 'answered, and not done';
}

/** What the person is told alone from now on. */
function answersTo({ slack: { state } }: Stage): () => readonly unknown[] {
  const heard = state.ephemerals.length;
  return () => state.ephemerals.slice(heard).filter(({ via }) => via !== 'ack');
}

async function comes(look: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (;;) {
    if (look()) return true;
    if (performance.now() > end) return false;
    await sleep(LOOK_EVERY_MS);
  }
}

async function send({ stage, bot }: Life, { asks }: Step): Promise<boolean> {
  const people = peopleOf(stage, bot.port);
  try {
    if (asks === undefined) {
      const text = `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;
      return (await people.command({ text, channel: 'C_LLM' })).status === 200;
    }
    // A card that is being made anew has no buttons for a while.
    if (!(await comes(() => withButton(stage, asks) !== undefined, ANSWER_MS))) return false;
    const on = withButton(stage, asks) as StoredMessage;
    return (await people.click({ actionId: buttonOf(on, asks) ?? '', on, user: 'U_ONCALL' })).status === 200;
  } catch {
    return false;
  }
}

// A run that has written is shown with a button that leads back.
function unshown(stage: Stage): readonly string[] {
  const changed = stage.api.writes.some(({ dryRun, outcome }) => !dryRun && outcome === 'applied');
  const isShown = ['abort', 'roll-back'].some((asks) => withButton(stage, asks) !== undefined);
  return changed && !isShown ? [`a change without a message\n${shown(stage)}`] : [];
}

/** What the person saw, for the failure message. */
function shown({ slack: { state } }: Stage): string {
  const lines = (text: string) => text.replaceAll('\n', ' / ').slice(0, 300);
  const messages = state.messages.map((one) => `  message ${one.ts}: ${lines(textsOf(one))}`);
  return [...messages, ...state.ephemerals.map((one) => `  private (${one.via}): ${lines(textsOf(one))}`)].join('\n');
}

function withButton({ slack }: Stage, asks: string): StoredMessage | undefined {
  return slack.state.messages.findLast((one) => one.channel === 'C_LLM' && buttonOf(one, asks) !== undefined);
}

const buttonOf = (message: StoredMessage, asks: string): string | undefined =>
  new RegExp(`"(oom:${asks}:\\d+)"`).exec(JSON.stringify(message.blocks))?.[1];

async function startBot(script: string, config: string, cache: string): Promise<Bot> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cache, 'compiled') };
  const child: ChildProcess = spawn(process.execPath, [script, config], { stdio: ['ignore', 'pipe', 'inherit'], env });
  if (child.stdout === null) throw new Error('a process without output');
  const exit = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exit.then(([code]) => Promise.reject(new Error(`the bot ended with ${code}`))),
  ])) as [string];
  const { port } = JSON.parse(line) as { port: number };
  return {
    port,
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { kvRoomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import type { StoredMessage } from '../../src/standins/slack/state.ts';
import { bundleEntries } from '../app/acting/kill/processes.ts';
import { peopleOf, type Stage, setStage } from './stage.ts';

const ACTING = [
  'act:',
  '  - { users: [U_ONCALL], verbs: [plan, approve, rollback, abort], scope: { namespaces: [llm] } }',
  'acting: { verifyMinutes: 0.2, readyMinutes: 5, requesterMayApprove: true }',
].join('\n');

type Bot = { readonly port: number; kill(): Promise<void> };

export type Chaos = {
  /** One way from a triage to a run, on which the bot is killed `afterMs` after step `at` (0 to 2) was asked for; what was not answered or shown. */
  killOnce(store: (folder: string) => string, at: number, afterMs: number): Promise<readonly string[]>;
  close(): void;
};

export async function openChaos(): Promise<Chaos> {
  const folder = mkdtempSync(join(tmpdir(), 'oom-chaos-'));
  // The bundle looks for the shipped playbooks one level above.
  symlinkSync(join(import.meta.dirname, '../../playbooks'), join(folder, 'playbooks'));
  await bundleEntries({ bot: join(import.meta.dirname, 'chaos-bot.ts') }, join(folder, 'dist'));
  return {
    async killOnce(store, at, afterMs) {
      const stage = await setStage(kvRoomWorld(Date.now()), ACTING, '    acting: {}');
      const slack = { ...stage.config.slack, mode: 'http', port: 0 };
      const file = join(stage.folder, 'config.json');
      writeFileSync(
        file,
        JSON.stringify({ ...stage.config, slack, store: { ...stage.config.store, url: store(stage.folder) } }),
      );
      const start = () => startBot(join(folder, 'dist/bot.mjs'), file, folder);
      let bot = await start();
      try {
        const missing: string[] = [];
        for (const [i, step] of STEPS.entries()) {
          const isAcked = send(stage, bot, step);
          if (i === at) {
            await new Promise((resolve) => setTimeout(resolve, afterMs));
            await bot.kill();
            bot = await start();
          }
          // A person whose click failed clicks again; one whose click was taken waits.
          if (!(await isAcked)) await send(stage, bot, step);
          if (await lacks(stage, step)) missing.push(`${step.name}: acknowledged, and not answered`);
        }
        return [...missing, ...unshown(stage)];
      } finally {
        await bot.kill();
        await stage.close();
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

type Step = {
  readonly name: string;
  /** The button that is clicked; undefined for the command. */
  readonly asks?: string;
  readonly isAnswered: (stage: Stage) => boolean;
};

const STEPS: readonly Step[] = [
  { name: 'triage', isAnswered: (stage) => withButton(stage, 'plan') !== undefined },
  { name: 'plan', asks: 'plan', isAnswered: (stage) => withButton(stage, 'approve') !== undefined },
  { name: 'approve', asks: 'approve', isAnswered: (stage) => withButton(stage, 'abort') !== undefined },
];

async function send(stage: Stage, bot: Bot, { asks }: Step): Promise<boolean> {
  const people = peopleOf(stage, bot.port);
  const text = `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;
  const on = asks === undefined ? undefined : withButton(stage, asks);
  try {
    const sent =
      on === undefined
        ? await people.command({ text, channel: 'C_LLM' })
        : await people.click({ actionId: buttonOf(on, asks ?? '') ?? '', on, user: 'U_ONCALL' });
    return sent.status === 200;
  } catch {
    return false;
  }
}

const WITHIN_MS = 30_000;

async function lacks(stage: Stage, step: Step): Promise<boolean> {
  return stage.slack
    .until(step.name, () => step.isAnswered(stage), WITHIN_MS)
    .then(
      () => false,
      () => true,
    );
}

// A run that has written is shown with a button that leads back.
function unshown(stage: Stage): readonly string[] {
  const changed = stage.api.writes.some(({ dryRun, outcome }) => !dryRun && outcome === 'applied');
  const isShown = ['abort', 'roll-back'].some((asks) => withButton(stage, asks) !== undefined);
  return changed && !isShown ? ['a change without a message'] : [];
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

import { afterEach, beforeEach, vi } from 'vitest';
import type { Clock } from '../../src/app/ports.ts';
import { kvRoomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { createMovedClock } from './moved-clock.ts';
import { type Stage, setStage, startOn } from './stage.ts';

export const START = Date.UTC(2026, 0, 15, 3, 0, 0);
const closing: (() => Promise<unknown>)[] = [];

/** For each test of a file. Only `Date` is moved: a run that takes minutes takes moments, and whatever waits for real still does. */
export function useMovedTime(): void {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: START }));
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    vi.useRealTimers();
  });
}

const ACTING = [
  'act:',
  '  - { users: [U_ONCALL], verbs: [plan, abort, pause], scope: { namespaces: [llm] } }',
  '  - { groups: [S_APPROVERS], verbs: [approve, rollback, abort, resume], scope: { namespaces: [llm] } }',
  'acting: { verifyMinutes: 0.2, readyMinutes: 5 }',
].join('\n');

export type Scene = Awaited<ReturnType<typeof beginOn>>;

export type SceneOptions = ReplicaOptions & {
  /** More lines of the configuration. */
  readonly more?: string;
  /** URL of a database for the replicas; a new SQLite file where it is left out. */
  readonly store?: string;
};

type ReplicaOptions = {
  /** How many bots there are; people reach them in turn. */
  readonly replicas?: number;
  /** Moves a clock that is not of this process: called before each move of `Date`, by so many ms. */
  readonly move?: (ms: number) => Promise<void>;
};

export function begin(
  world = kvRoomWorld(START),
  { more = '', store, ...replicas }: SceneOptions = {},
): Promise<Scene> {
  return beginOn(() => setStage(world, `${ACTING}\n${more}`, '    acting: {}', store), replicas);
}

/** Starts the bot on a stage that is set for its clock. */
export async function beginOn(
  set: (clock: Clock) => Promise<Stage>,
  { replicas = 1, move = async () => undefined }: ReplicaOptions = {},
) {
  const clock = createMovedClock();
  const stage = await set(clock);
  closing.push(() => stage.close());
  const start = () => Promise.all(Array.from({ length: replicas }, () => startOn(stage, 'http', clock)));
  const stop = (all: Awaited<ReturnType<typeof start>>) => Promise.all(all.map(({ service }) => service.stop()));
  let started = await start();
  closing.push(() => stop(started));
  let turn = 0;
  return {
    stage,
    move,
    advance(ms: number) {
      vi.setSystemTime(Date.now() + ms);
      stage.advance(ms);
      clock.wake();
    },
    /** Time passes for the bot alone: nothing happens in the cluster. */
    leap(ms: number) {
      vi.setSystemTime(Date.now() + ms);
      clock.wake();
    },
    people() {
      turn += 1;
      const [first] = started;
      return (started[turn % started.length] ?? first!).people;
    },
    async restart() {
      await stop(started);
      started = await start();
    },
  };
}

export const messages = ({ slack }: Stage): readonly StoredMessage[] =>
  slack.state.messages.filter(({ channel }) => channel === 'C_LLM');

export const buttonOf = (message: StoredMessage, asks: string): string | undefined =>
  new RegExp(`"(oom:${asks}:\\d+)"`).exec(JSON.stringify(message.blocks))?.[1];

/** The message that bears this button, once it is there. */
export function withButton({ stage }: Scene, asks: string) {
  return stage.slack.until(`a button ${asks}`, () =>
    messages(stage).find((message) => buttonOf(message, asks) !== undefined),
  );
}

export async function click(scene: Scene, asks: string, user: string, on?: StoredMessage) {
  const message = on ?? (await withButton(scene, asks));
  return scene.people().click({ actionId: buttonOf(message, asks) ?? '', on: message, user });
}

/** Writes that reached the cluster and were kept, as what they set. */
export function written({ api }: Stage): string[] {
  return api.writes
    .filter(({ dryRun, outcome }) => !dryRun && outcome === 'applied')
    .map(({ body }) =>
      (body as { op: string; path: string; value?: unknown }[])
        .filter(({ op, path }) => op !== 'test' && !path.startsWith('/metadata'))
        .map(({ path, value }) => `${path}=${JSON.stringify(value)}`)
        .join(' '),
    );
}

function askedOf({ api, prometheus, slack }: Stage): number {
  return api.requests.length + prometheus.requests.length + slack.state.calls.length;
}

// A fifth of the time of an act, so that one that is under way after all is not cut off.
const STEP_MS = 2000;

// However slow the machine is, time moves only when nobody has asked anything for a moment: after one in which the process
// itself stood still, what has arrived is read first.
export async function quiet(stage: Stage): Promise<void> {
  const { calmMs = 0 } = stage;
  const asked = () => askedOf(stage);
  let since = performance.now();
  for (let calm = 0; calm < CALM_LOOKS || performance.now() - since < calmMs; ) {
    const before = asked();
    const began = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    const isBusy = performance.now() - began > BUSY_MS;
    calm = before === asked() && !isBusy ? calm + 1 : 0;
    if (calm === 0) since = performance.now();
  }
}

const CALM_LOOKS = 50;
// A turn of the loop that takes longer has worked on an answer.
const BUSY_MS = 2;

/** Lets time pass, in the cluster and for the bot, until something is seen. */
export async function pass<T>(
  { stage, advance, move }: Scene,
  what: string,
  look: () => T | undefined | false,
): Promise<T> {
  const { longestStepMs = STEP_MS } = stage;
  let step = STEP_MS;
  for (let i = 0; i < 2000; i += 1) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    const before = askedOf(stage);
    await quiet(stage);
    step = askedOf(stage) === before ? Math.min(2 * step, longestStepMs) : STEP_MS;
    await move(step);
    advance(step);
  }
  throw new Error(
    `never: ${what}\n${messages(stage).map(textsOf).join('\n---\n')}\n${JSON.stringify(stage.api.writes)}`,
  );
}

export const told = ({ stage }: Scene, user: string): string =>
  stage.slack.state.ephemerals
    .filter((one) => one.user === user)
    .map(textsOf)
    .join('\n');

export async function planned(
  before: (stage: Stage) => void = () => undefined,
  world = kvRoomWorld(START),
  options: SceneOptions = {},
): Promise<Scene & { readonly card: StoredMessage }> {
  const scene = await begin(world, options);
  before(scene.stage);
  await scene.people().command({ text: `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`, channel: 'C_LLM' });
  await click(scene, 'plan', 'U_ONCALL');
  return { ...scene, card: await withButton(scene, 'approve') };
}

export function addArgs(value: unknown, more: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if ('args' in value && Array.isArray(value.args)) value.args.push(...more);
  for (const child of Object.values(value)) addArgs(child, more);
}

export const ended = /^(?:Done|Applied, not verified|Failed|Aborted)/;
export const args = ({ stage }: Scene): string =>
  JSON.stringify(stage.api.world.objects.find(({ kind }) => kind === 'Deployment')?.spec);

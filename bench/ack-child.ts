import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { cudaOomWorld, SCENARIO_POD } from '../src/standins/scenarios/scenarios.ts';
import { percentile } from './harness.ts';
import { addSiblings, peopleOf, SLOW_MS, setStage, slowDown } from './stage.ts';

const TRIAGES = 50;
const EVERY_MS = 10;

const stage = await setStage(cudaOomWorld(Date.now()));
const pods = addSiblings(stage, TRIAGES);
const config = { ...stage.config, slack: { ...stage.config.slack, mode: 'http', port: 0 } };
const service = new Worker(new URL('./service-worker.mjs', import.meta.url), { workerData: config });
const [{ port }] = await once(service, 'message');
const people = peopleOf(stage, port);
await order();
const { tooEarly } = await ask('order');
const seen = await load();
await ask('stop');
console.log(JSON.stringify({ ...seen, tooEarly }));
await stage.close();

async function ask(message: 'order' | 'stop'): Promise<{ tooEarly: readonly string[] }> {
  service.postMessage(message);
  const [answer] = await once(service, 'message');
  return answer;
}

// One of each kind of delivery, alone.
async function order(): Promise<void> {
  const button = (action: string, value: string) => ({
    actionId: action,
    on: { channel: 'C_LLM', blocks: [{ type: 'actions', elements: [{ type: 'button', action_id: action, value }] }] },
  });
  const pod = `${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;
  const deliveries = [
    ...['help', 'status', `triage ${pod}`, 'triage no-such-pod', 'explain inc_none', 'frobnicate'].map(
      (text) => () => people.command({ text, channel: 'C_LLM' }),
    ),
    () => people.shortcut({ message: { text: pod }, channel: 'C_LLM' }),
    () => people.click(button('oom:triage-candidate:0', pod)),
    () => people.openHome(),
  ];
  for (const deliver of deliveries) {
    const before = sent();
    const { status } = await deliver();
    if (status !== 200) throw new Error(`delivery refused: ${status}`);
    // Each of them makes a call in the end; the next delivery must not come before it.
    await stage.slack.until('a call of ours', () => sent() > before, 10_000);
    await quiet();
  }
}

// A command comes every 10 ms by the clock: first those that begin the readings, each of another pod in a channel of its
// own so that none joins another, then others until all have ended. An answer is timed from when its command was due: a
// stalled process cannot hide behind commands that it kept from being sent.
async function load() {
  slowDown(stage, SLOW_MS);
  for (let i = 0; i < TRIAGES; i++) stage.slack.addChannel(`C_${i}`, { name: `c${i}` });
  const acks: Promise<number>[] = [];
  const began = performance.now();
  let due = began;
  while (ended() < TRIAGES) {
    if (performance.now() - began > 60_000) throw new Error('the readings do not end');
    due += EVERY_MS;
    await sleep(Math.max(0, due - performance.now()));
    const pod = pods[acks.length];
    const text = pod === undefined ? 'help' : `triage llm/${pod}`;
    acks.push(timed(due, text, `C_${acks.length % TRIAGES}`));
  }
  const times = await Promise.all(acks);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), acks: times.length, tookMs: due - began };
}

async function timed(due: number, text: string, channel: string): Promise<number> {
  const { status } = await people.command({ text, channel });
  if (status !== 200) throw new Error(`delivery refused: ${status}`);
  return performance.now() - due;
}

// The evidence goes up last, so a channel that has a file has its finding.
function ended(): number {
  const channels = new Set([...stage.slack.state.files.values()].map(({ channel }) => channel));
  return pods.filter((_, i) => channels.has(`C_${i}`)).length;
}

function sent(): number {
  return stage.slack.state.calls.length + stage.api.requests.length + stage.prometheus.requests.length;
}

async function quiet(): Promise<void> {
  for (let last = -1; last !== sent(); ) {
    last = sent();
    await sleep(300);
  }
}

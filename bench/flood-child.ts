import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { cudaOomWorld } from '../src/standins/scenarios/scenarios.ts';
import { percentile } from './harness.ts';
import { addWorkloads, peopleOf, setStage } from './stage.ts';

const WORKLOADS = 50;
const KINDS = 1000 / WORKLOADS;
const EVERY_MS = 10;
const TOKEN = 'webhook-token';

const ALERTS = `alerts: { port: 0, bearerToken: ${TOKEN} }\nchannels: { C_LLM: { namespaces: [llm] } }`;
const stage = await setStage(cudaOomWorld(Date.now()), ALERTS);
const pods = addWorkloads(stage, WORKLOADS);
stage.slack.addChannel('C_PEOPLE', { name: 'people' });
const config = { ...stage.config, slack: { ...stage.config.slack, mode: 'http', port: 0 } };
const service = new Worker(new URL('./service-worker.mjs', import.meta.url), { workerData: config });
const [{ port, alertPort }] = await once(service, 'message');
const people = peopleOf(stage, port);
// The first triage of a process reads the playbooks, which the package has compiled and this bundle has not.
await send('first', pods.slice(0, 1));
while (cards() < 1) await sleep(10);
await sleep(3000);
const load = await flooded();
const before = await heap();
// Other alerts of the same pods join; then all of them come again.
for (const round of [1, 2, 3]) {
  await send(round);
  await send(round);
}
const growth = (await heap()) / before;
await ask('stop');
console.log(JSON.stringify({ ...load, workloads: WORKLOADS, growth }));
await stage.close();

async function flooded() {
  stage.api.forgetRequests();
  const sent = send(0);
  const acks: Promise<number>[] = [];
  const began = performance.now();
  let due = began;
  while (cards() < WORKLOADS) {
    if (performance.now() - began > 120_000) throw new Error('the triages do not end');
    due += EVERY_MS;
    await sleep(Math.max(0, due - performance.now()));
    acks.push(timed(due));
  }
  await sent;
  const times = await Promise.all(acks);
  return { cards: cards(), calls: stage.api.requests.length, p99: percentile(times, 0.99), acks: times.length };
}

// From when the command was due: what the process kept from being sent counts too.
async function timed(due: number): Promise<number> {
  const { status } = await people.command({ text: 'help', channel: 'C_PEOPLE' });
  if (status !== 200) throw new Error(`delivery refused: ${status}`);
  return performance.now() - due;
}

function cards(): number {
  const own = stage.slack.state.messages.filter((one) => one.channel === 'C_LLM' && one.threadTs === undefined);
  return own.filter(({ text }) => /out of memory|OOM/i.test(text)).length;
}

async function send(round: number | 'first', of = pods): Promise<void> {
  const alerts = Array.from({ length: KINDS }, (_, kind) =>
    of.map((pod) => ({
      status: 'firing',
      labels: { alertname: `Alert${kind}`, namespace: 'llm', pod },
      annotations: { summary: 'x'.repeat(300) },
      startsAt: '2026-07-24T00:00:00Z',
      fingerprint: `${round}-${kind}-${pod}`,
    })),
  ).flat();
  const response = await fetch(`http://127.0.0.1:${alertPort}/v1/alerts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ version: '4', alerts }),
  });
  if (response.status !== 200) throw new Error(`alerts refused: ${response.status}`);
}

async function heap(): Promise<number> {
  await sleep(2000);
  return (await ask('heap')).heap;
}

async function ask(message: 'heap' | 'stop'): Promise<{ heap: number }> {
  service.postMessage(message);
  const [answer] = await once(service, 'message');
  return answer;
}

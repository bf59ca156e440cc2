import { putObject } from '../src/standins/api-server/world.ts';
import { cudaOomWorld, SCENARIO_POD } from '../src/standins/scenarios.ts';
import { percentile } from './harness.ts';
import { setStage, startOn } from './stage.ts';

// node bench.mjs ack | storm
const [what] = process.argv.slice(2);
const world = cudaOomWorld(Date.now());
const stage = await setStage(world);
const { service, people } = await startOn(stage, 'http');
const seen = what === 'ack' ? await ack() : await storm();
console.log(JSON.stringify(seen));
await stage.close();

// Fifty readings under way, each in a channel of its own so that none joins another, on a slow cluster; then commands.
async function ack() {
  stage.api.faults.on(/./, { kind: 'delay', ms: 40 });
  for (let i = 0; i < 50; i++) stage.slack.addChannel(`C_${i}`, { name: `c${i}` });
  const triage = (i: number) =>
    people.command({ text: `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`, channel: `C_${i}` });
  await Promise.all(Array.from({ length: 50 }, (_, i) => triage(i)));
  const times: number[] = [];
  for (let i = 0; i < 300; i++) times.push((await people.command({ text: 'help', channel: `C_${i % 50}` })).ms);
  const readings = stage.slack.state.messages.length;
  await service.stop();
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), readings };
}

// 200 pods of one workload die at once, and someone asks for each of them.
async function storm() {
  const pod = world.objects.find(({ kind }) => kind === 'Pod');
  if (pod === undefined) throw new Error('the world has no pod');
  const names = Array.from({ length: 200 }, (_, i) => `vllm-server-7d8f6f9c6b-${name(i)}`);
  for (const podName of names)
    putObject(world, { ...pod, metadata: { ...pod.metadata, name: podName, uid: `uid-${podName}` } });
  stage.api.forgetRequests();
  await Promise.all(names.map((podName) => people.command({ text: `triage llm/${podName}`, channel: 'C_LLM' })));
  await stage.slack.until('the finding', () => stage.slack.state.files.size > 0, 30_000);
  // Stopping waits for all that is under way.
  await service.stop();
  const cards = stage.slack.state.messages.filter(({ threadTs }) => threadTs === undefined).length;
  return { cards, calls: stage.api.requests.length };
}

// Five letters as Kubernetes makes them.
function name(i: number): string {
  const letters = 'bcdfghjklm';
  return `x${[1000, 100, 10, 1].map((n) => letters[Math.floor(i / n) % 10]).join('')}`;
}

import { type InvestigateDeps, investigate } from '../src/app/triage/investigate.ts';
import type { ApiWorld } from '../src/standins/api-server/objects/world.ts';
import { cudaOomWorld, SCENARIO_POD } from '../src/standins/scenarios/scenarios.ts';
import { createSystemClock } from '../src/system/clock.ts';
import { createSystemIds } from '../src/system/ids.ts';
import { wireFieldwork } from '../src/wire/fieldwork.ts';
import { loadKnowledge } from '../src/wire/knowledge.ts';
import { addOthers, type Stage, setStage } from './stage.ts';

const DELAY_MS = 30;

type Cost = { calls: number; logCalls: number; bytes: number; wallMs: number; chainMs: number; sent: number };

// One triage on a slow network; then the same in small and large namespaces; then with a long log.
const knowledge = await loadKnowledge(['playbooks']);
const plain = await measure(cudaOomWorld(Date.now()), DELAY_MS);
const few = await measure(crowded(10), 0);
const many = await measure(crowded(10_000), 0);
const long = await measure(withLongLog(50_000_000), 0);
console.log(JSON.stringify({ plain, few, many, long }));

async function measure(world: ApiWorld, delayMs: number): Promise<Cost> {
  const stage = await setStage(world);
  slow(stage, delayMs);
  const field = wireFieldwork(stage.config, { clock: createSystemClock(), ids: createSystemIds(), knowledge });
  try {
    // The first makes the connections, the second is measured.
    await once(field.deps);
    stage.api.forgetRequests();
    const cost = await once(field.deps);
    return { ...cost, sent: stage.api.requests.length };
  } finally {
    await field.close();
    await stage.close();
  }
}

async function once(deps: InvestigateDeps) {
  const found = await investigate(deps, {
    query: { cluster: undefined, namespace: SCENARIO_POD.namespace, pod: SCENARIO_POD.pod, container: undefined },
    actor: { place: 'terminal', user: 'bench' },
    progress: () => undefined,
  });
  if (found.kind !== 'done' || found.finding.capture === undefined) throw new Error(`no finding: ${found.kind}`);
  return found.finding.capture.cost;
}

function slow(stage: Stage, ms: number): void {
  stage.prometheus.behaviour.delayMs = ms;
  if (ms > 0) stage.api.faults.on(/./, { kind: 'delay', ms });
}

function crowded(pods: number): ApiWorld {
  const world = cudaOomWorld(Date.now());
  addOthers(world, pods);
  return world;
}

function withLongLog(bytes: number): ApiWorld {
  const world = cudaOomWorld(Date.now());
  const text =
    'INFO 07-10 10:00:00 [loggers.py:127] Engine 000: Avg prompt throughput: 812.4 tokens/s, Running: 12 reqs';
  world.logs.forEach((log, i) => {
    if (log.instance !== 'previous' || !Array.isArray(log.lines)) return;
    const lines = log.lines;
    const first = lines[0]?.at ?? 0;
    const head = lines.slice(0, 40);
    const filler = Array.from({ length: Math.floor(bytes / text.length) }, (_, n) => ({ at: first + n, text }));
    world.logs[i] = { ...log, lines: [...head, ...filler, ...lines.slice(40)].toSorted((a, b) => a.at - b.at) };
  });
  return world;
}

import { expect, it } from 'vitest';
import { podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { healthyWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { beginOn, quiet, type Scene, START, useMovedTime } from './acting-scene.ts';
import { setStage } from './stage.ts';

useMovedTime();

const CHANNELS = 'channels: { C_LLM: { namespaces: [llm] } }';
const EVERY_15_S = Array.from({ length: 21 }, (_, i) => i);
const FULL = {
  'vllm:kv_cache_usage_perc': EVERY_15_S.map(() => 0.99),
  'vllm:num_requests_waiting': EVERY_15_S.map((i) => 3 + i),
  'vllm:num_preemptions_total': EVERY_15_S.map((i) => 100 + 4 * i),
};

async function begin(rule: string): Promise<Scene> {
  const watch = `    watch: { leaseNamespace: oombot, pods: [{ namespace: llm, ${rule} }] }`;
  const scene = await beginOn(() => setStage(healthyWorld(START), CHANNELS, watch));
  await expect.poll(() => scene.stage.api.requests.some(({ query }) => query.watch === 'true')).toBe(true);
  return scene;
}

/** A minute goes by, with these series until its end. */
async function minute(scene: Scene, values: Readonly<Record<string, readonly number[]>>, tokens = 1): Promise<void> {
  const until = Date.now() + 60_000;
  const { namespace, pod } = SCENARIO_POD;
  const generated = {
    labels: { __name__: 'vllm:generation_tokens_total', namespace, pod, instance: '10.0.0.5:8000', job: 'vllm' },
    points: Array.from({ length: 41 }, (_, i) => [until - (40 - i) * 15_000, 9000 + i * tokens] as const),
  };
  const series = podSeries({ ...SCENARIO_POD, until, values });
  scene.stage.prometheus.behaviour.series = [...series, generated];
  const before = loadQueries(scene).length;
  // Longer leaps would look like a leader that froze.
  for (let i = 0; i < 40 && loadQueries(scene).length === before; i += 1) {
    scene.leap(4000);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await quiet(scene.stage);
  expect(loadQueries(scene).length).toBe(before + 1);
}

const loadQueries = ({ stage }: Scene) =>
  stage.prometheus.requests.filter(({ headers }) => String(headers['user-agent']).includes('load'));
const cards = ({ stage }: Scene): StoredMessage[] =>
  stage.slack.state.messages.filter(({ threadTs }) => threadTs === undefined);

it('a full pool with a growing queue and preemptions opens an incident with advice, and restarts nothing', async () => {
  const scene = await begin('mode: on, minSeverity: low');

  await minute(scene, FULL);

  const card = await scene.stage.slack.until('the card', () => cards(scene).find(({ text }) => /KV pool/.test(text)));
  expect(textsOf(card)).toMatch(/The KV pool is full, nothing failed/);
  expect(textsOf(card)).toMatch(/add a replica/);
  expect(textsOf(card)).not.toMatch(/restart pods|Restart it/i);
  await minute(scene, FULL);
  expect(cards(scene)).toHaveLength(1);
  expect(scene.stage.api.writes.filter(({ body }) => !JSON.stringify(body).includes('Lease'))).toEqual([]);
});

it('a full pool with an empty queue is full use, and opens nothing', async () => {
  const scene = await begin('mode: on, minSeverity: low');

  await minute(scene, { ...FULL, 'vllm:num_requests_waiting': EVERY_15_S.map(() => 0) });

  expect(cards(scene)).toEqual([]);
});

it('requests without tokens are found to hang, where nothing else shows it', async () => {
  const scene = await begin('mode: on, minSeverity: high');
  const running = { 'vllm:num_requests_running': Array.from({ length: 41 }, () => 4) };

  await minute(scene, running, 0);

  const card = await scene.stage.slack.until('the card', () =>
    cards(scene).find(({ text }) => /seems to hang/.test(text)),
  );
  expect(textsOf(card)).toMatch(/No token was generated for five minutes, with 4 requests running/);
  expect(textsOf(card)).toMatch(/py-spy dump/);
});

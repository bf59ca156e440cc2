import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/app/ports.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { startService } from '../../src/main.ts';
import type { OpenScenario } from '../../src/playground/scenarios/open-scenario.ts';
import {
  type ApiServerStandin,
  createApiServerStandin,
} from '../../src/standins/api-server/create-api-server-standin.ts';
import { type ApiWorld, type KubeObject, putObject } from '../../src/standins/api-server/objects/world.ts';
import {
  createPrometheusStandin,
  type PrometheusStandin,
} from '../../src/standins/prometheus/create-prometheus-standin.ts';
import { podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { createSlackStandin } from '../../src/standins/slack/create-slack-standin.ts';
import { loadOnce } from '../fakes/knowledge.ts';

const SECRET = 'signing-secret';

export type Stage = {
  readonly folder: string;
  readonly file: string;
  readonly api: ApiServerStandin;
  readonly prometheus: PrometheusStandin;
  readonly slack: Awaited<ReturnType<typeof createSlackStandin>>;
  readonly config: Config;
  /** How long nobody must ask anything before time moves, real ms: long answers take a while. */
  readonly calmMs?: number;
  /** How far time may move at once while nobody asks anything. */
  readonly longestStepMs?: number;
  /** Lets time pass in the cluster. */
  advance(ms: number): void;
  close(): Promise<void>;
};

/** A cluster, a Prometheus and a Slack on loopback, and the configuration that points at them. */
/** `store` is the URL of a database; a new SQLite file where it is left out. */
export async function setStage(world: ApiWorld, extra = '', ofCluster = '', store?: string): Promise<Stage> {
  const api = await createApiServerStandin(world, { now: Date.now() });
  const prometheus = await createPrometheusStandin({
    series: podSeries({ ...SCENARIO_POD, until: Date.now() - 4 * 60_000 }),
  });
  const cluster = [
    'clusters:',
    '  - name: prod',
    `    kubeconfig: ${JSON.stringify(KUBECONFIG)}`,
    '    namespaces: [llm]',
    ofCluster,
    `    prometheus: { url: "${prometheus.url}" }`,
    extra,
  ];
  return raiseStage({ api, prometheus, advance: api.cluster.advance }, cluster, store);
}

const KUBECONFIG = 'kubeconfig.yaml';

/** A scenario of the playground as the cluster. */
export async function setScenarioStage(open: OpenScenario, lines = open.botConfig): Promise<Stage> {
  const { api, metrics } = open;
  return raiseStage(
    { api, prometheus: metrics, advance: () => open.advance(0), calmMs: 12, longestStepMs: 10_000 },
    lines,
  );
}

type Surroundings = Pick<Stage, 'api' | 'prometheus' | 'advance' | 'calmMs' | 'longestStepMs'>;

async function raiseStage(surroundings: Surroundings, cluster: readonly string[], store?: string): Promise<Stage> {
  const { api, prometheus } = surroundings;
  const folder = mkdtempSync(join(tmpdir(), 'oom-whole-'));
  const slack = await createSlackStandin();
  slack.addChannel('C_LLM', { name: 'llm' });
  writeFileSync(join(folder, KUBECONFIG), kubeconfigFor(api.url));
  const yaml = [
    ...cluster.map((line) => line.replace(JSON.stringify(KUBECONFIG), JSON.stringify(join(folder, KUBECONFIG)))),
    `slack: { apiUrl: "${slack.apiUrl}", botToken: xoxb-test, appToken: xapp-test, signingSecret: ${SECRET} }`,
    `store: { url: "${store ?? `sqlite:${join(folder, 'oom.db')}`}" }`,
    'logLevel: silent',
  ].join('\n');
  const file = join(folder, 'oombot.yaml');
  writeFileSync(file, yaml);
  const outcome = loadConfig({ env: {}, file, readFile: () => yaml });
  if (outcome.kind === 'bad') throw new Error(JSON.stringify(outcome.problems));
  return {
    ...surroundings,
    folder,
    file,
    slack,
    config: outcome.config,
    async close() {
      await Promise.all([api.close(), prometheus.close(), slack.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Adds `count` more workloads whose pods died like the scenario's; answers the names of the pods. */
export function addWorkloads({ api: { world } }: Stage, count: number): readonly string[] {
  const own = world.objects.filter(({ kind }) => ['Pod', 'ReplicaSet', 'Deployment'].includes(kind));
  return Array.from({ length: count }, (_, i) => {
    const rename = (text: string): string => text.replaceAll('vllm-server', `model-${i}`);
    for (const one of own) {
      const text = JSON.stringify(one).replace(/"uid":"([^"]+)"/g, `"uid":"$1-${i}"`);
      putObject(world, JSON.parse(rename(text)) as KubeObject);
    }
    const pod = rename(SCENARIO_POD.pod);
    world.logs.push(...world.logs.filter((log) => log.pod === SCENARIO_POD.pod).map((log) => ({ ...log, pod })));
    return pod;
  });
}

/** The real service on the stage, by HTTP with real signatures or by Socket Mode. */
export async function startOn(stage: Stage, mode: 'http' | 'socket', clock?: Clock) {
  const config: Config = { ...stage.config, slack: { ...stage.config.slack, mode, port: 0 } };
  const service = await startService(config, clock, loadOnce);
  const people = mode === 'http' ? peopleOf(stage, service.port) : stage.slack.overSocket();
  return { service, people, url: receiverOf(service.port) };
}

/** People whose Slack calls the receiver on this port, with real signatures. */
export function peopleOf(stage: Stage, port: number | undefined) {
  return stage.slack.overHttp({ url: receiverOf(port), signingSecret: SECRET });
}

function receiverOf(port: number | undefined): string {
  return `http://127.0.0.1:${port}/slack/events`;
}

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'standin', cluster: { server } }],
    users: [{ name: 'oncall', user: {} }],
    contexts: [{ name: 'standin', context: { cluster: 'standin', user: 'oncall' } }],
    'current-context': 'standin',
  });
}

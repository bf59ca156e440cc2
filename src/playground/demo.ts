import { OomError } from '../model/errors.ts';
import { createSystemClock } from '../system/clock.ts';
import type { ClusterState, PodState } from './cluster/cluster-state.ts';
import { openScenario } from './scenarios/open-scenario.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';

/** A scenario that runs in this process, for the terminal. Plain values only: it comes from a bundle of its own. */
export type Demo = {
  readonly kind: 'running';
  readonly says: string;
  /** `llm/vllm-server`. */
  readonly workload: string;
  readonly kubeconfig: string;
  readonly cluster: string;
  readonly prometheus: string;
  close(): Promise<void>;
};

export type DemoRefusal = { readonly kind: 'refused'; readonly says: string; readonly next: string };

export type DemoOptions = {
  readonly port: number | undefined;
  /** Called with each line of news about the cluster. */
  readonly news: (line: string) => void;
};

/** Names and sentences of all scenarios. */
export function listScenarios(): readonly { readonly name: string; readonly says: string }[] {
  return SCENARIOS.map(({ name, says }) => ({ name, says }));
}

/** Starts a scenario, the first unless named; refuses a name that does not exist and a port that is taken. */
export async function startDemo(name: string | undefined, { port, news }: DemoOptions): Promise<Demo | DemoRefusal> {
  try {
    const open = await openScenario(name ?? SCENARIOS[0]?.name ?? '', {
      clock: createSystemClock(),
      speed: 1,
      ports: { api: port },
    });
    let last = open.state();
    open.subscribe((state) => {
      for (const line of newsOf(last, state)) news(line);
      last = state;
    });
    const [service] = open.scenario.services;
    return {
      kind: 'running',
      says: open.scenario.says,
      workload: `${service?.namespace}/${service?.name}`,
      kubeconfig: open.kubeconfig,
      cluster: open.api.url,
      prometheus: open.prometheus,
      close: open.close,
    };
  } catch (error) {
    if (!(error instanceof OomError)) throw error;
    return { kind: 'refused', says: error.message, next: error.next };
  }
}

/** What changed since the state before, a line for each pod: `03:12:04 vllm-server-… died: OOMKilled, exit 137 (4 restarts)`. */
export function newsOf(before: ClusterState, now: ClusterState): readonly string[] {
  const time = new Date(now.at).toISOString().slice(11, 19);
  const old = podsOf(before);
  const fresh = podsOf(now);
  const gone = [...old.keys()].filter((uid) => !fresh.has(uid)).map((uid) => `${old.get(uid)?.name} is gone`);
  const changes = [...fresh].flatMap(([uid, pod]) => {
    const change = changeOf(old.get(uid), pod);
    return change === undefined ? [] : [`${pod.name} ${change}`];
  });
  return [...gone, ...changes].map((change) => `${time} ${change}`);
}

function podsOf(state: ClusterState): Map<string, PodState> {
  return new Map(state.services.flatMap(({ pods }) => pods).map((pod) => [pod.uid, pod]));
}

function changeOf(before: PodState | undefined, pod: PodState): string | undefined {
  if (before === undefined) return 'starts';
  const { lastDeath, restarts } = pod;
  if (restarts > before.restarts && lastDeath !== undefined) {
    return `died: ${lastDeath.reason}, exit ${lastDeath.exitCode} (${restarts} ${restarts === 1 ? 'restart' : 'restarts'})`;
  }
  if (pod.status === 'Terminating' && before.status !== 'Terminating') return 'terminates';
  if (pod.stage === 'dead' && before.stage !== 'dead') return 'lost its engine';
  if (pod.ready !== before.ready) return pod.ready ? 'is ready' : undefined;
  return pod.stage !== before.stage && pod.stage === 'loading' ? 'loads its model' : undefined;
}

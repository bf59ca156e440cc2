import type { GaugesRead } from '../../../model/gauges.ts';
import type { Baseline } from '../../../model/request-times.ts';
import type { EngineHistory, PodGauges } from '../../acting-ports.ts';
import type { Clock, ReadContext } from '../../ports.ts';
import { createReadBudget } from '../../read-budget.ts';
import { type Look, type LookBack, servingOf } from '../engine-eyes.ts';
import { type Past, readPast } from './read-history.ts';

export type PastDeps = {
  /** By cluster; a cluster without any metrics has none. */
  readonly history: ReadonlyMap<string, EngineHistory>;
  /** By cluster, as above. */
  readonly gauges?: ReadonlyMap<string, PodGauges>;
  readonly clock: Clock;
  readonly version: string;
  /** Prompts of at most so many tokens are short. */
  readonly shortTokens: number;
};

const HOUR_MS = 60 * 60_000;

/** The hour before the incident, of the pods that are there and of the one that died. */
export async function lookBack(deps: PastDeps, { target, pods, incident, signal }: LookBack): Promise<Baseline> {
  const to = incident.openedAt;
  const from = to - HOUR_MS;
  const died = { name: incident.pod, ip: null, ports: [], createdAt: 0, startedAt: null, worker: false };
  const all = pods.some(({ name }) => name === incident.pod) ? pods : [...pods, died];
  // What began after the hour had no part in it.
  const there = all.filter(({ createdAt, worker }) => createdAt < to && worker !== true);
  const ask = { ...placeOf(target), pods: there, from, to, mustLast: false, shortTokens: deps.shortTokens };
  const { times, restarts } = await readPast(deps.history.get(target.cluster), ask, contextOf(deps, signal));
  return { from, to, times, ...(restarts !== null && { restarts }) };
}

/** From the change until now, of the pods that serve. */
export function lookForward(deps: PastDeps, { target, pods, since, signal }: Look): Promise<Past> {
  const { shortTokens, clock } = deps;
  const ask = { ...placeOf(target), pods: servingOf(pods), from: since, to: clock.now(), mustLast: true, shortTokens };
  return readPast(deps.history.get(target.cluster), ask, contextOf(deps, signal));
}

/** How full the pods of a look are now; undefined where no metrics are configured. */
export async function lookAround(deps: PastDeps, { target, pods, signal }: Look): Promise<GaugesRead | undefined> {
  const there = pods.filter(({ terminating }) => !terminating);
  if (there.length === 0) return undefined;
  const ask = { ...placeOf(target), pods: there, to: deps.clock.now() };
  return deps.gauges?.get(target.cluster)?.read(ask, contextOf(deps, signal));
}

function placeOf({ cluster, object }: Look['target']): { cluster: string; namespace: string } {
  return { cluster, namespace: object.namespace };
}

function contextOf({ version }: PastDeps, signal: AbortSignal): ReadContext {
  return { signal, budget: createReadBudget(), progress: () => undefined, agent: `oombot/${version} (verification)` };
}

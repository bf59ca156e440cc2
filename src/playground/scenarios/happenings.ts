import { valueAt } from '../../model/json-patch.ts';
import type { KubeObject } from '../../standins/api-server/objects/world.ts';
import type { Controller } from '../cluster/simulated-cluster.ts';
import { readFlags } from '../engine/engine-settings.ts';
import type { Happening, RolloutChange, Scenario } from './scenario.ts';

const MINUTE_MS = 60_000;

/** What happens in a scenario as controllers of the cluster, each at its minute from `begunAt` on. */
export function controllersOf(scenario: Scenario, begunAt: number): readonly Controller[] {
  return scenario.happens.flatMap((happening) => {
    const service = scenario.services.find(({ name }) => name === happening.service);
    if (service === undefined) return [];
    const at = begunAt + happening.atMinute * MINUTE_MS;
    if (happening.kind === 'traffic') return [newTraffic(happening, at)];
    const find = (objects: readonly KubeObject[]): KubeObject | undefined =>
      objects.find(({ kind, metadata }) => kind === service.kind && metadata.name === service.name);
    return [happening.kind === 'rollout' ? rollout(happening, at, find) : revert(happening, at, find)];
  });
}

function newTraffic({ service, shape }: Extract<Happening, { kind: 'traffic' }>, at: number): Controller {
  let isDone = false;
  return ({ traffic }, now) => {
    const one = traffic.get(service);
    if (isDone || now < at || one === undefined) return;
    isDone = true;
    one.shape = shape;
  };
}

type Find = (objects: readonly KubeObject[]) => KubeObject | undefined;

function rollout({ by, set }: Extract<Happening, { kind: 'rollout' }>, at: number, find: Find): Controller {
  let isDone = false;
  return ({ storage }, now) => {
    const workload = find(storage.world.objects);
    if (isDone || now < at || workload === undefined) return;
    isDone = true;
    storage.save(workload, withChange(workload, set), { manager: by });
  };
}

// As long as an autoscaler takes to look, or Argo CD to notice.
const NOTICED_AFTER_MS = 5000;

// What was wanted before others changed it comes back.
function revert({ by, what }: Extract<Happening, { kind: 'revert' }>, at: number, find: Find): Controller {
  let wanted: unknown;
  let differsSince: number | undefined;
  return ({ storage }, now) => {
    const workload = find(storage.world.objects);
    if (workload === undefined || now < at) return;
    const spec = workload.spec as Readonly<Record<string, unknown>>;
    const current = what === 'replicas' ? spec.replicas : spec;
    wanted ??= current;
    if (JSON.stringify(current) === JSON.stringify(wanted)) {
      differsSince = undefined;
      return;
    }
    differsSince ??= now;
    if (now - differsSince < NOTICED_AFTER_MS) return;
    const restored = what === 'replicas' ? { ...spec, replicas: wanted } : wanted;
    storage.save(workload, { ...workload, spec: restored }, { manager: by });
  };
}

function withChange(workload: KubeObject, { flags = {}, memory }: RolloutChange): KubeObject {
  const changed = structuredClone(workload) as KubeObject;
  const container = valueAt(changed, '/spec/template/spec/containers/0') as {
    args: string[];
    resources: { limits: Record<string, string>; requests: Record<string, string> };
  };
  container.args = setFlags(container.args, flags);
  if (memory !== undefined) {
    container.resources.limits.memory = memory;
    container.resources.requests.memory = memory;
  }
  return changed;
}

/** Arguments with these flags: a value sets, null removes, the empty text is a flag without a value. */
export function setFlags(args: readonly string[], flags: Readonly<Record<string, string | null>>): string[] {
  const all = new Map(readFlags(args));
  for (const [flag, value] of Object.entries(flags)) {
    if (value === null) all.delete(flag);
    else all.set(flag, value === '' ? 'true' : value);
  }
  return [...all].flatMap(([flag, value]) => (value === 'true' ? [flag] : [flag, value]));
}

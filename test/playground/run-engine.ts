import { valueAt } from '../../src/model/json-patch.ts';
import { createTraffic } from '../../src/playground/cluster/create-traffic.ts';
import { containerOf, nodeLeftGib } from '../../src/playground/cluster/engine-runtime.ts';
import { serviceObjects } from '../../src/playground/cluster/service-objects.ts';
import { GIB } from '../../src/playground/engine/arithmetic.ts';
import { createEngine } from '../../src/playground/engine/create-engine.ts';
import type { EngineService } from '../../src/playground/engine/engine-service.ts';
import type { TrafficShape } from '../../src/playground/engine/traffic.ts';
import { setFlags } from '../../src/playground/scenarios/happenings.ts';
import type { Scenario } from '../../src/playground/scenarios/scenario.ts';
import type { KubeObject } from '../../src/standins/api-server/objects/world.ts';

/** What differs from a scenario: flags, where null removes one; variables; parts of the service and of the traffic. */
export type Change = {
  readonly flags?: Readonly<Record<string, string | null>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly service?: Partial<EngineService>;
  readonly traffic?: Partial<TrafficShape>;
};

export type Outcome = {
  readonly end: string | undefined;
  readonly lastLines: string;
  readonly finished: number;
  readonly preempted: number;
};

const START = Date.UTC(2026, 0, 15, 3, 0, 0);

/** Runs one engine of a scenario under its heaviest traffic; `end` is undefined if it still serves after the minutes. */
export function runEngine(scenario: Scenario, minutes: number, change: Change = {}): Outcome {
  const [own] = scenario.services as [EngineService];
  const service: EngineService = { ...own, ...change.service };
  const template = valueAt(serviceObjects(service).workload, '/spec/template') as KubeObject;
  const container = containerOf(template);
  const engine = createEngine({
    service,
    ...container,
    args: setFlags(container.args, change.flags ?? {}),
    env: { ...container.env, ...change.env },
    startedAt: START,
    otherGib: () => service.otherProcess?.gib ?? 0,
    sharedLeft: 0,
    nodeLeft: () => nodeLeftGib(service, service.node?.fromMinute ?? 0) * GIB,
  });
  const traffic = createTraffic({ ...heaviest(scenario, service.name), ...change.traffic });
  for (let now = START; now <= START + minutes * 60_000; now += 1000) {
    for (const request of engine.isReady() ? traffic.second(now, 1) : []) engine.offer(request);
    const exit = engine.run(now);
    if (exit !== undefined) {
      const lastLines = engine.log
        .slice(-12)
        .map(({ text }) => text)
        .join('\n');
      return { end: exit.reason, lastLines, finished: engine.counts.finished, preempted: engine.counts.preempted };
    }
  }
  return { end: undefined, lastLines: '', finished: engine.counts.finished, preempted: engine.counts.preempted };
}

function heaviest({ happens, traffic }: Scenario, service: string): TrafficShape {
  const shapes = happens.flatMap((one) => (one.kind === 'traffic' ? [one.shape] : []));
  const shape = shapes.find(({ requestsPerSecond }) => requestsPerSecond > 0) ?? traffic[service];
  if (shape === undefined) throw new Error(`no traffic for ${service}`);
  return shape;
}

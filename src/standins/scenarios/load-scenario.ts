import { readFileSync } from 'node:fs';
import type { LifeSettings } from '../api-server/life/settings.ts';
import { type ApiWorld, aWorld, type ContainerLog, type Denial, type KubeObject } from '../api-server/objects/world.ts';
import { SCENARIOS } from './scenarios.ts';

export type Scenario = { readonly world: ApiWorld; readonly life?: Partial<LifeSettings> | undefined };

type ScenarioFile = {
  readonly scenario?: string;
  readonly objects?: readonly KubeObject[];
  readonly logs?: readonly ContainerLog[];
  readonly denied?: readonly Denial[];
  readonly life?: Partial<LifeSettings>;
};

/** A scenario by its name, or from a JSON file with `objects`, `logs`, `denied`, `life`, or the name of a `scenario` to build on. */
export function loadScenario(nameOrFile: string, now: number): Scenario {
  if (nameOrFile in SCENARIOS) return { world: worldOf(nameOrFile, now) };
  const { scenario, life, ...parts } = JSON.parse(readFileSync(nameOrFile, 'utf8')) as ScenarioFile;
  const base = scenario === undefined ? aWorld({}) : worldOf(scenario, now);
  return {
    world: aWorld({
      objects: [...base.objects, ...(parts.objects ?? [])],
      logs: [...base.logs, ...(parts.logs ?? [])],
      denied: [...base.denied, ...(parts.denied ?? [])],
    }),
    life,
  };
}

function worldOf(name: string, now: number): ApiWorld {
  const make = SCENARIOS[name];
  if (make === undefined) throw new Error(`no scenario ${name}: ${Object.keys(SCENARIOS).join(', ')}`);
  return make(now);
}

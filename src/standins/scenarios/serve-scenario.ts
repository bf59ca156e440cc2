import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createApiServerStandin } from '../api-server/create-api-server-standin.ts';
import type { LifeSettings } from '../api-server/life/settings.ts';
import { type ApiWorld, aWorld, type ContainerLog, type Denial, type KubeObject } from '../api-server/objects/world.ts';
import { SCENARIOS } from './scenarios.ts';

// The stand-in in a process of its own: `node src/standins/scenarios/serve-scenario.ts <scenario or file> [--port N] [--speed X]`.
// Prints one line of JSON, {"url": ..., "port": ...}, when it listens. Time is real, `--speed` times as fast; with
// `--speed 0` it moves only by POST /_standin/advance {"ms": ...}.

const TICK_MS = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '0' }, speed: { type: 'string', default: '1' } },
});

const now = Date.now();
const { world, life } = loadScenario(positionals[0] ?? 'oom-killed', now);
const standin = await createApiServerStandin(world, { life, now, port: Number(values.port), control: true });

const speed = Number(values.speed);
if (speed > 0) {
  let last = Date.now();
  setInterval(() => {
    const at = Date.now();
    standin.cluster.advance((at - last) * speed);
    last = at;
  }, TICK_MS);
}

process.stdout.write(`${JSON.stringify({ url: standin.url, port: Number(new URL(standin.url).port) })}\n`);

type Scenario = { readonly world: ApiWorld; readonly life?: Partial<LifeSettings> | undefined };

type ScenarioFile = {
  readonly scenario?: string;
  readonly objects?: readonly KubeObject[];
  readonly logs?: readonly ContainerLog[];
  readonly denied?: readonly Denial[];
  readonly life?: Partial<LifeSettings>;
};

/** A scenario by its name, or from a JSON file with `objects`, `logs`, `denied`, `life`, or the name of a `scenario` to build on. */
function loadScenario(nameOrFile: string, now: number): Scenario {
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

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { SCENARIO_POD } from '../src/standins/scenarios/scenarios.ts';
import { type Figure, holds, median } from './harness.ts';

const POD_COUNTS = [10, 2000];
const ROUNDS = 15;
const { namespace, pod } = SCENARIO_POD;

/** What the guides have people type, one after the other, once a pod has died. */
const BY_HAND = [
  `get pod ${pod} -o wide`,
  `describe pod ${pod}`,
  `logs ${pod} --previous`,
  `logs ${pod}`,
  `get events --field-selector involvedObject.name=${pod}`,
  `top pod ${pod} --containers`,
  `get pod ${pod} -o json`,
]
  .map((words) => `kubectl -n ${namespace} ${words}`)
  .join(' && ');
const TRIAGE = `'${process.execPath}' dist/oom.mjs triage ${namespace}/${pod}`;

type Cost = { readonly wall: number; readonly cpu: number };

/** `oom triage` against the seven commands on the same API server, in small and large namespaces. */
export async function benchTerminal(): Promise<Figure[]> {
  if (!isThere('kubectl')) {
    console.log('terminal: skipped, there is no kubectl on the PATH');
    return [{ name: 'oom triage against seven kubectl commands', seen: '-', budget: '-', ok: 'skipped' }];
  }
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'ignore' });
  const figures: Figure[] = [];
  for (const pods of POD_COUNTS) figures.push(...(await compare(pods)));
  return figures;
}

async function compare(pods: number): Promise<Figure[]> {
  const server = spawn(process.execPath, ['bench/terminal-child.ts', String(pods)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface(server.stdout);
    const [folder] = (await once(lines, 'line')) as [string];
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      KUBECONFIG: `${folder}/kubeconfig.yaml`,
      DATABASE_URL: `sqlite:${folder}/oom.db`,
    };
    const measure = (command: string) => timed(command, env);
    // The first of each fills its caches, on disk as well.
    for (const command of [BY_HAND, TRIAGE]) measure(command);
    const rounds = Array.from({ length: ROUNDS }, () => ({ hand: measure(BY_HAND), oom: measure(TRIAGE) }));
    const of = (who: 'hand' | 'oom', what: keyof Cost) => median(rounds.map((round) => round[who][what]));
    return (['wall', 'cpu'] as const).map((what) => {
      const [oom, hand] = [of('oom', what), of('hand', what)];
      const name = `oom triage against seven kubectl commands, ${pods} pods: ${what} (${ms(oom)} against ${ms(hand)})`;
      return holds(name, oom / hand, what === 'wall' ? 1 : 1.15, '');
    });
  } finally {
    server.stdin.end();
  }
}

function ms(seconds: number): string {
  return `${(seconds * 1000).toFixed(0)} ms`;
}

// The shell counts the time of all that it starts. `set -e` is not enough: a command that fails must not pass for a quick one.
function timed(command: string, env: NodeJS.ProcessEnv): Cost {
  const script = `TIMEFORMAT='%3R %3U %3S'; time { ${command}; } >/dev/null 2>&1 || exit 1`;
  const said = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`], { env, encoding: 'utf8' });
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = said.trim().split(' ').map(Number);
  return { wall, cpu: user + system };
}

function isThere(command: string): boolean {
  try {
    execFileSync('bash', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

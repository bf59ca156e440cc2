import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { exampleDiagnosis, exampleIncident } from '../../../../src/model/examples.ts';
import { valueAt } from '../../../../src/model/json-patch.ts';
import type { Plan, PlanStep, Run } from '../../../../src/model/plan.ts';
import { aDeployment } from '../../../../src/standins/api-server/builders.ts';
import type { WriteEntry } from '../../../../src/standins/api-server/write/write-log.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import { openStore } from '../../../../src/wire/open-store.ts';
import { aStopBleed, NEW_ARGS, OLD_ARGS } from '../plans.ts';
import type { Errand } from './carry-runs.ts';
import { createKillProxy, type KillProxy } from './kill-proxy.ts';

const HERE = import.meta.dirname;
const STANDIN = join(HERE, '../../../../src/standins/api-server/main.ts');
const LEASE_MS = 31_000;
const ARGS = '/spec/template/spec/containers/0/args';

type Write = Pick<WriteEntry, 'path' | 'body' | 'dryRun' | 'outcome'>;

export type KillLab = {
  readonly folder: string;
  /** A workload of its own, with an approved plan for it in a store, and a proxy before the API server. */
  open(name: string, store: string, options?: { viaScale?: boolean }): Promise<Patient>;
  close(): Promise<void>;
};

/** One run that is carried by processes which are killed. */
export type Patient = {
  readonly runId: string;
  readonly proxy: KillProxy;
  start(options?: { bad?: boolean; shiftMs?: number }): Bot;
  run(): Promise<Run>;
  /** Steps whose writes were applied, in order, by the marks in the stand-in's own log. */
  applied(): Promise<readonly number[]>;
  /** Counts that were set through /scale, in order. */
  scaled(): Promise<readonly unknown[]>;
  /** Writes that came and changed nothing. */
  absorbed(): Promise<number>;
  /** What stands there in the end: replicas and arguments. */
  values(): Promise<readonly [unknown, unknown]>;
  close(): Promise<void>;
};

export type Bot = { readonly process: ChildProcess; readonly exit: Promise<'killed' | number>; kill(): void };

/** The stand-in API server in a process of its own, with as many workloads as asked for. */
export async function openKillLab(names: readonly string[]): Promise<KillLab> {
  const folder = mkdtempSync(join(tmpdir(), 'oom-kill-'));
  const file = join(folder, 'world.json');
  const objects = names.flatMap((name) => aDeployment({ name, replicas: 2, template: [{ args: OLD_ARGS }] }).all);
  writeFileSync(file, JSON.stringify({ objects, life: { loadMs: 30, terminateMs: 20 } }));
  const standin = spawn(process.execPath, [STANDIN, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: standin.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const patients: Patient[] = [];
  return {
    folder,
    async open(name, store, { viaScale = false } = {}) {
      const patient = await openPatient(url, { name, store, viaScale });
      patients.push(patient);
      return patient;
    },
    async close() {
      for (const patient of patients) await patient.close();
      standin.kill('SIGKILL');
      await once(standin, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Place = { readonly name: string; readonly uid: string; readonly incidentId: string; readonly viaScale: boolean };

function aPlan({ name, uid, incidentId, viaScale }: Place): Plan {
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'llm', name, uid };
  const plan = aStopBleed({}, { everyMs: 100, forMs: 300 });
  // Short enough that the polls need not be spread.
  const quick = (step: PlanStep): PlanStep => {
    if (step.kind === 'write') {
      const counts = step.patch.every(({ path }) => path === '/spec/replicas');
      return { ...step, object, subresource: viaScale && counts ? 'scale' : 'none' };
    }
    if (step.kind === 'wait') return { ...step, deadlineMs: 10_000 };
    return step.kind === 'verify' ? { ...step, everyMs: 100 } : step;
  };
  return {
    ...plan,
    id: `plan_${name.padStart(20, '0').replaceAll('-', '0')}`,
    incidentId,
    target: { cluster: 'prod', object, container: plan.target.container },
    steps: plan.steps.map(quick),
    proposedAt: Date.now(),
    expiresAt: Date.now() + 900_000,
  };
}

type Opening = { readonly name: string; readonly store: string; readonly viaScale: boolean };

async function openPatient(standin: string, { name, store: url, viaScale }: Opening): Promise<Patient> {
  const clock = createSystemClock();
  const store = await openStore(url, { clock, ids: createSystemIds() });
  const { key, cluster, namespace, pod, workload } = exampleIncident;
  const { incident } = await store.recordFinding({
    draft: { key: `${key}${name}`, cluster, namespace, pod, workload, verdict: exampleDiagnosis.verdict },
    snapshot: { id: `snap_${name}`, files: { 'pod.json': '{}' } },
    diagnosis: exampleDiagnosis,
    actor: 'U_ONCALL',
    at: Date.now(),
    windowMs: 3_600_000,
  });
  const at = `/apis/apps/v1/namespaces/llm/deployments/${name}`;
  const objectNow = async (): Promise<unknown> => (await fetch(`${standin}${at}`)).json();
  const plan = aPlan({
    name,
    uid: String(valueAt(await objectNow(), '/metadata/uid')),
    incidentId: incident.id,
    viaScale,
  });
  await store.savePlan(plan);
  const click = { planId: plan.id, hash: plan.hash, who: 'U_APPROVER', decision: 'approve' as const };
  const clicked = await store.click({ ...click, barRequester: false, breakGlass: null, at: Date.now() });
  if (clicked.kind !== 'run') throw new Error(`no run: ${JSON.stringify(clicked)}`);
  const runId = clicked.run.id;
  await store.close();
  const proxy = await createKillProxy(standin);
  const bots: Bot[] = [];
  const writes = async (): Promise<readonly Write[]> => {
    const all = (await (await fetch(`${standin}/_standin/writes`)).json()) as Write[];
    return all.filter(({ path, dryRun }) => (path === at || path === `${at}/scale`) && !dryRun);
  };
  return {
    runId,
    proxy,
    start({ bad = false, shiftMs = 0 } = {}) {
      const bot = startBot({ store: url, api: proxy.url, runId, bad }, shiftMs);
      bots.push(bot);
      return bot;
    },
    async run() {
      const again = await openStore(url, { clock, ids: createSystemIds() });
      const run = await again.run(runId);
      await again.close();
      if (run === undefined) throw new Error('the run is gone');
      return run;
    },
    applied: async () =>
      (await writes()).filter(({ outcome, path }) => outcome === 'applied' && path === at).map(markOf),
    scaled: async () =>
      (await writes()).flatMap(({ outcome, path, body }) =>
        outcome === 'applied' && path !== at ? [(body as { value?: unknown }[]).at(-1)?.value] : [],
      ),
    absorbed: async () => (await writes()).filter(({ outcome }) => outcome !== 'applied').length,
    async values() {
      const object = await objectNow();
      return [valueAt(object, '/spec/replicas'), valueAt(object, ARGS)];
    },
    async close() {
      for (const bot of bots) bot.kill();
      await Promise.all(bots.map(({ exit }) => exit));
      await proxy.close();
    },
  };
}

function markOf({ body }: Write): number {
  const mark = (body as { path: string; value?: unknown }[]).findLast(({ path }) => path.endsWith('oombot.dev~1run'));
  if (mark !== undefined) return Number(String(mark.value).split('/')[1]);
  const map = (body as { path: string; value?: Record<string, string> }[]).find(
    ({ path }) => path === '/metadata/annotations',
  );
  return Number(map?.value?.['oombot.dev/run']?.split('/')[1] ?? Number.NaN);
}

function startBot(errand: Errand, shiftMs: number): Bot {
  const process_ = spawn(
    process.execPath,
    ['--import', join(HERE, 'shift-date.ts'), join(HERE, 'carry-runs.ts'), JSON.stringify(errand)],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, OOM_TEST_SHIFT_MS: String(shiftMs) } },
  );
  let complaint = '';
  process_.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  const exit = once(process_, 'exit').then(([code, signal]: (number | string | null)[]) => {
    if (signal === 'SIGKILL') return 'killed' as const;
    if (code !== 0) throw new Error(`the bot ended with ${code}: ${complaint}`);
    return 0;
  });
  // Whoever does not wait for it is not to be told.
  exit.catch(() => undefined);
  return { process: process_, exit, kill: () => void process_.kill('SIGKILL') };
}

export const FORWARD = [1, 3, 4, 6];
/** The way back, by the numbers that its marks bear. */
export const BACK = [11, 13, 14, 16];
export const BEFORE = [2, OLD_ARGS] as const;
export const AFTER = [2, NEW_ARGS] as const;
export { LEASE_MS };

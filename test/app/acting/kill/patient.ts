import type { ActingCluster } from '../../../../src/app/acting-ports.ts';
import type { Run } from '../../../../src/model/plan.ts';
import { apiVersionOf, parseApiPath, RESOURCES } from '../../../../src/standins/api-server/objects/resources.ts';
import type { KubeObject } from '../../../../src/standins/api-server/objects/world.ts';
import type { WriteEntry } from '../../../../src/standins/api-server/write/write-log.ts';
import { migrateEngine } from '../../../../src/steps/open-backend.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { createSystemIds } from '../../../../src/system/ids.ts';
import { type DurableStore, openStore } from '../../../../src/wire/open-store.ts';
import { aClick } from '../../../fakes/plans.ts';
import { bareObjects, changesOf } from '../owners/changes.ts';
import type { Errand } from './carry-run.ts';
import type { KillKind } from './kill-kinds.ts';
import { createKillProxy, type KillProxy } from './kill-proxy.ts';
import { makeKillPlan } from './make-kill-plan.ts';

/** One run of an approved plan, which is carried by processes that are killed. */
export type Patient = {
  readonly runId: string;
  readonly proxy: KillProxy;
  /** What a bot has to do for it. */
  errand(over?: Partial<Errand>): Errand;
  run(): Promise<Run>;
  /** What the stand-in's own log has of the bots, with what came of it. */
  look(): Promise<PatientSeen>;
  /** Takes its objects off the stand-in, which has to keep all of them alive. */
  discharge(): Promise<void>;
  close(): Promise<void>;
};

export type PatientSeen = {
  /** Writes that were applied, in order: the number in the mark and the kind, or the count behind `/scale`. */
  readonly applied: readonly string[];
  /** Writes that came and changed nothing. */
  readonly absorbed: number;
  /** What is another than before the plan was made. */
  readonly changed: readonly string[];
};

/** The stand-in API server, and the way to it. */
export type Ward = { readonly url: string; readonly cluster: ActingCluster };

const LOOK_MS = 40;

/** Makes the workload in a namespace of its own, plans its change, approves it, and puts a proxy before the API server. */
export async function openPatient(
  { url, cluster }: Ward,
  kind: KillKind,
  { namespace, store: place }: { readonly namespace: string; readonly store: string },
): Promise<Patient> {
  for (const object of kind.objects) await make(url, object, namespace);
  const objects = async () => (await ask(`${url}/_standin/objects/${namespace}`)) as readonly KubeObject[];
  await until(async () => (await objects()).filter(isServing).length === kind.pods);
  const before = bareObjects(await objects());
  const owner = (await objects()).find((one) => one.kind === kind.objects.at(-1)?.kind);
  if (owner === undefined) throw new Error(`no ${kind.says}`);
  const tools = { clock: createSystemClock(), ids: createSystemIds() };
  const store = await openStore(place, { ...tools, alsoMigrate: () => migrateEngine(place) });
  const runId = await approve(store, await makeKillPlan(kind, { store, cluster, owner }));
  await store.close();
  const proxy = await createKillProxy(url);
  return {
    runId,
    proxy,
    errand: (over = {}) => ({ store: place, api: proxy.url, runId, bad: false, lingerMs: 0, ...over }),
    async run() {
      const again = await openStore(place, tools);
      const run = await again.run(runId);
      await again.close();
      if (run === undefined) throw new Error('the run is gone');
      return run;
    },
    async look() {
      const writes = ((await ask(`${url}/_standin/writes/${namespace}`)) as WriteEntry[]).filter(isOfBot);
      return {
        applied: writes.filter(({ outcome }) => outcome === 'applied').map(nameWrite),
        absorbed: writes.filter(({ outcome }) => outcome !== 'applied').length,
        changed: changesOf(before, bareObjects(await objects())).toSorted(),
      };
    },
    async discharge() {
      await fetch(`${url}/_standin/objects/${namespace}`, { method: 'DELETE' });
    },
    close: () => proxy.close(),
  };
}

async function ask(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const { clock, end } = { clock: createSystemClock(), end: Date.now() + 20_000 };
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('the workload does not serve');
    await clock.sleep(LOOK_MS);
  }
}

async function make(url: string, object: KubeObject, namespace: string): Promise<void> {
  const resource = RESOURCES.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (resource === undefined) throw new Error(`the stand-in knows no ${object.kind}`);
  const root = resource.group === '' ? 'api' : 'apis';
  const body = { ...object, metadata: { ...object.metadata, namespace } };
  const answer = await fetch(`${url}/${root}/${object.apiVersion}/namespaces/${namespace}/${resource.plural}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${object.kind} was not made: ${await answer.text()}`);
}

function isServing({ kind, status }: KubeObject): boolean {
  const conditions = (status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
  return kind === 'Pod' && conditions.some((one) => one.type === 'Ready' && one.status === 'True');
}

async function approve(store: DurableStore, plan: { id: string; hash: string }): Promise<string> {
  const clicked = await store.click(aClick(plan, { at: Date.now() }));
  if (clicked.kind !== 'run') throw new Error(`no run: ${JSON.stringify(clicked)}`);
  return clicked.run.id;
}

function isOfBot({ dryRun, userAgent }: WriteEntry): boolean {
  return !dryRun && userAgent.startsWith('oombot/');
}

type Operation = { readonly path: string; readonly value?: unknown };

function nameWrite({ path, body }: WriteEntry): string {
  const at = parseApiPath(path);
  if (at?.subresource === 'scale') return `/scale ${(body as Operation[]).at(-1)?.value}`;
  // Our annotations are taken off by a write without a mark.
  return `${numberOf(body) ?? 'cleared'} ${at?.resource.kind}`;
}

const MARK = 'oombot.dev/run';

// In the annotations of what is made, in a patch of one annotation, or in one that adds the map.
function numberOf(body: unknown): string | undefined {
  const values = Array.isArray(body) ? (body as Operation[]) : [];
  const one = values.findLast(({ path }) => path.endsWith(MARK.replace('/', '~1')))?.value;
  const map = Array.isArray(body)
    ? values.findLast(({ path }) => path === '/metadata/annotations')?.value
    : (body as KubeObject).metadata.annotations;
  const mark = one ?? (map as Record<string, unknown> | undefined)?.[MARK];
  return String(mark).split('/')[1];
}

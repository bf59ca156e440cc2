import { describe, expect, it } from 'vitest';
import type { ActionId } from '../../../../src/model/action.ts';
import { valueAt } from '../../../../src/model/json-patch.ts';
import type { Edit } from '../../../../src/model/verdict.ts';
import { refuse } from '../../../../src/standins/api-server/objects/status.ts';
import type { WriteEntry } from '../../../../src/standins/api-server/write/write-log.ts';
import { someEyes, WELL } from '../bench.ts';
import { changesOf } from './changes.ts';
import { anEdit, type OwnerLab, openOwner, type Standing } from './owner-lab.ts';
import { OWNERS, type OwnerCase } from './owner-objects.ts';

const ALLOCATOR = { name: 'PYTORCH_CUDA_ALLOC_CONF', value: 'expandable_segments:True' };

type Job = { readonly name: string; readonly action: ActionId; readonly edits: readonly Edit[] };
const JOBS = {
  zero: { name: 'scale to zero', action: 'scale-to-zero', edits: [] },
  args: { name: 'conservative arguments', action: 'set-args', edits: [anEdit('--max-model-len', '8192')] },
  bleed: { name: 'the stop-bleed sequence', action: 'stop-bleed', edits: [anEdit('--max-model-len', '8192')] },
  allocator: { name: 'allocator', action: 'set-allocator', edits: [anEdit(ALLOCATOR.name, ALLOCATOR.value)] },
  ram: { name: 'RAM limit', action: 'raise-ram', edits: [anEdit('resources.limits.memory', '48Gi')] },
  restart: { name: 'restart', action: 'restart-drained', edits: [] },
  prefix: { name: 'prefix caching off', action: 'set-args', edits: [anEdit('--enable-prefix-caching', 'false')] },
} as const satisfies Record<string, Job>;
type JobId = keyof typeof JOBS;

/** Where a kind keeps what is changed, and what it cannot do: then the command. */
type Places = {
  readonly zero: string;
  readonly template?: readonly string[];
  readonly words: string;
  readonly containers: readonly string[];
  /** What a change of the words looks like where they are no list of words. */
  readonly config?: readonly string[];
  readonly byHand?: Partial<Record<JobId | 'revision', RegExp>>;
};

const plainPlaces = (kind: string): Places => ({
  zero: `${kind} /spec/replicas: 2 -> 0`,
  template: [`${kind} /spec/template/metadata/annotations: none`],
  words: `${kind} /spec/template/spec/containers/0/args`,
  containers: [`${kind} /spec/template/spec/containers/0`],
});
const GROUP = 'LeaderWorkerSet /spec/leaderWorkerTemplate';
const SERVICE: Places = {
  zero: 'InferenceService /metadata/annotations/serving.kserve.io/stop: none -> true',
  words: 'InferenceService /spec/predictor/model/args',
  containers: ['InferenceService /spec/predictor/model'],
  byHand: { revision: /^kubectl -n llm get inferenceservice\.serving\.kserve\.io\/vllm -o yaml/ },
};
const PLACES: Readonly<Record<string, Places>> = {
  Deployment: plainPlaces('Deployment'),
  StatefulSet: plainPlaces('StatefulSet'),
  LeaderWorkerSet: {
    zero: 'LeaderWorkerSet /spec/replicas: 2 -> 0',
    template: [`${GROUP}/leaderTemplate/metadata/annotations: none`, `${GROUP}/workerTemplate/metadata: none`],
    words: `${GROUP}/leaderTemplate/spec/containers/0/command`,
    containers: [`${GROUP}/leaderTemplate/spec/containers/0`, `${GROUP}/workerTemplate/spec/containers/0`],
    byHand: {
      revision: /^kubectl -n llm get controllerrevisions -l leaderworkerset\.sigs\.k8s\.io\/name=vllm -o yaml$/,
    },
  },
  'InferenceService (Serverless)': SERVICE,
  'InferenceService (RawDeployment)': SERVICE,
  Workspace: {
    zero: 'StatefulSet /spec/replicas: 2 -> 0',
    words: '',
    containers: [],
    config: [
      'StatefulSet /spec/template/metadata/annotations/kaito.sh/config: qwen-config -> qwen-config-oom-…',
      'Workspace /inference/config: qwen-config -> qwen-config-oom-…',
      'ConfigMap made',
    ],
    byHand: {
      allocator:
        /^kubectl -n llm set env statefulset\.apps\/vllm -c vllm PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True$/,
      ram: /^kubectl -n llm set resources statefulset\.apps\/vllm -c vllm --limits=memory=48Gi$/,
      revision: /^kubectl -n llm get workspace\.kaito\.sh\/vllm -o yaml/,
    },
  },
  'Rollout (canary)': plainPlaces('Rollout'),
  'Rollout (blue-green)': plainPlaces('Rollout'),
};

function expectedOf(job: JobId, { zero, template = [], words, containers, config }: Places, kserve: boolean): string[] {
  const length = kserve ? '--max-model-len=32768 -> --max-model-len=8192' : '32768 -> 8192';
  switch (job) {
    case 'zero':
      return [zero];
    case 'args':
    case 'bleed':
      return [...(config ?? [`${words}: ${length}`])];
    case 'prefix':
      return [...(config ?? [`${words}: --enable-prefix-caching -> --no-enable-prefix-caching`])];
    case 'allocator':
      return containers.map((at) => `${at}/env/1: none -> ${JSON.stringify(ALLOCATOR)}`);
    case 'ram':
      return containers.flatMap((at) =>
        ['limits', 'requests'].map((of) => `${at}/resources/${of}/memory: 32Gi -> 48Gi`),
      );
    case 'restart':
      return [...template];
  }
}

const IDLE = someEyes({ readings: async () => ({ ...WELL, running: { kind: 'known', value: 0 } }) });

async function openFor(owner: OwnerCase, standing: Standing, replicas = 2, previousTemplate?: unknown) {
  const room = (owner.size ?? 1) * 2;
  return openOwner(owner.name, { replicas, standing, room, previousTemplate, deps: { eyes: IDLE } });
}

/** Counts that were set in the cluster, in order. */
// A Workspace is one engine over its nodes. An InferenceService is stopped, and has a range where no Knative runs it.
const COUNTS_THROUGH_ZERO: Readonly<Record<string, readonly number[]>> = {
  Workspace: [0, 2],
  InferenceService: [1, 2],
};
const COUNTS: readonly unknown[] = ['/spec/replicas', '/spec/predictor/minReplicas'];

function countsIn({ standin }: OwnerLab): unknown[] {
  return standin.writes
    .filter(({ dryRun, outcome }) => !dryRun && outcome === 'applied')
    .flatMap(({ body }: WriteEntry) => (Array.isArray(body) ? body : []))
    .filter(({ op, path }: { op: string; path: string }) => op !== 'test' && COUNTS.includes(path))
    .map(({ value }: { value: unknown }) => value);
}

// A configuration that was made beside the old one stays: nothing reads it any more.
const withoutMade = (objects: readonly unknown[]): unknown[] =>
  objects.filter((one) => !String(valueAt(one, '/metadata/name')).includes('-oom-'));
const RESTARTED = /,?"annotations":\{"kubectl\.kubernetes\.io\/restartedAt":"[^"]+"\}/g;
const withoutRestart = (objects: readonly unknown[]): string =>
  JSON.stringify(withoutMade(objects))
    .replaceAll(RESTARTED, '')
    .replaceAll('"metadata":{},', '')
    .replaceAll(',"metadata":{}', '');

// Of these nothing differs but what the table of those that serve in part is about.
const ALIKE = ['InferenceService (RawDeployment)', 'Rollout (blue-green)'];
const FEW: readonly JobId[] = ['zero', 'bleed', 'restart'];
const rows = OWNERS.flatMap((owner) =>
  (Object.keys(JOBS) as JobId[])
    .filter((job) => !ALIKE.includes(owner.name) || FEW.includes(job))
    .map((job) => ({ owner, job })),
);
const isByHand = ({ owner, job }: (typeof rows)[number]): boolean =>
  PLACES[owner.name]?.byHand?.[job as JobId] !== undefined;

/** Those that `npm test` tries; the long run tries the others. */
export const QUICK: readonly string[] = ['Deployment', 'Workspace'];

/** Every action on every kind of owner, by the real flow against the API server; the costly rows only where `isIn` says so. */
export function testOwners(isIn: (owner: OwnerCase) => boolean): void {
  describe('with all replicas down, by the real flow against the API server', () => {
    it.each(rows.filter((row) => !isByHand(row) && (isIn(row.owner) || row.job === 'bleed')))(
      '$job of $owner.name, and back',
      async ({ owner, job }) => {
        const places = PLACES[owner.name] as Places;
        const lab = await openFor(owner, 'down');
        const before = lab.objects();

        const plan = await lab.planned(JOBS[job].action, JOBS[job]);
        expect(changesOf(before, lab.objects())).toEqual([]);
        lab.heal();
        const run = await lab.carryOut(plan);
        const changed = changesOf(before, lab.objects());
        const counts = countsIn(lab);
        const back = await lab.takeBack(run);

        expect([run.state, run.outcome]).toEqual(['done', 'All steps done.']);
        const expected = expectedOf(job, places, owner.kind === 'InferenceService');
        if (job === 'restart') expect(changed.map((one) => one.split(' ->')[0])).toEqual(expected);
        else expect(changed).toEqual(expected);
        const isScaled = counts.length > 0 && job !== 'zero';
        if (isScaled) expect(counts).toEqual(COUNTS_THROUGH_ZERO[owner.kind] ?? [0, 1, 2]);
        expect(back.state).toBe('rolled-back');
        expect(withoutRestart(lab.objects())).toBe(withoutRestart(before));
      },
    );

    it.each(rows.filter(isByHand))('$job of $owner.name is a command to paste', async ({ owner, job }) => {
      const lab = await openFor(owner, 'down');
      const before = lab.objects();

      const made = await lab.plan(JOBS[job].action, JOBS[job]);

      expect(made).toMatchObject({
        kind: 'refused',
        paste: expect.stringMatching(PLACES[owner.name]?.byHand?.[job] ?? /^$/),
      });
      expect(lab.objects()).toEqual(before);
    });

    it.each(OWNERS.filter(isIn))('$name comes back up to the recorded count, one first', async (owner) => {
      const lab = await openFor(owner, 'down');
      const before = lab.objects();
      await lab.carryOut(await lab.planned('scale-to-zero'));
      lab.heal();

      const run = await lab.carryOut(await lab.planned('scale-up'));

      expect(run.state).toBe('done');
      const isServerless = owner.name.includes('Serverless');
      expect(countsIn(lab)).toEqual(isServerless ? [] : (COUNTS_THROUGH_ZERO[owner.kind] ?? [0, 1, 2]));
      expect(lab.objects()).toEqual(before);
    });

    it.each(OWNERS.filter(isIn))('$name goes back to its recorded state by a plan of its own', async (owner) => {
      const lab = await openFor(owner, 'down');
      const before = lab.objects();
      const plan = await lab.planned('stop-bleed', JOBS.bleed);
      lab.heal();
      await lab.carryOut(plan);
      // What serves with the change is gone again: only then the way back may go through zero by itself.
      Object.assign(lab.standin.cluster.life, { crash: { afterMs: 1000, reason: 'Error', exitCode: 1, log: [] } });
      lab.pass(60_000);

      const back = await lab.planned('roll-back');
      lab.heal();
      const run = await lab.carryOut(back);

      expect([run.state, run.outcome]).toEqual(['done', 'All steps done.']);
      expect(withoutMade(lab.objects())).toEqual(before);
    });
  });

  describe('before anybody is asked', () => {
    it('the creation of a configuration is asked about as any write is', async () => {
      const denied = [{ verb: 'create', resource: 'configmaps' }];
      const lab = await openOwner('Workspace', { denied });

      const made = await lab.plan('set-args', JOBS.args);

      expect(made).toMatchObject({
        kind: 'refused',
        says: expect.stringContaining('no permission to change ConfigMap/qwen-config-oom-'),
        paste: expect.stringContaining('configmaps create in namespace llm'),
      });
    });

    it('it is tried, and nothing is kept of that', async () => {
      const lab = await openOwner('Workspace');
      lab.standin.cluster.admission.push(({ kind }) =>
        kind === 'ConfigMap'
          ? refuse(403, 'Forbidden', 'admission webhook denied the request: no new ConfigMaps')
          : undefined,
      );

      const made = await lab.plan('set-args', JOBS.args);

      expect(made).toMatchObject({ kind: 'refused', says: expect.stringContaining('no new ConfigMaps') });
      expect(lab.standin.writes.every(({ dryRun }) => dryRun)).toBe(true);
    });
  });

  describe('back to the revision before', () => {
    const previousOf = (object: unknown): unknown => {
      const template = structuredClone(valueAt(object, '/spec/template')) as { metadata: { labels: object } };
      const container = valueAt(template, '/spec/containers/0') as { args: string[] };
      container.args = ['--max-model-len', '4096'];
      Object.assign(template.metadata.labels, { 'pod-template-hash': 'abc', 'rollouts-pod-template-hash': 'abc' });
      return template;
    };
    const kept = OWNERS.filter(({ name }) => PLACES[name]?.byHand?.revision === undefined);

    it.each(kept.filter(isIn))('$name gets the template that its revision holds, and back', async (owner) => {
      const lab = await openFor(owner, 'down', 2, previousOf(owner.objects().at(-1)));
      const before = lab.objects();

      const plan = await lab.planned('roll-back');
      lab.heal();
      const run = await lab.carryOut(plan);
      const changed = changesOf(before, lab.objects());
      await lab.takeBack(run);

      expect(run.state).toBe('done');
      expect(changed).toHaveLength(1);
      expect(changed[0]).toMatch(/\/spec\/template\/spec\/containers\/0\/args: .*-> 4096$/);
      expect(lab.objects()).toEqual(before);
    });

    it.each(OWNERS)('$name gets a command where no revision was read', async (owner) => {
      const lab = await openFor(owner, 'down');
      const undo: Record<string, string> = {
        Deployment: 'kubectl -n llm rollout undo deployment.apps/vllm',
        StatefulSet: 'kubectl -n llm rollout undo statefulset.apps/vllm',
        Rollout: 'kubectl argo rollouts undo vllm -n llm',
      };

      const made = await lab.plan('roll-back');

      const command = undo[owner.kind] ?? expect.stringMatching(PLACES[owner.name]?.byHand?.revision ?? /^$/);
      expect(made).toMatchObject({ kind: 'refused', paste: command });
    });
  });

  describe('with two of three replicas serving', () => {
    /** Replicas that serve: a group only as a whole. */
    const servingIn = ({ standin }: OwnerLab, size: number): number => {
      const ready = standin.world.objects.filter((one) => {
        const conditions = (valueAt(one, '/status/conditions') ?? []) as { type: string; status: string }[];
        const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
        return one.kind === 'Pod' && one.metadata.deletionTimestamp === undefined && isReady;
      });
      const groups = Map.groupBy(ready, ({ metadata }) => (size === 1 ? metadata.name : metadata.name.split('-')[1]));
      return [...groups.values()].filter((pods) => pods.length === size).length;
    };
    const jobs = ['zero', 'args', 'restart'] as const;
    const some = OWNERS.filter(isIn).flatMap((owner) => jobs.map((job) => ({ owner, job })));
    const ACTS = ['Deployment', 'StatefulSet', 'LeaderWorkerSet', 'Rollout (canary)'];

    it.each(some)('$job of $owner.name never stops them', async ({ owner, job }) => {
      const lab = await openFor(owner, 'some', 3);
      const before = lab.objects();
      const size = owner.size ?? 1;
      expect(servingIn(lab, size)).toBe(2);

      const made = await lab.plan(JOBS[job].action, JOBS[job]);
      if (made.kind === 'refused') {
        expect(ACTS.includes(owner.name) && job !== 'zero').toBe(false);
        expect(made.paste ?? 'kubectl -n llm').toMatch(/^(?:# .*\n)?(?:kubectl -n llm|printf)/);
        expect(lab.objects()).toEqual(before);
        return;
      }
      const seen: number[] = [];
      lab.onTime = () => seen.push(servingIn(lab, size));
      lab.heal();
      const run = await lab.carryOut(made.plan);
      const back = await lab.takeBack(run);

      expect(made.plan.serving).toMatchObject({ ready: 2, total: 3, stopped: 0 });
      expect([run.state, run.outcome]).toEqual(['done', 'All steps done.']);
      expect(Math.min(...seen)).toBeGreaterThanOrEqual(2);
      expect(back.state).toBe('rolled-back');
      expect(withoutRestart(lab.objects())).toBe(withoutRestart(before));
    });
  });
}

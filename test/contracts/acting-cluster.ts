import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActContext, ActingCluster, KubeObject, Write, WriteOutcome } from '../../src/app/acting-ports.ts';
import { valueAt } from '../../src/model/json-patch.ts';
import type { ObjectRef, PatchOperation } from '../../src/model/plan.ts';

/** A cluster with an empty namespace. `settle` lets time pass until something holds. */
type ActingStage = {
  readonly cluster: ActingCluster;
  readonly namespace: string;
  /** The same cluster for an account of the namespace that has no right in it. */
  readonly powerless: ActingCluster;
  settle(holds: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
};

type Live = ObjectRef & { readonly uid: string };

const NAME = 'oombot-contract';
const LABELS = { app: NAME };

export function anActContext(signal: AbortSignal = new AbortController().signal): ActContext {
  return { signal, agent: 'oombot/1.2.3 (incident inc_1; by U_ONCALL)' };
}
const context = anActContext();

const refOf = (namespace: string, kind: string, name = NAME, apiVersion = 'apps/v1'): ObjectRef => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid: null,
});

// No image is ever pulled: the pods wait, or load, and are there to be counted.
const containers = [{ name: 'engine', image: 'example.test/none:1', args: ['a'] }];
const template = { metadata: { labels: LABELS }, spec: { terminationGracePeriodSeconds: 0, containers } };
const deployment = (namespace: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: NAME, namespace, labels: LABELS },
  spec: { replicas, selector: { matchLabels: LABELS }, template },
});

const patching = (object: ObjectRef, patch: readonly PatchOperation[], over: Partial<Write> = {}): Write => ({
  object,
  subresource: 'none',
  body: { kind: 'patch', patch },
  dryRun: false,
  ...over,
});

function written(outcome: WriteOutcome): KubeObject {
  if (outcome.kind !== 'written') throw new Error(`not written, but ${JSON.stringify(outcome)}`);
  return outcome.object;
}

const at = (object: unknown, pointer: string): unknown => valueAt(object, pointer);
const ARGS = '/spec/template/spec/containers/0/args';

const creating = (
  object: ObjectRef,
  manifest: Extract<Write['body'], { kind: 'create' }>['manifest'],
  dryRun = false,
): Write => ({
  object,
  subresource: 'none',
  body: { kind: 'create', manifest },
  dryRun,
});

/** What every acting cluster keeps to, a real one too. */
export function actingClusterContract(name: string, make: () => Promise<ActingStage>): void {
  describe(`acting cluster: ${name}`, () => {
    const setStage = async (replicas = 2) => {
      const stage = await make();
      onTestFinished(() => stage.close());
      const { cluster, namespace } = stage;
      const ref = refOf(namespace, 'Deployment');
      const creation = creating(ref, deployment(namespace, replicas));
      const made = written(await cluster.write(creation, context));
      const object: Live = { ...ref, uid: String(at(made, '/metadata/uid')) };
      const read = async (): Promise<KubeObject> => {
        const answer = await cluster.read(object, context);
        if (answer.kind !== 'found') throw new Error(`not found, but ${answer.kind}`);
        return answer.object;
      };
      const patch = (operations: readonly PatchOperation[], over: Partial<Write> = {}): Promise<WriteOutcome> =>
        cluster.write(patching(object, operations, over), context);
      return { ...stage, object, read, patch, creation };
    };

    const scaleTo = (from: number, to: number): PatchOperation[] => [
      { op: 'test', path: '/spec/replicas', value: from },
      { op: 'replace', path: '/spec/replicas', value: to },
    ];

    it('creates an object once', async () => {
      const { cluster, creation, read, object } = await setStage();

      const again = await cluster.write(creation, context);

      expect(again.kind).toBe('stale');
      expect(await read()).toMatchObject({ kind: 'Deployment', metadata: { uid: object.uid, generation: 1 } });
    });

    it('writes all operations of a patch together, and counts a new generation', async () => {
      const { patch, read, object } = await setStage();
      const before = await read();

      const outcome = await patch([
        { op: 'test', path: '/metadata/uid', value: object.uid },
        { op: 'test', path: ARGS, value: ['a'] },
        { op: 'replace', path: ARGS, value: ['b'] },
        { op: 'add', path: '/metadata/annotations/oombot.dev~1run', value: 'run_1/1' },
      ]).then(async (first) =>
        // A Deployment may come without any annotation: then there is no parent to add to.
        first.kind === 'stale'
          ? patch([
              { op: 'replace', path: ARGS, value: ['b'] },
              { op: 'add', path: '/metadata/annotations', value: { 'oombot.dev/run': 'run_1/1' } },
            ])
          : first,
      );

      const after = written(outcome);
      expect(at(after, ARGS)).toEqual(['b']);
      expect(at(after, '/metadata/annotations/oombot.dev~1run')).toBe('run_1/1');
      expect(at(after, '/metadata/generation')).toBe(2);
      expect(at(after, '/metadata/resourceVersion')).not.toBe(at(before, '/metadata/resourceVersion'));
      expect(at(await read(), ARGS)).toEqual(['b']);
    });

    it.each<[string, PatchOperation[]]>([
      ['a value that is another', scaleTo(7, 0)],
      ['another uid', [{ op: 'test', path: '/metadata/uid', value: 'other' }, ...scaleTo(2, 0)]],
      ['a field that is not there', [{ op: 'replace', path: '/spec/nothing/here', value: 1 }, ...scaleTo(2, 0)]],
      ['a test that comes last', [{ op: 'replace', path: '/spec/replicas', value: 0 }, ...scaleTo(2, 0)]],
    ])('changes nothing, and says stale, for %s', async (_what, operations) => {
      const { patch, read } = await setStage();

      const outcome = await patch(operations);

      expect(outcome.kind).toBe('stale');
      expect(at(await read(), '/spec/replicas')).toBe(2);
    });

    it.each<[string, string, WriteOutcome['kind']]>([
      ['passes where no key is', '/metadata/labels/oombot', 'written'],
      ['fails where one is', '/metadata/labels/app', 'stale'],
      ['fails where not even its parent is', '/spec/template/spec/nothing/here', 'stale'],
    ])('a test for null %s', async (_what, path, kind) => {
      const { patch } = await setStage();

      const outcome = await patch([
        { op: 'test', path, value: null },
        { op: 'add', path: '/metadata/labels/oombot', value: 'x' },
      ]);

      expect(outcome.kind).toBe(kind);
    });

    it('counts no new generation for an annotation', async () => {
      const { patch, read } = await setStage();

      await patch([{ op: 'add', path: '/metadata/labels/oombot', value: 'x' }]);

      expect(await read()).toMatchObject({ metadata: { generation: 1, labels: { ...LABELS, oombot: 'x' } } });
    });

    it('answers a dry run with the object as it would be, and keeps nothing', async () => {
      const { patch, read } = await setStage();

      const outcome = await patch(scaleTo(2, 0), { dryRun: true });

      expect(at(written(outcome), '/spec/replicas')).toBe(0);
      expect(at(await read(), '/spec/replicas')).toBe(2);
      expect((await patch(scaleTo(7, 0), { dryRun: true })).kind).toBe('stale');
    });

    it.each<[string, PatchOperation[]]>([
      ['a count below zero', [{ op: 'replace', path: '/spec/replicas', value: -1 }]],
      ['a count that is no number', [{ op: 'replace', path: '/spec/replicas', value: 'none' }]],
      ['a field that the schema does not have', [{ op: 'add', path: '/spec/replicaz', value: 1 }]],
      ['a selector that may not change', [{ op: 'replace', path: '/spec/selector/matchLabels/app', value: 'other' }]],
      ['a list for a text', [{ op: 'replace', path: ARGS, value: [1] }]],
    ])('refuses %s, in a dry run too', async (_what, operations) => {
      const { patch, read } = await setStage();

      const outcomes = [await patch(operations, { dryRun: true }), await patch(operations)];

      expect(outcomes.map(({ kind }) => kind)).toEqual(['refused', 'refused']);
      expect(await read()).toMatchObject({ metadata: { generation: 1 } });
    });

    it('tells a conflict from a stale value', async () => {
      const { patch, read } = await setStage();

      const outcome = await patch([{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }, ...scaleTo(2, 0)]);

      expect(outcome.kind).toBe('conflict');
      expect(at(await read(), '/spec/replicas')).toBe(2);
    });

    it('scales through the subresource', async () => {
      const { patch, read } = await setStage();

      const outcome = await patch(scaleTo(2, 1), { subresource: 'scale' });
      const late = await patch(scaleTo(2, 0), { subresource: 'scale' });
      const below = await patch([{ op: 'replace', path: '/spec/replicas', value: -1 }], { subresource: 'scale' });

      expect(written(outcome)).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } });
      expect([late.kind, below.kind]).toEqual(['stale', 'refused']);
      expect(await read()).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 1 } });
    });

    it('says that what is not there is gone, and refuses to write it', async () => {
      const { cluster, namespace } = await setStage();
      const ghost = refOf(namespace, 'Deployment', 'ghost');
      const stranger = refOf(namespace, 'Thing', 'ghost', 'example.test/v1');

      const reads = [await cluster.read(ghost, context), await cluster.read(stranger, context)];
      const writes = [
        await cluster.write(patching(ghost, scaleTo(1, 0)), context),
        await cluster.write(patching(stranger, scaleTo(1, 0)), context),
      ];

      expect(reads.map(({ kind }) => kind)).toEqual(['gone', 'gone']);
      expect(writes.map(({ kind }) => kind)).toEqual(['refused', 'refused']);
    });

    it('knows what it may write', async () => {
      const { cluster, object } = await setStage();

      expect(await cluster.mayWrite(patching(object, scaleTo(2, 0)), context)).toEqual({ kind: 'yes' });
    });

    it('tells the account that has no right what is missing, and changes nothing for it', async () => {
      const { powerless, object, creation, read } = await setStage();
      const write = patching(object, scaleTo(2, 0));

      const answers = [
        await powerless.read(object, context),
        await powerless.mayWrite(write, context),
        await powerless.write(write, context),
        await powerless.write({ ...write, dryRun: true }, context),
        await powerless.mayWrite(creation, context),
      ];

      expect(answers.map(({ kind }) => kind)).toEqual(['forbidden', 'no', 'forbidden', 'forbidden', 'no']);
      const rules = answers.map((answer) => ('rule' in answer ? answer.rule.split('\n')[0] : ''));
      expect(rules[0]).toMatch(/^deployments\.apps get in namespace /);
      expect(rules.slice(1, 4)).toEqual(Array(3).fill(expect.stringMatching(/^deployments\.apps patch in namespace /)));
      expect(rules[4]).toMatch(/^deployments\.apps create in namespace /);
      expect(at(await read(), '/spec/replicas')).toBe(2);
    });

    it('tries the creation of an object without keeping it', async () => {
      const { cluster, namespace } = await setStage();
      const ref = refOf(namespace, 'ConfigMap', 'tried', 'v1');
      const metadata = { name: 'tried', namespace };
      const create = creating(ref, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } }, true);

      expect(at(written(await cluster.write(create, context)), '/data/a')).toBe('b');
      expect((await cluster.read(ref, context)).kind).toBe('gone');
    });

    it.each([true, false])('brings what the API server warns of (dry run: %s)', async (dryRun) => {
      const { patch } = await setStage();
      const twice = ['a', 'b'].map((value) => ({ name: 'PYTORCH_ALLOC_CONF', value }));
      const path = '/spec/template/spec/containers/0/env';

      const outcome = await patch([{ op: 'add', path, value: twice }], { dryRun });

      expect(outcome).toMatchObject({
        kind: 'written',
        warnings: [expect.stringMatching(/env\[1\]: hides previous definition of "PYTORCH_ALLOC_CONF"/)],
      });
    });

    it('shows how far a roll-out is', async () => {
      const { patch, read, settle } = await setStage();
      await settle(async () => Number(at(await read(), '/status/replicas') ?? 0) === 2);

      await patch([{ op: 'replace', path: ARGS, value: ['b'] }]);
      await settle(async () => Number(at(await read(), '/status/observedGeneration')) === 2);
      await settle(async () => Number(at(await read(), '/status/updatedReplicas') ?? 0) >= 1);

      const conditions = at(await read(), '/status/conditions') as { type: string; status: string }[];
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Progressing', status: 'True' }));
    });

    it('shows the pods of a workload, and that the controller follows', async () => {
      const { cluster, object, read, patch, settle } = await setStage();
      const target = { cluster: cluster.name, object, container: 'engine' };
      const podsNow = async () => {
        const answer = await cluster.pods(target, context);
        return answer.kind === 'read' ? answer.pods : undefined;
      };
      const seen = async () => Number(at(await read(), '/status/observedGeneration') ?? 0);
      await settle(async () => (await podsNow())?.length === 2);

      const two = await podsNow();
      await patch(scaleTo(2, 0));
      await settle(async () => (await podsNow())?.length === 0 && (await seen()) >= 2);

      expect(two).toHaveLength(2);
      expect(new Set(two?.map(({ uid }) => uid)).size).toBe(2);
      expect(two).toMatchObject(Array(2).fill({ terminating: false, restarts: 0, lastDeath: null }));
      expect(await podsNow()).toEqual([]);
    });

    it('leaves its name at the fields that it set', async () => {
      const { patch, read } = await setStage();

      await patch(scaleTo(2, 0));

      const entries = at(await read(), '/metadata/managedFields') as { manager: string; fieldsV1: object }[];
      const ours = entries.filter(({ manager }) => manager === 'oombot');
      expect(JSON.stringify(ours)).toContain('"f:replicas":{}');
    });

    it('reads what points at a workload, and nothing that points elsewhere', async () => {
      const { cluster, object, namespace } = await setStage();
      const hpa = (name: string, target: string) => ({
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name, namespace },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target } },
      });
      const pdb = (name: string, app: string) => ({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name, namespace },
        spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      });
      for (const manifest of [hpa('ours', NAME), hpa('other', 'ghost'), pdb('ours', NAME), pdb('other', 'ghost')]) {
        const ref = refOf(namespace, manifest.kind, manifest.metadata.name, manifest.apiVersion);
        written(await cluster.write(creating(ref, manifest), context));
      }

      const { objects, notRead } = await cluster.surroundings(object, context);

      expect(notRead).toEqual([]);
      expect(objects[0]).toMatchObject({ kind: 'Deployment', metadata: { uid: object.uid } });
      expect(objects.slice(1).map((one) => `${one.kind}/${at(one, '/metadata/name')}`)).toEqual([
        'HorizontalPodAutoscaler/ours',
        'PodDisruptionBudget/ours',
      ]);
    });

    it('does nothing once it was called off', async () => {
      const { cluster, object, read } = await setStage();
      const off = anActContext(AbortSignal.abort());

      const outcome = await cluster.write(patching(object, scaleTo(2, 0)), off);
      const reads = [await cluster.read(object, off), await cluster.mayWrite(patching(object, scaleTo(2, 0)), off)];

      expect(outcome.kind).toBe('unavailable');
      expect(reads.map(({ kind }) => kind)).toEqual(['unavailable', 'could-not-tell']);
      expect(at(await read(), '/spec/replicas')).toBe(2);
    });
  });
}

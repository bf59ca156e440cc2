import { describe, expect, it } from 'vitest';
import type { Cluster, MetricsTarget } from '../../src/app/ports.ts';
import { FileName, LogRead, NotRead } from '../../src/model/snapshot.ts';
import { aPod, aStatefulSet } from '../../src/standins/api-server/objects/builders.ts';
import { type ApiWorld, aWorld, joinWorlds } from '../../src/standins/api-server/objects/world.ts';
import { cudaOomWorld, oomKilledWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aQuery, collectPod, findPod, scanner } from '../kubernetes/harness.ts';

const { pod } = SCENARIO_POD;

/** What every cluster keeps to. `make` gives one over a world; it is closed with the test. */
export function clusterContract(name: string, make: (world: ApiWorld) => Promise<{ cluster: Cluster }>): void {
  describe(`cluster: ${name}`, () => {
    const neighbour = aWorld({ objects: [aPod({ name: 'llama-0', owner: aStatefulSet({ name: 'llama' }) })] });

    it('finds a pod by its name', async () => {
      const edge = await make(joinWorlds(cudaOomWorld(), neighbour));

      expect(await findPod(edge, pod)).toMatchObject({
        cluster: 'prod',
        namespace: 'llm',
        pod,
        uid: `uid-llm-${pod}`,
        workload: 'Deployment/vllm-server',
        replaced: null,
      });
    });

    it('finds the successor of a pod that was replaced, and says so', async () => {
      const gone = 'vllm-server-66c9d8f7bb-x2x2x';

      const target = await findPod(await make(cudaOomWorld()), gone);

      expect(target).toMatchObject({ pod, replaced: gone });
    });

    it.each([
      ['several', 'l', 'ambiguous'],
      ['none', 'ghost-0', 'not-found'],
    ])('answers with a value where a name means %s', async (_what, asked, kind) => {
      const many = ['llama-a-0', 'llama-b-0'].map((one) => aPod({ name: one, owner: aStatefulSet({ name: one }) }));
      const { cluster } = await make(joinWorlds(neighbour, aWorld({ objects: many })));

      const found = await cluster.resolve(aQuery(asked), aReadContext());

      expect(found.kind).toBe(kind);
      if (found.kind === 'ambiguous') expect(found.candidates.length).toBeGreaterThan(1);
      if (found.kind === 'not-found') expect(found).toMatchObject({ searched: ['llm'] });
    });

    it('names the right that is missing', async () => {
      const { cluster } = await make(aWorld({ denied: [{ resource: 'pods' }] }));

      const found = await cluster.resolve(aQuery(pod), aReadContext());

      expect(found).toMatchObject({ kind: 'forbidden', searched: ['llm'], rule: 'pods get in namespace llm' });
    });

    it('gives files of a snapshot and what it could not read', async () => {
      const evidence = await collectPod(await make(oomKilledWorld()), pod);

      const names = Object.keys(evidence.files);
      expect(names.filter((file) => !FileName.safeParse(file).success)).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(['pod.json', 'events.json', 'previous.log']));
      expect(JSON.parse(evidence.files['pod.json'] ?? '')).toMatchObject({ metadata: { name: pod } });
      expect(NotRead.array().safeParse(evidence.notRead).success).toBe(true);
      expect(LogRead.array().parse(evidence.logs)).toMatchObject([
        { file: 'previous.log', container: 'vllm', previous: true },
      ]);
      expect(evidence).toMatchObject({ container: 'vllm', workload: 'Deployment/vllm-server' });
    });

    it('tells once what the metrics are to be of, and when it died', async () => {
      const edge = await make(oomKilledWorld());
      const told: MetricsTarget[] = [];

      const evidence = await edge.cluster.collect(await findPod(edge, pod), aReadContext(), {
        scanner,
        onMetricsTarget: (target) => told.push(target),
      });

      expect(told).toEqual([evidence.metricsTarget]);
      expect(told[0]).toMatchObject({
        pod,
        container: 'vllm',
        node: 'gpu-node-1',
        diedAt: Date.UTC(2026, 0, 15, 2, 56),
      });
    });

    it('keeps each line of a log with its time', async () => {
      const { files } = await collectPod(await make(cudaOomWorld()), pod);

      const line = files['previous.log']?.split('\n').find((text) => text.includes('CUDA out of memory'));
      expect(line).toMatch(/^2026-01-15T02:56:57\.\d{9}Z \(EngineCore_DP0 pid=214\) ERROR /);
    });

    it.each([
      ['gone', (world: ApiWorld) => world.logs.splice(0)],
      ['forbidden', (world: ApiWorld) => world.denied.push({ resource: 'pods/log' })],
    ])('says that the log is %s', async (reason, change) => {
      const world = cudaOomWorld();
      change(world);

      const { notRead, logs } = await collectPod(await make(world), pod);

      expect(logs).toEqual([]);
      expect(notRead).toContainEqual(expect.objectContaining({ item: 'previous.log', reason }));
    });

    it('reads no log where none is left to be read', async () => {
      const context = aReadContext({ limits: { logCalls: 0 } });

      const { notRead } = await collectPod(await make(cudaOomWorld()), pod, { context });

      expect(notRead).toContainEqual(expect.objectContaining({ item: 'previous.log', reason: 'budget' }));
      expect(context.budget.cost().logCalls).toBe(0);
    });

    it('takes its calls from the budget and tells how far it is', async () => {
      const context = aReadContext();

      await collectPod(await make(cudaOomWorld()), pod, { context });

      expect(context.budget.cost().calls).toBeGreaterThan(0);
      const steps = context.progressed.map(({ step, status }) => `${step} ${status}`);
      expect(steps).toEqual(expect.arrayContaining(['read-status running', 'read-status done', 'read-logs done']));
    });

    it('throws where no calls or no time is left at all', async () => {
      const edge = await make(cudaOomWorld());
      const target = await findPod(edge, pod);

      for (const context of [aReadContext({ limits: { calls: 0 } }), aReadContext({ signal: AbortSignal.abort() })]) {
        await expect(edge.cluster.collect(target, context, { scanner })).rejects.toMatchObject({ code: 'deadline' });
      }
    });
  });
}

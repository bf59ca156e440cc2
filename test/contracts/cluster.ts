import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/app/ports.ts';
import { FileName, LogRead, NotRead } from '../../src/model/snapshot.ts';
import type { ApiWorld } from '../../src/standins/api-server/objects/world.ts';
import {
  bothAcrossRestartWorld,
  cudaOomWorld,
  oomKilledWorld,
  SCENARIO_POD,
} from '../../src/standins/scenarios/scenarios.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { collectPod } from '../kubernetes/harness.ts';

const { pod } = SCENARIO_POD;

/** What every cluster keeps to. `make` gives one over a world; it is closed with the test. */
export function clusterContract(name: string, make: (world: ApiWorld) => Promise<{ cluster: Cluster }>): void {
  describe(`cluster: ${name}`, () => {
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

    it('keeps each line of a log with its time', async () => {
      const { files } = await collectPod(await make(cudaOomWorld()), pod);

      const line = files['previous.log']?.split('\n').find((text) => text.includes('CUDA out of memory'));
      expect(line).toMatch(/^2026-01-15T02:56:57\.\d{9}Z \(EngineCore_DP0 pid=214\) ERROR /);
    });

    it.each(['gpu', 'ram'] as const)(
      'reads both instances of the container, each with its times: %s first',
      async (first) => {
        const context = aReadContext();

        const { files, logs } = await collectPod(await make(bothAcrossRestartWorld(first)), pod, { context });

        expect(logs.map(({ file }) => file)).toEqual(['current.log', 'previous.log']);
        const [{ state, lastState }] = JSON.parse(files['pod.json'] ?? '').status.containerStatuses;
        for (const [file, { terminated }] of [
          ['current.log', state],
          ['previous.log', lastState],
        ] as const) {
          const lines = (files[file] ?? '').trim().split('\n');
          const times = lines.map((line) => Date.parse(line.split(' ', 1)[0] ?? ''));
          expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse(terminated.startedAt));
          expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse(terminated.finishedAt));
        }
        expect(files[first === 'gpu' ? 'previous.log' : 'current.log']).toContain('CUDA out of memory');
        expect(context.budget.cost().logCalls).toBeLessThanOrEqual(6);
      },
    );

    it('takes its calls from the budget and tells how far it is', async () => {
      const context = aReadContext();

      await collectPod(await make(cudaOomWorld()), pod, { context });

      expect(context.budget.cost().calls).toBeGreaterThan(0);
      const steps = context.progressed.map(({ step, status }) => `${step} ${status}`);
      expect(steps).toEqual(expect.arrayContaining(['read-status running', 'read-status done', 'read-logs done']));
    });
  });
}

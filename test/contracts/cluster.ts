import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/app/ports.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aQuery, collectPod } from '../kubernetes/harness.ts';

export type ClusterStage = {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** So many pods `batch-0000` and on, with a Deployment `batch` that selects them; one of them crashes in a loop. */
  crowd(count: number, crashing: string): Promise<void>;
  /** Pods whose container was started again once. False where nothing runs containers. */
  restart(pods: readonly RestartedPod[]): Promise<boolean>;
  close(): Promise<void>;
};

/** `gpu`: the first instance writes that line and ends with 1, the second runs. `ram`: the first is OOMKilled, the second writes it and runs. */
export type RestartedPod = { readonly name: string; readonly first: 'gpu' | 'ram' };

export const OOM_LINE = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.';
const RESTARTED: readonly RestartedPod[] = [
  { name: 'gpu-first', first: 'gpu' },
  { name: 'ram-first', first: 'ram' },
];
const COUNT = 2000;
const CRASHING = 'batch-1937';

/** What every cluster keeps to. `make` gives a stage with a namespace of its own. */
export function clusterContract(name: string, make: () => Promise<ClusterStage>): void {
  describe(`cluster: ${name}`, () => {
    let stage: ClusterStage;
    let runs = false;
    beforeAll(async () => {
      stage = await make();
      await stage.crowd(COUNT, CRASHING);
      runs = await stage.restart(RESTARTED);
    }, 600_000);
    afterAll(() => stage.close());

    const resolve = async (pod: string) => {
      const context = aReadContext();
      const found = await stage.cluster.resolve(aQuery(pod, { namespace: stage.namespace }), context);
      return { found, ...context.budget.cost() };
    };

    it.each([
      ['its name', 'batch-1999', 'batch-1999'],
      ['its workload, by its state', 'batch', CRASHING],
    ])('finds one of 2,000 pods by %s', async (_what, name, pod) => {
      const { found, calls, bytes } = await resolve(name);

      expect(found).toMatchObject({ kind: 'found', target: { pod, namespace: stage.namespace } });
      expect(calls).toBeLessThanOrEqual(5);
      expect(bytes).toBeLessThan(2_000_000);
    });

    it.each([
      ['a prefix of several', 'batch-19', 'ambiguous'],
      ['a name that no pod has', 'zeta-1', 'not-found'],
    ])('says what %s means among them', async (_what, name, kind) => {
      const { found, calls } = await resolve(name);

      expect(found.kind).toBe(kind);
      expect(found).not.toHaveProperty('searchedPods');
      expect(calls).toBeLessThanOrEqual(7);
    });

    it.for(RESTARTED)('reads the logs of both instances: $name', async ({ name: pod, first }, { skip }) => {
      if (!runs) return skip('nothing runs containers here');
      const context = aReadContext();

      const { files, logs } = await collectPod(stage, pod, { namespace: stage.namespace, context });

      expect(logs.map(({ file }) => file)).toEqual(['previous.log', 'current.log']);
      const [{ state, lastState }] = JSON.parse(files['pod.json'] ?? '').status.containerStatuses;
      expect(lastState.terminated.reason).toBe(first === 'gpu' ? 'Error' : 'OOMKilled');
      const [own, other] = first === 'gpu' ? ['previous.log', 'current.log'] : ['current.log', 'previous.log'];
      expect(files[own ?? '']).toContain(OOM_LINE);
      expect(files[other ?? '']).not.toContain(OOM_LINE);
      // Each line has the time of its own instance.
      const times = (file: string) => timesOf(files[file] ?? '');
      expect(Math.max(...times('previous.log'))).toBeLessThan(Date.parse(lastState.terminated.finishedAt) + 1000);
      expect(Math.min(...times('current.log'))).toBeGreaterThanOrEqual(Date.parse(state.running.startedAt));
      expect(context.budget.cost().logCalls).toBeLessThanOrEqual(6);
    });
  });
}

function timesOf(log: string): number[] {
  return log
    .trim()
    .split('\n')
    .map((line) => Date.parse(line.split(' ', 1)[0] ?? ''));
}

import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { kubeconfigFor } from '../../src/playground/scenarios/bot-config.ts';
import {
  type ApiServerStandin,
  createApiServerStandin,
} from '../../src/standins/api-server/create-api-server-standin.ts';
import { cudaOomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { argsOf } from './objects.ts';

const NOW = Date.UTC(2026, 0, 15, 3, 0, 0);
const { pod: POD } = SCENARIO_POD;
const run = promisify(execFile);

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const found = hasKubectl();
if (!found) console.log('skipped: kubectl against the stand-in cluster; kubectl is not installed');

let api: ApiServerStandin;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oom-kubectl-'));
  api = await createApiServerStandin(cudaOomWorld(NOW), { now: NOW });
  writeFileSync(join(folder, 'config'), kubeconfigFor(api.url));
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const environment = () => ({ PATH: process.env.PATH, HOME: folder, KUBECONFIG: join(folder, 'config') });
const kubectl = async (...words: string[]): Promise<string> =>
  (await run('kubectl', words, { env: environment(), timeout: 20_000 })).stdout;
const deployment = () => api.world.objects.find(({ kind }) => kind === 'Deployment')!;

describe.skipIf(!found)('kubectl against the stand-in cluster', () => {
  it('lists pods as a cluster does, wide ones with their node', async () => {
    expect(await kubectl('get', 'pods', '-o', 'wide')).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE .*\nvllm-server-\S+ +0\/1 +CrashLoopBackOff +2 \(3m ago\) +41m +10\.0\.0\.5 +gpu-node-1 /,
    );
    expect(await kubectl('get', 'deploy,po', '-o', 'name')).toBe(`deployment.apps/vllm-server\npod/${POD}\n`);
  });

  it('describes a pod with the end of its last container and its events, and prints the log of that', async () => {
    const described = await kubectl('describe', 'pod', POD);
    const log = await kubectl('logs', '--previous', POD);

    expect(described).toMatch(/Last State: +Terminated\s+Reason: +Error\s+Exit Code: +1/);
    expect(described).toMatch(/Warning +BackOff .*Back-off restarting failed container vllm/);
    expect(log).toMatch(/torch\.OutOfMemoryError: CUDA out of memory/);
  });

  it('patches in all three forms, scales and sets variables', async () => {
    const json = JSON.stringify([{ op: 'replace', path: '/spec/template/spec/containers/0/args/3', value: '8192' }]);
    await kubectl('patch', 'deploy', 'vllm-server', '--type=json', '-p', json);
    await kubectl('patch', 'deploy', 'vllm-server', '--type=merge', '-p', '{"metadata":{"annotations":{"team":"ml"}}}');
    await kubectl('set', 'env', 'deploy/vllm-server', 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True');
    await kubectl('scale', 'deploy', 'vllm-server', '--replicas=2');

    expect(argsOf(deployment())).toContain('8192');
    expect(deployment()).toMatchObject({
      metadata: { annotations: { team: 'ml' } },
      spec: {
        replicas: 2,
        template: {
          spec: { containers: [{ image: 'vllm/vllm-openai:v0.11.0', env: [{ value: 'expandable_segments:True' }] }] },
        },
      },
    });
  });

  it('follows the pods of a rollout until they are ready, and one that is deleted until it is gone', async () => {
    const watch = spawn('kubectl', ['get', 'pods', '-w'], { env: environment() });
    let seen = '';
    watch.stdout.on('data', (data) => {
      seen += data;
    });
    try {
      await vi.waitUntil(() => seen.includes('CrashLoopBackOff'), { timeout: 20_000 });

      await kubectl('delete', 'pod', POD, '--wait=false');
      api.cluster.advance(70_000);
      await vi.waitUntil(() => / 1\/1 +Running/.test(seen), { timeout: 20_000 });

      expect(seen).toMatch(/\n\S+mnl2 +0\/1 +Terminating[\s\S]*0\/1 +Pending[\s\S]*0\/1 +Running[\s\S]*1\/1 +Running/);
      expect(await kubectl('get', 'pods', '-o', 'name')).not.toContain(POD);
    } finally {
      watch.kill();
    }
  });
});

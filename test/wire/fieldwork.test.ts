import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { collectSnapshot } from '../../src/app/triage/investigate.ts';
import { loadConfig } from '../../src/config.ts';
import { createApiServerStandin } from '../../src/standins/api-server/create-api-server-standin.ts';
import { aPod } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { wireFieldwork } from '../../src/wire/fieldwork.ts';
import { loadKnowledge } from '../../src/wire/knowledge.ts';
import { playbookDirs } from '../../src/wire/playbook-dirs.ts';

/** A host of this network that happens to have the address of a pod. */
async function aStranger() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('vllm:num_requests_running 77\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, port: (server.address() as AddressInfo).port };
}

async function metricsThrough(extra: string) {
  const { asked, port } = await aStranger();
  const pod = aPod({ name: 'vllm-0', containers: [{ ports: [port] }] });
  const status = { ...(pod.status as object), podIP: '127.0.0.1' };
  const proxied = { [`vllm-0:${port}/metrics`]: 'vllm:num_requests_running 3\n' };
  const api = await createApiServerStandin(aWorld({ objects: [{ ...pod, status }] }), { proxied });
  const folder = mkdtempSync(join(tmpdir(), 'oom-fieldwork-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'one', cluster: { server: api.url } }],
      users: [{ name: 'me', user: {} }],
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'me' } }],
      'current-context': 'one',
    }),
  );
  const yaml = `clusters: [{ name: one, kubeconfig: ${kubeconfig}, namespaces: [llm]${extra} }]`;
  const outcome = loadConfig({ env: {}, file: 'oombot.yaml', readFile: () => yaml });
  if (outcome.kind === 'bad') throw new Error(JSON.stringify(outcome.problems));
  const knowledge = await loadKnowledge(playbookDirs([]));
  const field = wireFieldwork(outcome.config, { clock: createSystemClock(), ids: createSystemIds(), knowledge });
  onTestFinished(async () => {
    await Promise.all([field.close(), api.close()]);
    rmSync(folder, { recursive: true });
  });
  const query = { cluster: undefined, namespace: 'llm', pod: 'vllm-0', container: undefined };
  const actor = { place: 'terminal', user: 'U_ONCALL' } as const;
  const collected = await collectSnapshot(field.deps, { query, actor, progress: () => undefined });
  if (collected.kind !== 'collected') throw new Error(collected.kind);
  return { asked, metrics: collected.snapshot.files['metrics.txt'] };
}

it('outside the cluster the API server is asked for the metrics of a pod, never its address', async () => {
  const { asked, metrics } = await metricsThrough('');

  expect(asked).toEqual([]);
  expect(metrics).toContain('vllm:num_requests_running 3');
});

it('outside the cluster there are no metrics where the proxy is not to be used', async () => {
  const { asked, metrics } = await metricsThrough(', engineMetrics: { podIP: true, proxy: false }');

  expect(asked).toEqual([]);
  expect(metrics).toBeUndefined();
});

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newsOf } from '../../src/playground/demo.ts';
import type { ClusterState, PodState } from '../../src/playground/scenarios/open-scenario.ts';
import { SCENARIOS } from '../../src/playground/scenarios/scenarios.ts';
import { runOom } from '../fakes/terminal.ts';

const CLI = join(import.meta.dirname, '../../src/cli.ts');
const STARTS_MS = 25_000;
let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

/** `oom demo` in a process of its own, and what it prints. */
function startDemo(...words: string[]): { child: ChildProcess; said: () => string } {
  let said = '';
  child = spawn(process.execPath, [CLI, 'demo', ...words], { env: { PATH: process.env.PATH } });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      said += data;
    });
  }
  return { child, said: () => said };
}

describe('oom demo', () => {
  it('lists the scenarios, each once, with a sentence', async () => {
    const { out, code } = await runOom(['demo', '--list']);

    const names = out.split('\n').map((line) => /^(\S+) {2,}\S.*\.$/.exec(line)?.[1]);
    expect(code).toBe(0);
    expect(names).toEqual(SCENARIOS.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    [['vllm-brst'], /No scenario `vllm-brst`\. Did you mean `vllm-burst`\?[\s\S]*oom demo --list/],
    [['--port', 'http'], /`http` is not a port/],
  ])('%j is refused with what to type', async (words, says) => {
    const { code, err } = await runOom(['demo', ...words]);

    expect(err).toMatch(says);
    expect(code).toBe(2);
  });

  it('names a port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };

    const { code, err } = await runOom(['demo', 'vllm-kv-room', '--port', String(port)]);
    server.close();

    expect(err).toMatch(new RegExp(`Port ${port} is in use\\.`));
    expect(code).toBe(2);
  });

  it('prints what to type, serves a cluster, and stops at Ctrl-C with everything it made', async () => {
    const demo = startDemo('vllm-kv-room');
    await vi.waitUntil(() => demo.said().includes('Ctrl-C'), { timeout: STARTS_MS });
    const [, kubeconfig = '', prometheus = ''] = /KUBECONFIG=(\S+) OOM_PROMETHEUS_URL=(\S+)/.exec(demo.said()) ?? [];
    const [, url = ''] = /API server (http\S+),/.exec(demo.said()) ?? [];
    const pods = (await (await fetch(`${url}/api/v1/namespaces/llm/pods`)).json()) as { items: { metadata: object }[] };
    const metrics = await (await fetch(`${prometheus}/metrics`)).text();

    expect(demo.said()).toMatch(/oom triage llm\/vllm-server\n {2}oom plan llm\/vllm-server/);
    expect(pods.items).toHaveLength(1);
    expect(metrics).toMatch(/^kube_pod_container_status_restarts_total\{namespace="llm",.*\} [1-9]/m);
    expect(existsSync(kubeconfig)).toBe(true);
    const code = new Promise((resolve) => demo.child.once('exit', resolve));
    demo.child.kill('SIGINT');

    expect(await code).toBe(0);
    expect(existsSync(kubeconfig)).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('tells what becomes of the pods', () => {
    const pod = (over: object): PodState =>
      ({
        name: 'vllm-0',
        uid: 'a',
        status: 'Running',
        ready: false,
        stage: 'loading',
        restarts: 1,
        ...over,
      }) as PodState;
    const state = (...pods: PodState[]): ClusterState =>
      ({ at: Date.UTC(2026, 0, 15, 3, 12, 4), services: [{ pods }] }) as unknown as ClusterState;
    const lastDeath = { reason: 'OOMKilled', exitCode: 137, at: 0 };

    expect(newsOf(state(), state(pod({})))).toEqual(['03:12:04 vllm-0 starts']);
    expect(newsOf(state(pod({})), state(pod({ ready: true })))).toEqual(['03:12:04 vllm-0 is ready']);
    expect(newsOf(state(pod({})), state(pod({ restarts: 2, lastDeath })))).toEqual([
      '03:12:04 vllm-0 died: OOMKilled, exit 137 (2 restarts)',
    ]);
    expect(newsOf(state(pod({})), state())).toEqual(['03:12:04 vllm-0 is gone']);
    expect(newsOf(state(pod({})), state(pod({})))).toEqual([]);
  });
});

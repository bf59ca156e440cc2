import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { cudaOomWorld } from '../../src/standins/scenarios/scenarios.ts';
import { setStage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');

const DIST = join(ROOT, 'dist');
// A sentence that only the stand-in cluster says.
const STANDIN = 'the stand-in has no such subresource';

it('the stand-ins are in the bundle of the playground alone, from which `oom demo` starts', async () => {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'ignore' });
  const withStandins = readdirSync(DIST).filter((name) => readFileSync(join(DIST, name)).includes(STANDIN));
  const child = spawn(process.execPath, ['dist/oom.mjs', 'demo', 'vllm-kv-room'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH },
  });
  let said = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  const exit = once(child, 'exit');
  try {
    await vi.waitUntil(() => said.includes('Ctrl-C') || child.exitCode !== null, { timeout: 30_000 });
    const [, KUBECONFIG = '', OOM_PROMETHEUS_URL = ''] = /KUBECONFIG=(\S+) OOM_PROMETHEUS_URL=(\S+)/.exec(said) ?? [];
    const env = { PATH: process.env.PATH, KUBECONFIG, OOM_PROMETHEUS_URL };
    const words = ['dist/oom.mjs', 'triage', 'llm/vllm-server', '--json', '--no-store'];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: ROOT, env });

    expect(withStandins).toEqual(['playground.mjs']);
    expect(JSON.parse(stdout)).toMatchObject({ cause: 'gpu.startup.kv-room', certain: true });
  } finally {
    child.kill('SIGINT');
    expect((await exit)[0]).toBe(0);
  }
});

it('the bundle of `npm run build` serves Slack until it is told to stop', async () => {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'ignore' });
  const stage = await setStage(cudaOomWorld(Date.now()));
  const env = { PATH: process.env.PATH, HOME: stage.folder, OOM_SLACK_HTTP_PORT: String(await freePort()) };
  const child = spawn(process.execPath, ['dist/oom.mjs', '--config', stage.file, 'serve'], { cwd: ROOT, env });
  const said: string[] = [];
  child.stderr.on('data', (data) => said.push(String(data)));
  const exit = once(child, 'exit');
  try {
    await vi.waitUntil(() => said.join('').includes('oombot is running') || child.exitCode !== null, {
      timeout: 30_000,
    });

    expect(said.join('')).toContain('oombot is running');
  } finally {
    child.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
    await stage.close();
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

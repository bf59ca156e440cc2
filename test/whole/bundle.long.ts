import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { cudaOomWorld } from '../../src/standins/scenarios/scenarios.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { setStage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');

const DIST = join(ROOT, 'dist');
// A sentence that only the stand-in cluster says.
const STANDIN = 'the stand-in has no such subresource';

it('the package installs without a registry, and `oom demo` starts from it, with the stand-ins in its playground alone', async () => {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'ignore' });
  const withStandins = readdirSync(DIST).filter((name) => readFileSync(join(DIST, name)).includes(STANDIN));
  const folder = mkdtempSync(join(tmpdir(), 'oom-package-'));
  const npm = (cwd: string, ...words: string[]) =>
    execFileSync('npm', words, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  const file = npm(ROOT, 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder).toString().trim();
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', join(folder, file));
  const oom = join(folder, 'node_modules/oombot/bin/oom.mjs');
  const child = spawn(process.execPath, [oom, 'demo', 'vllm-kv-room'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  });
  let said = '';
  let warned = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  child.stderr.on('data', (data) => {
    warned += data;
  });
  const exit = once(child, 'exit');
  try {
    await vi.waitUntil(() => said.includes('Ctrl-C') || child.exitCode !== null, { timeout: 30_000 });
    const [, KUBECONFIG = '', OOM_PROMETHEUS_URL = ''] = /KUBECONFIG=(\S+) OOM_PROMETHEUS_URL=(\S+)/.exec(said) ?? [];
    const env = { PATH: process.env.PATH, KUBECONFIG, OOM_PROMETHEUS_URL };
    const words = [oom, 'triage', 'llm/vllm-server', '--json', '--no-store'];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, env });

    expect(withStandins).toEqual(['playground.mjs']);
    expect(warned).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ cause: 'gpu.startup.kv-room', certain: true });
  } finally {
    child.kill('SIGINT');
    expect((await exit)[0]).toBe(0);
    rmSync(folder, { recursive: true });
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

it('what the author of a playbook types works from the bundle, with a folder and thresholds of their own', () => {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'ignore' });
  const own = temporaryFolder();
  mkdirSync(join(own, 'oom'));
  cpSync(join(ROOT, 'playbooks/oom/thresholds.yaml'), join(own, 'oom/thresholds.yaml'));
  const file = join(own, 'oombot.yaml');
  writeFileSync(file, `playbooks: { dirs: [${own}], thresholds: { fits: 1.2 } }`);
  const failed = [
    ...['lint', 'test', 'graph', 'facts', 'actions', 'explain playbooks/oom/incidents/startup-kv-room'].map(
      (words) => `playbook ${words}`,
    ),
    `playbook lint --dir ${own}`,
    `--config ${file} diagnose playbooks/oom/incidents/startup-kv-room`,
    `--config ${file} config check`,
  ].filter((words) => {
    const env = { PATH: process.env.PATH, HOME: own };
    return spawnSync(process.execPath, ['dist/oom.mjs', ...words.split(' ')], { cwd: ROOT, env }).status !== 0;
  });

  expect(failed).toEqual([]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

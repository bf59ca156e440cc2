import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { cudaOomWorld } from '../../src/standins/scenarios/scenarios.ts';
import { setStage } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');

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

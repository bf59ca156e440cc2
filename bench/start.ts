import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cudaOomWorld } from '../src/standins/scenarios/scenarios.ts';
import { type Figure, holds } from './harness.ts';
import { setStage } from './stage.ts';

const IDLE_MS = 10_000;

/** `oom serve` from the bundle, with the flags that the image gives to Node: until /readyz says 200, and its memory after ten idle seconds. */
export async function benchStart(): Promise<Figure[]> {
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'ignore' });
  const stage = await setStage(cudaOomWorld(Date.now()));
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, OOM_SLACK_HTTP_PORT: String(port) };
  const began = performance.now();
  const child = spawn(process.execPath, [...flagsOfImage(), 'dist/oom.mjs', '--config', stage.file, 'serve'], {
    env,
    stdio: 'ignore',
  });
  try {
    const ready = await untilReady(port, began);
    await sleep(IDLE_MS);
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const rss = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    return [holds('start to ready', ready / 1000, 1, ' s'), holds('idle memory', rss, 180, ' MiB', 0)];
  } finally {
    child.kill('SIGTERM');
    await stage.close();
  }
}

function flagsOfImage(): readonly string[] {
  const entry = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '[]';
  return (JSON.parse(entry) as readonly string[]).filter((word) => word.startsWith('--'));
}

async function untilReady(port: number, began: number): Promise<number> {
  while (performance.now() - began < 20_000) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return performance.now() - began;
    await sleep(5);
  }
  return Number.POSITIVE_INFINITY;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

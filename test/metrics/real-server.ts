import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadPort } from '../fakes/http-server.ts';

/** Which of Prometheus' programs are not there. */
export function missingPrograms(): readonly string[] {
  const missing = ['prometheus', 'promtool'].filter((name) => spawnSync(name, ['--version']).status !== 0);
  if (missing.length > 0) console.log(`skipped: no ${missing.join(' and no ')} on the PATH`);
  return missing;
}

export type RealServer = { readonly url: string; close(): Promise<void> };

/** A Prometheus with this configuration over the blocks of `folder`/data; without a folder over one of its own. */
export async function startPrometheus(
  config: string,
  folder = mkdtempSync(join(tmpdir(), 'oom-prometheus-')),
): Promise<RealServer> {
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const port = await deadPort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--storage.tsdb.retention.time=20y',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  await untilReady(url);
  return { url, close: () => end(server, folder) };
}

async function end(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null) {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}

async function untilReady(url: string): Promise<void> {
  await until(`prometheus at ${url}`, async () => {
    const response = await fetch(`${url}/-/ready`).catch(() => undefined);
    return response?.ok === true;
  });
}

/** Asks again and again, for half a minute. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within 30 s: ${what}`);
}

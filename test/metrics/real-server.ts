import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleLine } from '../../src/metrics/sample-line.ts';
import type { StandinSeries } from '../../src/standins/prometheus/create-prometheus-standin.ts';
import { deadPort } from '../fakes/http-server.ts';

const PROMETHEUS = ['prometheus', 'promtool'];

/** Which of these programs are not there. */
export function missingPrograms(programs: readonly string[] = PROMETHEUS): readonly string[] {
  const missing = programs.filter((name) => spawnSync(name, ['--version']).status !== 0);
  if (missing.length > 0) console.log(`skipped: no ${missing.join(' and no ')} on the PATH`);
  return missing;
}

export type RealServer = { readonly url: string; close(): Promise<void> };

/** A Prometheus with this configuration over the blocks of `folder`/data; without a folder over one of its own. */
export async function startPrometheus(config: string, folder = newFolder()): Promise<RealServer> {
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, config);
  const port = await deadPort();
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--storage.tsdb.retention.time=20y',
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  return start('prometheus', { args, port, folder });
}

/** A Prometheus that has these series and scrapes nothing. */
export async function startPrometheusWith(series: readonly StandinSeries[]): Promise<RealServer> {
  const folder = newFolder();
  const input = join(folder, 'input.om');
  writeFileSync(input, openMetrics(series));
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', input, join(folder, 'data')]);
  return startPrometheus('global: {}\n', folder);
}

/** An Alertmanager with this configuration, without peers. */
export async function startAlertmanager(config: string, port: number): Promise<RealServer> {
  const folder = newFolder();
  const file = join(folder, 'alertmanager.yml');
  writeFileSync(file, config);
  const args = [
    `--config.file=${file}`,
    `--storage.path=${join(folder, 'data')}`,
    '--cluster.listen-address=',
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  return start('prometheus-alertmanager', { args, port, folder });
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'oom-prometheus-'));
}

type Place = { readonly args: readonly string[]; readonly port: number; readonly folder: string };

async function start(program: string, { args, port, folder }: Place): Promise<RealServer> {
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(program, args, { stdio: 'ignore' });
  await until(`${program} at ${url}`, async () => {
    if (server.exitCode !== null) throw new Error(`${program} ended with ${server.exitCode}`);
    const response = await fetch(`${url}/-/ready`).catch(() => undefined);
    return response?.ok === true;
  });
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

/** Asks again and again, for half a minute. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within 30 s: ${what}`);
}

function openMetrics(series: readonly StandinSeries[]): string {
  const lines = series.flatMap(({ labels, points }) =>
    points.map(([at, value]) => {
      const line = sampleLine(labels.__name__ ?? '', labels, { at, value });
      return `${line.slice(0, line.lastIndexOf(' '))} ${at / 1000}`;
    }),
  );
  return `${lines.join('\n')}\n# EOF\n`;
}

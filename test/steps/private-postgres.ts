import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';

/** A PostgreSQL server that belongs to a test. */
export type PrivatePostgres = {
  /** A new database, by its address; empty, or as the one at `like`, to which nobody is connected. */
  database(name: string, like?: string): Promise<string>;
  /** One statement in a database. */
  query(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ended as by a power cut, and started again; undefined where the server is another's. */
  readonly crash: (() => void) | undefined;
  readonly start: (() => void) | undefined;
  close(): Promise<void>;
};

const PLACES = '/usr/lib/postgresql';
const USER = 'oom_test';

function findBinaries(): string | undefined {
  const installed = existsSync(PLACES) ? readdirSync(PLACES).toSorted((a, b) => Number(b) - Number(a)) : [];
  return installed.map((version) => join(PLACES, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** The server named by OOM_TEST_POSTGRES, else one of its own where PostgreSQL is installed; undefined where neither is. */
export async function openPostgres(): Promise<PrivatePostgres | undefined> {
  const given = process.env.OOM_TEST_POSTGRES;
  if (given !== undefined && given !== '') return withDatabases(given, {});
  const bin = findBinaries();
  return bin === undefined ? undefined : startOwn(bin);
}

async function startOwn(bin: string): Promise<PrivatePostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'oom-pg-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  // PostgreSQL does not run as root.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) execFileSync('chown', ['-R', 'postgres', folder]);
  const run = (command: string): void => {
    const words = asRoot ? ['su', 'postgres', '-s', '/bin/sh', '-c', command] : ['sh', '-c', command];
    execFileSync(words[0] ?? '', words.slice(1), { stdio: 'ignore', cwd: folder });
  };
  run(`${bin}/initdb -D ${data} -U ${USER} -A trust -N`);
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  const start = (): void => run(`${bin}/pg_ctl -D ${data} -w -l ${folder}/log -o "${options}" start`);
  const crash = (): void => run(`${bin}/pg_ctl -D ${data} -m immediate -w stop`);
  start();
  const server = await withDatabases(`postgres://${USER}@127.0.0.1:${port}/postgres`, { crash, start });
  return {
    ...server,
    async close() {
      crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function withDatabases(
  admin: string,
  { crash, start }: { crash?: () => void; start?: () => void },
): Promise<PrivatePostgres> {
  const query: PrivatePostgres['query'] = async (url, text) => {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    try {
      return [...(await sql.unsafe(text))];
    } finally {
      await sql.end();
    }
  };
  const made: string[] = [];
  return {
    query,
    crash,
    start,
    async database(name, like) {
      const full = `oom_${process.pid}_${name.replaceAll('-', '_')}`;
      const template = like === undefined ? '' : ` template ${new URL(like).pathname.slice(1)}`;
      await query(admin, `create database ${full}${template}`);
      made.push(full);
      const url = new URL(admin);
      url.pathname = `/${full}`;
      return url.toString();
    },
    async close() {
      for (const name of made.splice(0)) await query(admin, `drop database ${name} with (force)`);
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

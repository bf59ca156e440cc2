import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lockStore } from '../../src/store/lock-store.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { isLasting, openStore } from '../../src/wire/open-store.ts';
import { aFinding } from '../contracts/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-lock-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const tools = { clock: createSystemClock(), ids: createSystemIds() };
const taken = expect.objectContaining({
  name: 'OomError',
  code: 'store-busy',
  message: expect.stringContaining('is using this database'),
  next: expect.stringContaining('postgres://'),
});

function startHolder(path: string) {
  const holder = join(import.meta.dirname, 'lock-holder.ts');
  const child = spawn(process.execPath, [holder, path], { stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  return child;
}

async function holdElsewhere(path: string): Promise<ChildProcess> {
  const child = startHolder(path);
  await once(child.stdout, 'data');
  return child;
}

describe('the lock of a store', () => {
  it('is had by one process, refuses the next, and is free when that one is killed', async () => {
    const path = join(folder, 'killed.db');
    const holder = await holdElsewhere(path);

    expect(() => lockStore(path)).toThrow(taken);

    holder.kill('SIGKILL');
    await once(holder, 'exit');
    lockStore(path).release();
  });

  it('is not lost by a second try of the same process', async () => {
    const path = join(folder, 'twice.db');
    const lock = lockStore(path);
    expect(() => lockStore(path)).toThrow(taken);

    // Closing any descriptor of a file drops the locks that a process has on it; the second try must have opened none.
    const [code] = await once(startHolder(path), 'exit');
    expect(code).not.toBe(0);

    lock.release();
    lock.release();
    lockStore(path).release();
  });

  it('is for the owner alone', () => {
    const path = join(folder, 'new', 'private.db');

    lockStore(path).release();

    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
  });

  it('is none for a store in memory', () => {
    const locks = [lockStore(':memory:'), lockStore(':memory:')];

    for (const lock of locks) lock.release();
    expect(isLasting('sqlite::memory:')).toBe(false);
    expect(isLasting('sqlite:./a.db')).toBe(true);
    expect(isLasting('postgres://h/d')).toBe(true);
  });
});

describe('a store that is opened to serve', () => {
  it('is refused to a second server, not to those who read or add', async () => {
    const url = `sqlite:${join(folder, 'serve.db')}`;
    const server = await openStore(url, { ...tools, exclusive: true });

    await expect(openStore(url, { ...tools, exclusive: true })).rejects.toEqual(taken);
    const reader = await openStore(url, tools);
    await reader.recordFinding(aFinding());

    expect(await server.openIncidents()).toHaveLength(1);
    await reader.close();
    await server.close();
    await (await openStore(url, { ...tools, exclusive: true })).close();
  });

  it('gives the lock back where it cannot be opened', async () => {
    const path = join(folder, 'bad.db');
    const server = await openStore(`sqlite:${path}`, {
      ...tools,
      exclusive: true,
      alsoMigrate: () => Promise.reject(new Error('no')),
    }).catch((error: unknown) => error);

    expect(server).toMatchObject({ code: 'store-failed' });
    lockStore(path).release();
  });
});

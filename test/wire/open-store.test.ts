import { copyFile, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isReachable, missingFile, openStore } from '../../src/wire/open-store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'oom-store-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

describe('a store that is only looked for', () => {
  it('is missing where nothing was kept', () => {
    expect(missingFile(`sqlite:${join(place, 'data/oom.db')}`)).toBe(join(place, 'data/oom.db'));
  });

  it('is not called missing where nobody may look', async () => {
    const path = join(place, 'oom.db');
    await symlink(path, path);

    expect(() => missingFile(`sqlite:${path}`)).toThrow(expect.objectContaining({ code: 'store-failed' }));
  });
});

describe('the store of a bot that serves', () => {
  const open = (path: string) =>
    openStore(`sqlite:${path}`, { clock: createFakeClock(), ids: createFakeIds(), exclusive: true });

  it.each([
    ['is missing', (path: string) => rm(path)],
    ['is empty', (path: string) => writeFile(path, '')],
  ])('is refused where it %s and there was one before', async (_what, lose) => {
    const path = join(place, 'oom.db');
    await (await open(path)).close();
    await lose(path);

    await expect(open(path)).rejects.toMatchObject({ code: 'store-failed' });
    await rm(`${path}.made`);
    await (await open(path)).close();
  });

  it('goes on at once with what a killed one was doing, since no other can hold it', async () => {
    const path = join(place, 'oom.db');
    const serving = await open(path);
    const reading = await openStore(`sqlite:${path}`, { clock: createFakeClock(), ids: createFakeIds() });

    expect([serving.takeOverMs, reading.takeOverMs]).toEqual([0, undefined]);
    await serving.close();
    await reading.close();
  });

  it('is refused where it is empty and must exist, until it was made', async () => {
    const path = join(place, 'oom.db');
    const mustExist = true;
    const tools = { clock: createFakeClock(), ids: createFakeIds() };

    await expect(openStore(`sqlite:${path}`, { ...tools, mustExist })).rejects.toMatchObject({ code: 'store-failed' });
    await expect(openStore(`sqlite:${path}`, { ...tools, mustExist })).rejects.toMatchObject({ code: 'store-failed' });

    await (await openStore(`sqlite:${path}`, tools)).close();
    await (await openStore(`sqlite:${path}`, { ...tools, mustExist })).close();
  });

  it.each([
    ['removed', async (path: string) => rm(path)],
    [
      'replaced',
      async (path: string) => {
        await copyFile(path, `${path}.copy`);
        await rename(`${path}.copy`, path);
      },
    ],
  ])('takes nothing more once its file was %s, and is not reachable', async (_what, lose) => {
    const path = join(place, 'oom.db');
    const store = await open(path);
    const clock = createFakeClock();
    expect(await isReachable(store, clock)).toBe(true);
    await lose(path);

    const pause = { scope: 'global' as const, actor: 'U_ONCALL', reason: '', at: 1 };
    await expect(store.pause(pause as never)).rejects.toMatchObject({ code: 'store-failed' });
    expect(await isReachable(store, clock)).toBe(false);
    await store.close();
  });
});

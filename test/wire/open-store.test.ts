import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingFile } from '../../src/wire/open-store.ts';

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

    expect(() => missingFile(`sqlite:${path}`)).toThrow(`The store at ${path} cannot be looked at.`);
  });
});

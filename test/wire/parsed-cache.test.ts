import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openParsedCache } from '../../src/wire/parsed-files.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';

const KEY = { path: 'oom/playbook.yaml', hash: 'a' };

let folder: string;
beforeEach(() => {
  folder = join(temporaryFolder(), 'oombot');
});

describe('the cache of parsed files', () => {
  it('gives back what a text held, and nothing for another text', () => {
    openParsedCache(folder).write(KEY, { start: 'q' });

    expect(openParsedCache(folder).read(KEY)).toEqual({ start: 'q' });
    expect(openParsedCache(folder).read({ ...KEY, hash: 'b' })).toBeUndefined();
    expect(openParsedCache(folder).read({ ...KEY, path: 'oom/topics.yaml' })).toBeUndefined();
  });

  it('ignores an entry that is broken', () => {
    const cache = openParsedCache(folder);
    cache.write(KEY, 1);
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"hash":"a"');

    expect(cache.read(KEY)).toBeUndefined();
  });

  it('holds nothing in a folder that others can write', () => {
    openParsedCache(folder).write(KEY, 1);
    chmodSync(folder, 0o777);

    expect(openParsedCache(folder).read(KEY)).toBeUndefined();
  });

  it('holds nothing behind a link', () => {
    openParsedCache(folder).write(KEY, 1);
    symlinkSync(folder, `${folder}-link`);

    expect(openParsedCache(`${folder}-link`).read(KEY)).toBeUndefined();
  });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../src/playground/scenarios/temporary-folder.ts';

const MODULE = join(import.meta.dirname, '../../src/playground/scenarios/temporary-folder.ts');
const MAKES = `import { makeTemporaryFolder } from ${JSON.stringify(MODULE)};
console.log(makeTemporaryFolder('oom-demo-', process.argv[1]));`;

let parent: string;
let living: ChildProcess | undefined;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'oom-parent-'));
});
afterEach(() => {
  living?.kill('SIGKILL');
  rmSync(parent, { recursive: true });
});

// A process that is gone without cleaning up.
const madeByGone = (): string =>
  spawnSync(process.execPath, ['--input-type=module', '-e', MAKES, parent], { encoding: 'utf8' }).stdout.trim();

describe('a temporary folder', () => {
  it('is removed by the next start once its process is gone', () => {
    const left = madeByGone();
    writeFileSync(join(left, 'kubeconfig'), '{}');
    expect(existsSync(left)).toBe(true);

    const own = makeTemporaryFolder('oom-demo-', parent);

    expect(readdirSync(parent)).toEqual([own.slice(parent.length + 1)]);
  });

  it('stays as long as its process is there', async () => {
    const code = `${MAKES}\nsetInterval(() => undefined, 1000);`;
    living = spawn(process.execPath, ['--input-type=module', '-e', code, parent]);
    const [path] = living.stdout === null ? [] : await once(living.stdout, 'data');

    makeTemporaryFolder('oom-demo-', parent);

    expect(existsSync(String(path).trim())).toBe(true);
  });

  it('of another kind, a link, and what names no process of this machine stay', () => {
    const other = join(parent, 'oom-review-1');
    const foreign = join(parent, 'oom-demo-foreign');
    const bare = join(parent, 'oom-demo-bare');
    for (const path of [other, foreign, bare]) mkdirSync(path);
    writeFileSync(join(foreign, 'owner.json'), JSON.stringify({ pid: 2 ** 30, among: 'another container' }));
    symlinkSync(other, join(parent, 'oom-demo-link'));

    makeTemporaryFolder('oom-demo-', parent);

    expect(readdirSync(parent)).toEqual(
      expect.arrayContaining(['oom-review-1', 'oom-demo-foreign', 'oom-demo-bare', 'oom-demo-link']),
    );
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'oom-many-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const OPEN = `
  const { openInputs } = await import(process.argv[1]);
  const opened = await openInputs(process.argv.slice(2), () => []);
  const faults = opened.flatMap((one) => (one.kind === 'fault' ? [one.fault.message] : []));
  console.log(JSON.stringify({ opened: opened.length, faults: faults.slice(0, 3) }));
`;

/** Opens so many files in a process that may hold 64 open. */
function openWithFew(names: readonly string[]): unknown {
  const paths = names.map((name) => join(root, name));
  for (const path of paths) writeFileSync(path, 'ERROR: CUDA out of memory\n');
  const module = join(import.meta.dirname, '../../src/folder/open-evidence.ts');
  const words = ['-c', 'ulimit -n 64; exec "$@"', '--', process.execPath, '--input-type=module', '-e', OPEN, module];
  const { stdout, stderr } = spawnSync('sh', [...words, ...paths], { encoding: 'utf8' });
  return stdout === '' ? stderr : JSON.parse(stdout);
}

it('more files than a process may hold open are read one after the other', () => {
  const names = Array.from({ length: 300 }, (_, i) => `f${i}.log`);

  expect(openWithFew(names)).toEqual({ opened: 300, faults: [] });
});

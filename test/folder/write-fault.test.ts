import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInputs } from '../../src/folder/open-evidence.ts';
import { writeArchive } from '../../src/folder/write-archive.ts';
import { writeExport } from '../../src/folder/write-export.ts';
import { writeFolder } from '../../src/folder/write-folder.ts';

const FOLDER = join(import.meta.dirname, '../../src/folder');
let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'oom-write-'));
});
afterEach(() => rmSync(place, { recursive: true }));

const SNAPSHOT = { id: 'inc_1', files: { 'previous.log': 'x' } };
const asExport = (folder: string) =>
  writeExport(folder, { text: { name: 'a.md', body: 'x' }, archive: { name: 'a.tgz', snapshot: undefined } });

describe('what cannot be written', () => {
  it.each<[string, (path: string) => Promise<void>]>([
    ['a folder', (path) => writeFolder(path, SNAPSHOT)],
    ['an archive', (path) => writeArchive(`${path}.tgz`, SNAPSHOT)],
    ['an export', asExport],
  ])('says why: %s below a file', async (_name, write) => {
    writeFileSync(join(place, 'file'), '');

    await expect(write(join(place, 'file', 'x'))).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(/^Cannot write .*: part of the path is a file\.$/),
    });
  });

  // A limit on the size of files stands for a disk that fills up in the middle.
  it('leaves no archive behind that is cut off', () => {
    const code = `import { writeArchive } from ${JSON.stringify(join(FOLDER, 'write-archive.ts'))};
      const files = { 'previous.log': 'x'.repeat(3e6) };
      await writeArchive(process.argv[1], { id: 'a', files }).catch((fault) => console.log(fault.message));`;
    const path = join(place, 'a.tar');

    const { stdout } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 1000; exec "$0" --input-type=module -e "$1" "$2"', process.execPath, code, path],
      { encoding: 'utf8' },
    );

    expect(stdout).toMatch(/^Cannot write .*a\.tar: the file is too large here\.$/m);
    expect(readdirSync(place)).toEqual([]);
  });
});

it.skipIf(!existsSync('/proc/self/mem'))('a file that the system does not read is no damaged archive', async () => {
  const [opened] = await openInputs(['/proc/self/mem'], () => {
    throw new Error('no standard input');
  });

  expect(opened).toMatchObject({ kind: 'fault', fault: { message: 'It cannot be read.' } });
});

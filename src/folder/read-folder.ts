import { createReadStream } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { SnapshotSource } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { FileName } from '../model/snapshot.ts';

// A small file that is larger than this is no status or capture but a mistake; its beginning is still read.
const SMALL_FILE_BYTES = 8 * 1024 * 1024;
const CHUNK = 256 * 1024;

/** A folder as a snapshot. Only known file names count, links that lead out of it do not. Throws OomError `no-folder`. */
export async function readFolder(path: string): Promise<SnapshotSource> {
  const root = await rootOf(path);
  const files = new Map<string, string>();
  for (const name of await readdir(root)) {
    if (!FileName.safeParse(name).success) continue;
    const real = await realpath(join(root, name)).catch(() => undefined);
    if (real === undefined || !real.startsWith(root + sep)) continue;
    if ((await stat(real)).isFile()) files.set(name, real);
  }
  const at = (file: string): string => {
    const real = files.get(file);
    if (real === undefined)
      throw new OomError('internal', `${file} is not in this snapshot.`, { next: 'Read only what `list` names.' });
    return real;
  };
  return {
    // The name as it was given, so that a link called `today` is `today`.
    id: basename(resolve(path)),
    list: async () => [...files.keys()].toSorted(),
    read: (file) => readSmall(at(file)),
    open: (file) => createReadStream(at(file), { highWaterMark: CHUNK }),
  };
}

async function rootOf(path: string): Promise<string> {
  const next =
    'Name a folder that `oom collect` wrote, or one that holds any of its files (previous.log, describe.txt, pod.json …).';
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (cause) {
    throw new OomError('no-folder', 'This is no folder that can be read.', { next, cause });
  }
  throw new OomError('no-folder', 'This is a file, not a folder.', { next });
}

async function readSmall(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, SMALL_FILE_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

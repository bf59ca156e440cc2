import { rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { OomError } from '../model/errors.ts';
import { FileName, type Snapshot } from '../model/snapshot.ts';
import { notWritten } from './write-fault.ts';

const ARCHIVE = /\.(?:tar|tar\.gz|tgz)$/i;

/** Whether a path asks for a tar and not for a folder. */
export function isArchive(path: string): boolean {
  return ARCHIVE.test(path);
}

/** Writes a snapshot as a new tar that only its owner can read; gzipped by its name. Throws OomError `bad-input`. */
export async function writeArchive(path: string, snapshot: Snapshot): Promise<void> {
  const folder = basename(path).replace(ARCHIVE, '');
  const tar = await packTar(
    Object.entries(snapshot.files).map(([name, body]) => ({
      header: { name: `${folder}/${FileName.parse(name)}`, size: Buffer.byteLength(body), mode: 0o600 },
      body,
    })),
  );
  try {
    await writeFile(path, path.toLowerCase().endsWith('.tar') ? tar : gzipSync(tar), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')
      throw new OomError('bad-input', `${path} exists already.`, { next: 'Name a new file.', cause });
    // Cut off it would be taken for the evidence, and stand in the way of the next try.
    await rm(path, { force: true }).catch(() => undefined);
    throw notWritten(path, cause);
  }
}

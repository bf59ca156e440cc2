import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OomError } from '../model/errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { writeArchive } from './write-archive.ts';

type Export = {
  readonly text: { readonly name: string; readonly body: string };
  readonly archive: { readonly name: string; readonly snapshot: Snapshot | undefined };
};

/** Writes a text, and an archive of a snapshot where there is one, into a folder; only their owner can read them, and nothing is replaced. Throws OomError `bad-input`. */
export async function writeExport(folder: string, { text, archive }: Export): Promise<void> {
  const { snapshot } = archive;
  const files = [join(folder, text.name), ...(snapshot === undefined ? [] : [join(folder, archive.name)])];
  for (const file of files) {
    if (await exists(file)) throw refused(`${file} exists already.`, 'Name a new folder, or delete the file.');
  }
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, text.name), text.body, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw refused(`Cannot write into ${folder}.`, 'Name a folder that you may write to, with enough space.', cause);
  }
  if (snapshot !== undefined) await writeArchive(join(folder, archive.name), snapshot);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function refused(says: string, next: string, cause?: unknown): OomError {
  return new OomError('bad-input', says, { next, cause });
}

import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OomError } from '../model/errors.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { writeArchive } from './write-archive.ts';
import { notWritten } from './write-fault.ts';

type Export = {
  readonly text: { readonly name: string; readonly body: string };
  readonly archive: { readonly name: string; readonly snapshot: Snapshot | undefined };
};

/** Writes a text, and an archive of a snapshot where there is one, into a folder; only their owner can read them, and nothing is replaced. Throws OomError `bad-input`. */
export async function writeExport(folder: string, { text, archive }: Export): Promise<void> {
  const { snapshot } = archive;
  const files = [join(folder, text.name), ...(snapshot === undefined ? [] : [join(folder, archive.name)])];
  for (const file of files) {
    if (await exists(file))
      throw new OomError('bad-input', `${file} exists already.`, { next: 'Name a new folder, or delete the file.' });
  }
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, text.name), text.body, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw notWritten(folder, cause);
  }
  if (snapshot !== undefined) await writeArchive(join(folder, archive.name), snapshot);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { OomError } from '../model/errors.ts';
import { FileName, type Snapshot } from '../model/snapshot.ts';

/** Writes a snapshot as a folder that only its owner can read: whole or not at all. Replaces a snapshot, never another folder. */
export async function writeFolder(path: string, snapshot: Snapshot): Promise<void> {
  const target = resolve(path);
  await refuseForeign(target);
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await mkdir(draft, { mode: 0o700 });
    for (const [name, text] of Object.entries(snapshot.files))
      await writeFile(join(draft, name), text, { mode: 0o600 });
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    throw new OomError('bad-input', `The folder ${path} can not be written.`, {
      next: 'Name a place with room and rights to write.',
      cause,
    });
  }
}

async function refuseForeign(target: string): Promise<void> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new OomError('bad-input', `${target} is no folder.`, { next: 'Name a new folder.', cause: error });
  });
  const foreign = names.find((name) => !FileName.safeParse(name).success);
  if (foreign === undefined) return;
  throw new OomError('bad-input', `${target} holds files that are no snapshot (${foreign}).`, {
    next: 'Name a new or empty folder.',
  });
}

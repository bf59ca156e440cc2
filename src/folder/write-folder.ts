import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { OomError } from '../model/errors.ts';
import { FileName, type Snapshot } from '../model/snapshot.ts';
import { notWritten } from './write-fault.ts';

/** What the order of operations needs of a file system. */
export type FolderMoves = Pick<typeof import('node:fs/promises'), 'rename' | 'rm'>;

/** Writes a snapshot as a folder that only its owner can read: whole or not at all. Replaces a snapshot, never another folder. Throws OomError `bad-input`. */
export async function writeFolder(
  path: string,
  snapshot: Snapshot,
  moves: FolderMoves = { rename, rm },
): Promise<void> {
  const target = resolve(path);
  const replaces = await mayReplace(target);
  const draft = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeDraft(draft, snapshot);
    await putInPlace(draft, target, { replaces, moves });
  } catch (cause) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw notWritten(path, cause);
  }
}

async function writeDraft(draft: string, snapshot: Snapshot): Promise<void> {
  await mkdir(draft, { mode: 0o700 });
  for (const [name, text] of Object.entries(snapshot.files)) {
    // A name is a path here: one from elsewhere must not lead out of the folder.
    await writeFile(join(draft, FileName.parse(name)), text, { mode: 0o600, flag: 'wx' });
  }
}

// The old one is deleted last: a crash at any point leaves one whole snapshot, at its name or next to it.
async function putInPlace(
  draft: string,
  target: string,
  { replaces, moves }: { replaces: boolean; moves: FolderMoves },
): Promise<void> {
  if (!replaces) return moves.rename(draft, target);
  const old = `${draft.slice(0, -'.tmp'.length)}.old`;
  await moves.rename(target, old);
  try {
    await moves.rename(draft, target);
  } catch (error) {
    await moves.rename(old, target);
    throw error;
  }
  await moves.rm(old, { recursive: true, force: true });
}

/** Whether there is a folder to replace; throws if the existing folder is not our snapshot. */
async function mayReplace(target: string): Promise<boolean> {
  const entries = await readdir(target, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    if (cause.code === 'ENOTDIR') throw notWritten(target, cause);
    throw new OomError('bad-input', `Cannot read the folder ${target}.`, { next: 'Name a new folder.', cause });
  });
  if (entries === undefined) return false;
  const foreign = entries.find((entry) => !entry.isFile() || !FileName.safeParse(entry.name).success);
  if (foreign !== undefined) throw notOurs(target, `files that are not evidence (${foreign.name})`);
  // What people gathered by hand has the same names; only what `collect` wrote says how it was taken.
  const collected = entries.some(({ name }) => name === 'incident.json');
  if (entries.length > 0 && !collected) throw notOurs(target, 'evidence that `oom collect` did not create');
  return true;
}

function notOurs(target: string, holds: string): OomError {
  return new OomError('bad-input', `${target} contains ${holds}.`, { next: 'Name a new or empty folder.' });
}

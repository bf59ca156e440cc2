import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { SnapshotSource } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { snapshotNameOf } from '../model/snapshot.ts';
import type { EvidenceFile } from './evidence-file.ts';
import { fileSnapshot } from './file-snapshot.ts';
import { decodeText } from './input-text.ts';

const CHUNK = 256 * 1024;
const NEXT = 'Name a folder, a tar or a file with any of its evidence (a log, describe.txt, pod.json …).';

/**
 * A folder as a snapshot. Only known file names count, links that lead out of it do not; `pod.yaml` stands for a `pod.json`
 * that is not there. Throws OomError `no-folder`.
 */
export async function readFolder(path: string): Promise<SnapshotSource> {
  const root = await rootOf(path);
  // The name as it was given, so that a link called `today` is `today`.
  return fileSnapshot(basename(resolve(path)), knownFiles(await filesIn(root, '')));
}

/** The files that have the names of a snapshot's files, by these names. */
export function knownFiles(files: readonly EvidenceFile[]): ReadonlyMap<string, EvidenceFile> {
  const known = new Map<string, EvidenceFile>();
  for (const file of files) {
    const name = snapshotNameOf(file.path);
    if (name !== undefined && (name === file.path || !known.has(name))) known.set(name, file);
  }
  return known;
}

const DEEPEST = 10;
const MOST_FILES = 20_000;

/** Every file of a folder and below; links out of it are left out. Throws OomError `no-folder`, `bad-input` where there are too many. */
export async function readTree(path: string): Promise<readonly EvidenceFile[]> {
  const root = await rootOf(path);
  const files: EvidenceFile[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    files.push(...(await filesIn(root, folder)));
    if (files.length > MOST_FILES)
      throw new OomError('bad-input', `There are more than ${MOST_FILES} files in it.`, {
        next: 'Name the folder of one pod or incident.',
      });
    if (folder.split('/').length < DEEPEST) folders.push(...(await foldersIn(root, folder)));
  }
  return files;
}

async function entriesOf(root: string, folder: string) {
  return readdir(join(root, folder), { withFileTypes: true }).catch((cause) => {
    throw new OomError('no-folder', `The folder ${folder} cannot be read.`.replace('  ', ' '), { next: NEXT, cause });
  });
}

async function foldersIn(root: string, folder: string): Promise<string[]> {
  const entries = await entriesOf(root, folder);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
}

async function filesIn(root: string, folder: string): Promise<EvidenceFile[]> {
  const files: EvidenceFile[] = [];
  for (const { name } of await entriesOf(root, folder)) {
    const real = await realpath(join(root, folder, name)).catch(() => undefined);
    if (real === undefined || !real.startsWith(root.endsWith(sep) ? root : root + sep)) continue;
    if ((await stat(real)).isFile()) files.push(diskFile(real, folder === '' ? name : `${folder}/${name}`));
  }
  return files;
}

/** A file on disk, in UTF-8. Reading throws OomError `bad-input` where that is not allowed. */
export function diskFile(place: string, path: string): EvidenceFile {
  return {
    path,
    async *open() {
      try {
        yield* decodeText(createReadStream(place, { highWaterMark: CHUNK }));
      } catch (cause) {
        throw new OomError('bad-input', `Cannot read the file ${path}.`, {
          next: 'Check its permissions.',
          cause,
        });
      }
    },
  };
}

async function rootOf(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const says = isMissing ? `No folder ${path}.` : `Cannot read the folder ${path}.`;
    throw new OomError('no-folder', says, { next: NEXT, cause });
  }
  throw new OomError('no-folder', 'This is a file, not a folder.', { next: NEXT });
}

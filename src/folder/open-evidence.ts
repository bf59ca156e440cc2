import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { SnapshotSource } from '../app/ports.ts';
import { OomError, toOomError } from '../model/errors.ts';
import { parseLogName, snapshotNameOf } from '../model/snapshot.ts';
import { type EvidenceFile, folderOf, looksLikeText } from './evidence-file.ts';
import { snapshotsOf } from './pods-of-events.ts';
import { type PodsOfTree, podsOfTree } from './pods-of-tree.ts';
import { type ByteStream, isTar, openBytes, readTar, readWhole } from './read-archive.ts';
import { diskFile, knownFiles, readTree } from './read-folder.ts';
import { type Recognized, recognizeFile } from './recognize-file.ts';

export const STDIN = '-';
const NEXT = 'Name a log, a folder, a tar, or `-` for standard input.';

/** `isGuessed`: what the files are was told by their content alone. */
type Tree = PodsOfTree & { readonly isGuessed: boolean };

const POD_NAME = /^(?:[a-z0-9-]+\/){0,2}[a-z0-9]+(?:-[a-z0-9]+)+$/;
const NOTHING_PIPED =
  'The command before the pipe printed no log. `kubectl logs --previous` works only after a restart of the container.';

export type Stdin = () => ByteStream;

/** What one word named: evidence of its own, or why there is none. */
export type OpenedInput =
  | ({ readonly kind: 'tree'; readonly path: string } & Tree)
  | { readonly kind: 'fault'; readonly path: string; readonly fault: OomError };

type Plain = { readonly kind: 'plain'; readonly path: string; readonly file: EvidenceFile };

/**
 * The evidence behind what was typed: folders, tars, files of any names, or `-`. Files that say different things (a log, a
 * status, metrics) are of one incident; where two say the same (two logs), each is an incident of its own.
 */
export async function openInputs(paths: readonly string[], stdin: Stdin): Promise<readonly OpenedInput[]> {
  const opened: (OpenedInput | Plain)[] = [];
  for (const path of paths) opened.push(await orFault(path, () => openOne(path, stdin)));
  const plain = opened.filter((one) => one.kind === 'plain');
  const [first] = plain;
  if (first === undefined) return opened.filter((one) => one.kind !== 'plain');
  const isOneIncident = plain.length > 1 && (await sayDifferentThings(plain.map(({ file }) => file)));
  const settled: OpenedInput[] = [];
  for (const one of opened) {
    if (one.kind !== 'plain') settled.push(one);
    else if (!isOneIncident) settled.push(await orFault(one.path, () => fromFiles(one.path, [one.file])));
    else if (one === first)
      settled.push(
        await orFault(plain.map(({ path }) => path).join(' '), () =>
          fromFiles(
            first.path,
            plain.map(({ file }) => file),
          ),
        ),
      );
  }
  return settled;
}

/** One snapshot behind one word. Throws OomError; several are refused with their names. */
export async function openEvidence(path: string, stdin: Stdin): Promise<SnapshotSource> {
  const [opened] = await openInputs([path], stdin);
  if (opened?.kind === 'fault') throw opened.fault;
  const [source, ...others] = opened?.sources ?? [];
  if (source !== undefined && others.length === 0) return source;
  const ids = [source, ...others].map((one) => one?.id).slice(0, 5);
  throw new OomError(
    'no-folder',
    `${path} holds evidence of ${others.length + 1} pods or incidents (${ids.join(', ')}${others.length > 4 ? ' …' : ''}).`,
    {
      next: `Name one of them; \`oom diagnose ${path}\` takes them all.`,
    },
  );
}

async function orFault<T extends { kind: string }>(
  path: string,
  open: () => Promise<T>,
): Promise<T | Extract<OpenedInput, { kind: 'fault' }>> {
  try {
    return await open();
  } catch (thrown) {
    return { kind: 'fault', path, fault: toOomError(thrown) };
  }
}

async function openOne(path: string, stdin: Stdin): Promise<Plain | Extract<OpenedInput, { kind: 'tree' }>> {
  if (path === STDIN) return fromStream({ path, name: STDIN, stream: stdin(), reread: undefined });
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw unreadable(cause);
    const next = POD_NAME.test(path) ? `${NEXT} For a pod, type \`oom triage ${path}\`.` : NEXT;
    throw new OomError('no-folder', `No file or folder ${path}.`, { next, cause });
  });
  if (found.isDirectory())
    return { kind: 'tree', path, ...(await treeOf(basename(resolve(path)), await readTree(path))) };
  const name = basename(path);
  const reread = found.isFile() ? diskFile(path, name) : undefined;
  const stream = createReadStream(path);
  try {
    return await fromStream({ path, name, stream, reread });
  } finally {
    // Of a file that is read again later only the head was read.
    stream.destroy();
  }
}

// What cannot be read is of no incident: opened by itself, it says why.
async function sayDifferentThings(files: readonly EvidenceFile[]): Promise<boolean> {
  const said = new Set<string>();
  for (const file of files) {
    const one = await recognizeFile(file).catch(() => undefined);
    const says = one && whatItSays(one);
    if (says === undefined || said.has(says)) return false;
    said.add(says);
  }
  return true;
}

function whatItSays(one: Recognized): string | undefined {
  if (one.kind === 'named') return one.name;
  return one.kind === 'log' ? `${one.instance ?? 'a'} log` : one.objects[0]?.kind;
}

async function fromFiles(
  path: string,
  files: readonly EvidenceFile[],
): Promise<Extract<OpenedInput, { kind: 'tree' }>> {
  return { kind: 'tree', path, ...(await treeOf(idOf(path), files)) };
}

// A folder of a snapshot's files is that snapshot, and notes and pictures in it are left out. Other evidence in it counts too.
async function treeOf(id: string, files: readonly EvidenceFile[]): Promise<Tree> {
  const known = knownFiles(files);
  if (known.size === 0) return { ...recognized(await podsOfTree(id, files)), isGuessed: true };
  const hasLog = [...known.keys()].some((name) => parseLogName(name) !== undefined);
  const all: EvidenceFile[] = [];
  for (const file of files)
    if (snapshotNameOf(file.path) !== undefined || (await isEvidence(file, hasLog))) all.push(file);
  if (all.every(({ path }) => snapshotNameOf(path) !== undefined))
    return { sources: calledBy(id, await snapshotsOf(id, known)), leftOut: 0, isGuessed: false };
  return { ...recognized(await podsOfTree(id, all)), isGuessed: false };
}

// A folder of one incident gives it its name.
function calledBy(id: string, sources: readonly SnapshotSource[]): readonly SnapshotSource[] {
  return sources.length === 1 ? sources.map((source) => ({ ...source, id })) : sources;
}

const CALLED_LOG = /\.(?:log|out|err|stdout|stderr)(?:\.\d+)?$/i;

// Next to the logs of a snapshot, `notes.txt` is what somebody wrote about them.
async function isEvidence(file: EvidenceFile, hasLog: boolean): Promise<boolean> {
  const found = await recognizeFile(file);
  const isNote = found?.kind === 'log' && hasLog && folderOf(file.path) === '' && !CALLED_LOG.test(file.path);
  return found !== undefined && !isNote;
}

type Input = {
  readonly path: string;
  readonly name: string;
  readonly stream: ByteStream;
  /** Where the file can be read again, so that it need not be kept in memory. */
  readonly reread: EvidenceFile | undefined;
};

async function fromStream({
  path,
  name,
  stream,
  reread,
}: Input): Promise<Plain | Extract<OpenedInput, { kind: 'tree' }>> {
  try {
    const { head, bytes, isPacked } = await openBytes(stream);
    if (isTar(head)) return { kind: 'tree', path, ...(await fromTar(idOf(path), await readTar(bytes))) };
    if (head.length === 0) throw empty(path);
    if (/\.(?:tar|tgz)(?:\.|$)/i.test(name)) throw notA('tar', name);
    if (!looksLikeText(head.toString('utf8')) && !isUtf16(head)) throw notA('text', name);
    const file = reread === undefined || isPacked ? await readWhole(name.replace(/\.gz$/i, ''), bytes) : reread;
    return { kind: 'plain', path, file };
  } catch (thrown) {
    throw thrown instanceof OomError ? thrown : unreadable(thrown);
  }
}

// The archive of one folder holds that folder alone at its top.
async function fromTar(id: string, files: readonly EvidenceFile[]): Promise<Tree> {
  const tops = new Set(files.map(({ path }) => path.split('/')[0]));
  const isWrapped = tops.size === 1 && files.every(({ path }) => path.includes('/'));
  const inside = isWrapped
    ? files.map((file) => ({ ...file, path: file.path.slice(file.path.indexOf('/') + 1) }))
    : files;
  return treeOf(isWrapped ? ([...tops][0] ?? id) : id, inside);
}

function recognized(tree: PodsOfTree): PodsOfTree {
  if (tree.sources.length > 0) return tree;
  const healthy = tree.leftOut > 0 ? ` ${tree.leftOut} pods in it have no GPU and no failure.` : '';
  throw new OomError('no-folder', `Nothing in it is evidence that oombot reads.${healthy}`, {
    next: 'It reads logs, pod status, events, describe, metrics, nvidia-smi and kernel logs.',
  });
}

// `previous.log` says nothing of where it is from; its folder does.
function idOf(path: string): string {
  if (path === STDIN) return 'stdin';
  const name = basename(path).replace(/\.(?:tar(?:\.gz)?|tgz|gz)$/i, '');
  return snapshotNameOf(name) === undefined ? name : basename(dirname(resolve(path))) || name;
}

function empty(path: string): OomError {
  if (path !== STDIN) return new OomError('no-folder', 'It is empty.', { next: NEXT });
  return new OomError('no-folder', 'Standard input is empty.', { next: NOTHING_PIPED });
}

function isUtf16(head: Buffer): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

function notA(wanted: 'tar' | 'text', name: string): OomError {
  if (/\.(?:zip|7z|zst|xz|bz2|rar)$/i.test(name) || wanted === 'tar') {
    return new OomError('bad-input', 'It is neither a tar nor a gzipped tar.', {
      next: 'Unpack it and name the folder.',
    });
  }
  return new OomError('bad-input', 'It is a binary file, not text.', { next: NEXT });
}

function unreadable(cause: unknown): OomError {
  const isDenied = cause instanceof Error && 'code' in cause && cause.code === 'EACCES';
  return new OomError('bad-input', isDenied ? 'You have no permission to read it.' : 'It cannot be read.', {
    next: isDenied ? 'Check its permissions.' : NEXT,
    cause,
  });
}

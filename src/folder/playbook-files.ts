import { type Dirent, type FSWatcher, readdirSync, readFileSync, type Stats, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { isReadBy } from '../model/playbook-paths.ts';

/** A file of a playbook folder: `root` as it was given, `path` below it with forward slashes. */
export type PlaybookFile = { readonly root: string; readonly path: string; readonly text: string };

const LARGEST_FILE_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 2000;
// The shipped tree is three deep; the bound also ends a link that leads to its own parent.
const DEEPEST = 6;
const SETTLE_MS = 300;
// A folder that never comes to rest is read all the same, after this many waits.
const MOST_WAITS = 10;

/** Every .yaml and .yml below each folder, folders in the order given, paths sorted. Snapshots below `incidents/` are evidence, not playbooks. Only those that `wants` names. Throws OomError `bad-playbook`. */
export async function readPlaybookFiles(
  dirs: readonly string[],
  wants: (path: string) => boolean = () => true,
): Promise<PlaybookFile[]> {
  return dirs.flatMap((root) => readRoot(root, wants));
}

// Small files, a few hundred of them: threads and promises would take longer than the reading.
function readRoot(root: string, wants: (path: string) => boolean): PlaybookFile[] {
  const found = findIn(root);
  const [stray] = found;
  if (stray !== undefined && !found.some(isReadBy)) throw notThere(root, stray);
  const paths = found.toSorted().filter(wants);
  return paths.map((path) => ({ root, path, text: readText(join(root, path)) }));
}

function findIn(root: string): string[] {
  const found: string[] = [];
  try {
    findYaml(root, '', found);
  } catch (cause) {
    if (cause instanceof OomError) throw cause;
    throw new OomError('bad-playbook', `Cannot read the playbook folder ${root}.`, {
      next: 'Check `playbooks.dirs` in the config, or `--dir`.',
      cause,
    });
  }
  return found;
}

// One level too deep or too high, and all in it would be passed over without a word.
function notThere(root: string, stray: string): OomError {
  return new OomError('bad-playbook', `${root} has no playbook; ${stray} is in no known place.`, {
    next: 'Name the folder that contains `oom`, `engines` or `platform`.',
  });
}

// A mounted ConfigMap holds its files behind links (`oom -> ..data/oom`): links are followed, names with a dot in front are not.
function findYaml(root: string, below: string, found: string[]): void {
  if (below.split('/').length > DEEPEST) return;
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('.') || name === 'incidents') continue;
    const path = below === '' ? name : `${below}/${name}`;
    const kind = followed(entry, join(root, path));
    if (kind?.isDirectory()) findYaml(root, path, found);
    else if (kind?.isFile() && /\.ya?ml$/.test(name)) found.push(path);
    if (found.length > MOST_FILES) throw tooMuch(`${root} has more than ${MOST_FILES} playbook files.`);
  }
}

function followed(entry: Dirent, path: string): Dirent | Stats | undefined {
  try {
    return entry.isSymbolicLink() ? statSync(path) : entry;
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > LARGEST_FILE_BYTES) throw tooMuch(`${path} is larger than ${LARGEST_FILE_BYTES / 1024 / 1024} MiB.`);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof OomError) throw cause;
    throw new OomError('bad-playbook', `Cannot read ${path}.`, { next: 'Check its permissions.', cause });
  }
}

function tooMuch(says: string): OomError {
  return new OomError('bad-playbook', says, { next: 'Name a folder that contains only playbooks.' });
}

/**
 * Calls `onChange` once a folder has been at rest for 300 ms after a change; never twice at the same time. What
 * `onChange` throws, and a folder that cannot be watched, goes to `onFault` and ends nothing.
 */
export function watchPlaybookFiles(
  dirs: readonly string[],
  onChange: () => unknown,
  clock: Clock,
  onFault: (error: unknown) => void = () => undefined,
): { stop(): void } {
  const stopped = new AbortController();
  const settle = settler(onChange, clock, stopped.signal);
  const poke = () => void settle().catch((error) => stopped.signal.aborted || onFault(error));
  const watchers = dirs.flatMap((dir) => watchOne(dir, poke, onFault));
  return {
    stop() {
      stopped.abort();
      for (const watcher of watchers) watcher.close();
    },
  };
}

function watchOne(dir: string, poke: () => void, onFault: (error: unknown) => void): FSWatcher[] {
  try {
    const watcher = watch(dir, { recursive: true, persistent: false }, poke);
    watcher.on('error', onFault);
    return [watcher];
  } catch (error) {
    onFault(error);
    return [];
  }
}

function settler(onChange: () => unknown, clock: Clock, signal: AbortSignal): () => Promise<void> {
  let changed = false;
  let busy = false;
  const rest = async () => {
    for (let waits = 0; changed && waits < MOST_WAITS; waits++) {
      changed = false;
      await clock.sleep(SETTLE_MS, signal);
    }
    changed = false;
  };
  return async () => {
    changed = true;
    if (busy) return;
    busy = true;
    try {
      while (changed && !signal.aborted) {
        await rest();
        await onChange();
      }
    } finally {
      busy = false;
    }
  };
}

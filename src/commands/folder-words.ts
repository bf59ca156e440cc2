import { existsSync, statSync } from 'node:fs';
import { isOombotId } from '../app/id-kinds.ts';
import { isPlace } from '../app/lifecycle/named-incidents.ts';
import { STDIN } from '../folder/open-evidence.ts';
import { type ErrorCode, OomError, toOomError } from '../model/errors.ts';

// With these nothing was asked of a cluster yet.
const UNREAD: ReadonlySet<ErrorCode> = new Set(['bad-input', 'bad-config']);

/** Whether words are a path, whatever else they might be: it is there, or is written as no name is. A space in it may have cut it into several words. */
export function isPath(words: readonly string[]): boolean {
  const path = words.join(' ');
  return path === STDIN || existsSync(path) || /^[./~\\]/.test(path);
}

/** Whether words can only be a path: `llm/vllm-0` is a pod with an incident, unless there is such a folder. */
export function isFolderName(words: readonly string[]): boolean {
  const name = words.join(' ');
  return isPath(words) || (/[/\\]/.test(name) && !isPlace(name));
}

/** Throws OomError `bad-input` where the first of several words is a folder, and all together are none. */
export function refuseStray(words: readonly string[]): void {
  const [first = '', ...rest] = words;
  if (rest.length === 0 || existsSync(words.join(' ')) || !isFolder(first)) return;
  throw new OomError('bad-input', `Unexpected “${rest.join(' ')}” after folder ${first}.`, {
    next: 'Name one folder. If its name has spaces, quote it.',
  });
}

/** What may be a folder or a name and was read as a name: where that fails, a mistyped folder is the likelier reason. */
export async function orNoFolder<T>(words: readonly string[], read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const error = toOomError(thrown);
    if (UNREAD.has(error.code)) refuseStray(words);
    // Two words may be a pod and its container.
    const isLikely = words.length === 1 ? !isOombotId(words[0] ?? '') : error.code === 'bad-input';
    if (!isLikely) throw error;
    const next = `No folder ${words.join(' ')} either. ${error.next}`;
    throw new OomError(error.code, error.message, { next, cause: error.cause });
  }
}

/** A command that takes no folder: where what it cannot read is one, it says which commands do. */
export async function orTakesNoFolder<T>(
  words: readonly string[],
  say: (folder: string) => { readonly takes: string; readonly next: string },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const error = toOomError(thrown);
    const folder = [words.join(' '), words[0] ?? ''].find(isFolder);
    if (folder === undefined || !UNREAD.has(error.code)) throw error;
    const { takes, next } = say(folder);
    if (error.code === 'bad-input') throw new OomError('bad-input', `${takes}, but ${folder} is a folder.`, { next });
    // A folder may bear the name of a pod.
    throw new OomError(error.code, error.message, { next: `${error.next} ${folder} is also a folder: ${next}` });
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

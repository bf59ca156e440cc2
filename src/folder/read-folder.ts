import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { SnapshotSource } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { FileName, jsonNameOf, ONE_OBJECT_FILES } from '../model/snapshot.ts';
import { decodeText, wholeObject, yamlAsJson } from './input-text.ts';
import { asSnapshotForm } from './kubectl-lists.ts';

// A small file that is larger than this is no status or capture but a mistake; its beginning is still read.
const SMALL_FILE_BYTES = 8 * 1024 * 1024;
const CHUNK = 256 * 1024;
const NEXT =
  'Name a folder that `oom collect` wrote, or one that holds any of its files (previous.log, describe.txt, pod.json …).';

/**
 * A folder as a snapshot. Only known file names count, links that lead out of it do not; `pod.yaml` stands for a `pod.json`
 * that is not there. Throws OomError `no-folder`.
 */
export async function readFolder(path: string): Promise<SnapshotSource> {
  const root = await rootOf(path);
  const files = await knownFiles(root);
  if (files.size === 0) await refuseParent(root, path);
  const at = (file: string): Place => {
    const found = files.get(file);
    if (found === undefined)
      throw new OomError('internal', `${file} is not in this evidence folder.`, { next: 'Read only listed files.' });
    return found;
  };
  const jsons = new Map<string, Promise<string>>();
  const json = (file: string): Promise<string> => {
    const text = jsons.get(file) ?? readJson(at(file), file);
    jsons.set(file, text);
    return text;
  };
  return {
    // The name as it was given, so that a link called `today` is `today`.
    id: basename(resolve(path)),
    list: async () => [...files.keys()].toSorted(),
    read: (file) => (file.endsWith('.json') ? json(file) : readText(at(file).path, file)),
    open: (file) => (file.endsWith('.json') ? encoded(json(file)) : openText(at(file).path, file)),
    nameOf: (file) => at(file).name,
  };
}

// A folder of incidents is none itself: a verdict on nothing would be taken for one on them.
async function refuseParent(root: string, path: string): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const inner = await knownFiles(join(root, name)).catch(() => undefined);
    if (inner === undefined || inner.size === 0) continue;
    throw new OomError('no-folder', 'This folder has no evidence files, but its subfolders do.', {
      next: `Name those, for example ${join(path, name)}.`,
    });
  }
}

/** Where a file of the snapshot lies, and under which name: another is that of a YAML file which stands for it. */
type Place = { readonly path: string; readonly name: string };

async function knownFiles(root: string): Promise<ReadonlyMap<string, Place>> {
  const files = new Map<string, Place>();
  const names = await readdir(root).catch((cause) => {
    throw new OomError('no-folder', 'Cannot read this folder.', { next: NEXT, cause });
  });
  for (const name of names) {
    const file = FileName.safeParse(name).success ? name : jsonNameOf(name);
    if (file === undefined || (file !== name && names.includes(file))) continue;
    const real = await realpath(join(root, name)).catch(() => undefined);
    if (real === undefined || !real.startsWith(root.endsWith(sep) ? root : root + sep)) continue;
    if ((await stat(real)).isFile()) files.set(file, { path: real, name });
  }
  return files;
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

async function* openText(path: string, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* decodeText(createReadStream(path, { highWaterMark: CHUNK }));
  } catch (cause) {
    throw new OomError('bad-input', `Cannot read ${file}.`, { next: 'Check its permissions.', cause });
  }
}

// `kubectl get -o yaml > pod.json` happens.
const YAML_OF_KUBECTL = /^(?:apiVersion|kind|metadata|items):\s/;

// What is no YAML, or is cut, stays as it is: whoever wants JSON of it says that it is none.
async function readJson({ path, name }: Place, file: string): Promise<string> {
  const { text, isWhole } = await readSmall(path, file);
  const isYaml = isWhole && (name !== file || YAML_OF_KUBECTL.test(text));
  const json = isYaml ? (yamlAsJson(text) ?? text) : text;
  return ONE_OBJECT_FILES.includes(file) ? wholeObject(json) : asSnapshotForm(file, json);
}

async function* encoded(text: Promise<string>): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(await text);
}

async function readText(path: string, file: string): Promise<string> {
  return (await readSmall(path, file)).text;
}

async function readSmall(path: string, file: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let left = SMALL_FILE_BYTES;
  for await (const bytes of openText(path, file)) {
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    if (bytes.length > left) return { text, isWhole: false };
    left -= bytes.length;
  }
  return { text: text + decoder.decode(), isWhole: true };
}

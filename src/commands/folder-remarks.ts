import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SnapshotSource } from '../app/ports.ts';
import { readFolder } from '../folder/read-folder.ts';
import { isJson } from '../model/json-file.ts';

const HEAD_BYTES = 4096;
// One in ten.
const STRANGE_SHARE = 10;

/** What of a folder could not be judged, a sentence each: none of the files is there, or one is not what its name says. */
export async function folderRemarks(path: string, source: SnapshotSource): Promise<readonly string[]> {
  const files = await source.list();
  if (files.length === 0) return [await remarkOnNone(path)];
  const remarks = await Promise.all(files.map((file) => remarkOn(source, file)));
  return remarks.filter((remark) => remark !== undefined);
}

async function remarkOnNone(path: string): Promise<string> {
  const none = 'It holds none of the files of a snapshot (previous.log, describe.txt, pod.json …).';
  const entries = await readdir(path, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const folder = join(path, name);
    if ((await (await readFolder(folder)).list()).length > 0)
      return `${none} Folders in it do: name those, as ${folder}.`;
  }
  return none;
}

// What can not be read at all is told where it is read.
async function remarkOn(source: SnapshotSource, file: string): Promise<string | undefined> {
  try {
    if (file.endsWith('.json')) {
      return isJson(await source.read(file)) ? undefined : `${file} is passed over: it is not valid JSON.`;
    }
    return looksLikeText(await headOf(source, file)) ? undefined : `${file} is no text: nothing was found in it.`;
  } catch {
    return `${file} is passed over: it can not be read.`;
  }
}

// A log may hold a few control characters, colours and broken bytes; a picture or an archive holds little else.
function looksLikeText(head: string): boolean {
  const strange = head.match(/[\p{Cc}\uFFFD]/gu)?.filter((char) => !'\n\r\t\u001B\0'.includes(char)).length ?? 0;
  return strange * STRANGE_SHARE <= head.length;
}

async function headOf(source: SnapshotSource, file: string): Promise<string> {
  for await (const bytes of source.open(file)) return new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES));
  return '';
}

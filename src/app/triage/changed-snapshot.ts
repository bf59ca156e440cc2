import { OomError } from '../../model/errors.ts';
import type { FileChange } from '../../playbook/cases-format.ts';
import type { SnapshotSource } from '../ports.ts';

/** A small snapshot with some of its files changed, one change after the other. Throws OomError `bad-input` where a change finds nothing to change. */
export async function changeSource(source: SnapshotSource, changes: readonly FileChange[]): Promise<SnapshotSource> {
  const files = new Map<string, string>();
  for (const file of await source.list()) files.set(file, await textOf(source, file));
  for (const change of changes) {
    const text = changed(files.get(change.file), change);
    if (text === undefined) files.delete(change.file);
    else files.set(change.file, text);
  }
  const at = (file: string) => files.get(file) ?? '';
  return {
    id: source.id,
    list: async () => [...files.keys()],
    read: async (file) => at(file),
    async *open(file) {
      yield new TextEncoder().encode(at(file));
    },
  };
}

async function textOf(source: SnapshotSource, file: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of source.open(file)) text += decoder.decode(bytes, { stream: true });
  return text + decoder.decode();
}

/** The text after one change; undefined where the file is gone. */
function changed(text: string | undefined, { file, gone, drop, replace, with: put }: FileChange): string | undefined {
  if (text === undefined)
    throw new OomError('bad-input', `No file ${file} in the incident.`, { next: 'Name a file that the incident has.' });
  if (gone === true) return undefined;
  const sought = drop ?? replace ?? '';
  if (!text.includes(sought)) {
    throw new OomError('bad-input', `${file} does not contain "${sought}".`, {
      next: 'Copy the text exactly from the file.',
    });
  }
  if (replace !== undefined) return text.replaceAll(replace, () => put ?? '');
  const kept = text.split('\n').filter((line) => !line.includes(sought));
  return kept.join('\n');
}

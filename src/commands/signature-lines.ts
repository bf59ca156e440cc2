import type { SnapshotSource } from '../app/ports.ts';
import type { Phrase } from '../model/phrase.ts';
import type { FileName } from '../model/snapshot.ts';
import type { Verdict } from '../model/verdict.ts';
import type { SignatureEntry } from '../playbook/phrases.ts';
import type { Problem } from '../playbook/problem.ts';

const DECIDES: ReadonlySet<Phrase['weight']> = new Set(['proof', 'strong', 'rules-out']);

/** Signatures that claim to decide, and whose line alone leads to another plane than theirs. */
export async function undecidedLines(
  entries: readonly SignatureEntry[],
  diagnose: (source: SnapshotSource) => Promise<Verdict>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { phrase, at } of entries.filter((entry) => DECIDES.has(entry.phrase.weight))) {
    const { plane, finding } = await diagnose(aloneIn(fileOf(phrase), `${phrase.must[0]}\n`));
    if (plane === phrase.plane) continue;
    const message = `${phrase.id} is ${phrase.weight} of plane ${phrase.plane}, and its line alone leads to ${plane} (${finding})`;
    problems.push({ file: at.path, ...at.locate(['must', 0]), message, severity: 'error' });
  }
  return problems;
}

function fileOf({ where }: Phrase): FileName {
  if (where === 'kernel') return 'kernel.txt';
  return where === 'log' ? 'previous.log' : 'describe.txt';
}

function aloneIn(file: FileName, text: string): SnapshotSource {
  return {
    id: 'one-line',
    list: async () => [file],
    read: async () => text,
    async *open() {
      yield new TextEncoder().encode(text);
    },
  };
}

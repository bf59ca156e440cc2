import type { SnapshotSource } from '../../src/app/ports.ts';
import type { Verdict } from '../../src/model/verdict.ts';

type Diagnose = (source: SnapshotSource) => Promise<{ readonly diagnosis: { readonly verdict: Verdict } }>;

/** What a snapshot is more certain of without some of its files, a line each: with one file less, with one file alone, or with `all` in every selection. */
export async function raisedByLess(source: SnapshotSource, diagnose: Diagnose, all = false): Promise<string[]> {
  const files = (await source.list()).filter((file) => file !== 'expected.json');
  const verdictOf = async (kept: readonly string[]) =>
    (await diagnose({ ...source, list: async () => kept })).diagnosis.verdict;
  const whole = await verdictOf(files);
  const found: string[] = [];
  for (const kept of selections(files, all)) {
    const part = await verdictOf(kept);
    if (!isRaised(part, whole)) continue;
    const gone = files.filter((file) => !kept.includes(file)).join(', ');
    found.push(`without ${gone}: ${say(part)} for ${say(whole)}`);
  }
  return found;
}

function selections(files: readonly string[], all: boolean): readonly (readonly string[])[] {
  const every = Array.from({ length: 2 ** files.length - 2 }, (_, set) =>
    files.filter((_file, i) => (set + 1) & (1 << i)),
  );
  return all ? every : every.filter(({ length }) => length === 1 || length === files.length - 1);
}

function say({ finding, certain, causeCertain }: Verdict): string {
  return `${finding}${causeCertain ? ', cause certain' : certain ? ', certain' : ''}`;
}

// More certain than the whole, or certain of something else.
function isRaised(part: Verdict, whole: Verdict): boolean {
  if ((part.certain && !whole.certain) || (part.causeCertain && !whole.causeCertain)) return true;
  if (!part.certain) return false;
  // Of two memories that failed one after the other a part may show one.
  if (part.plane !== whole.plane) return whole.plane !== 'both' || part.plane === 'none';
  return (part.causeCertain && part.cause !== whole.cause) || isOtherTime(part, whole);
}

function isOtherTime({ phase }: Verdict, whole: Verdict): boolean {
  return phase !== 'n/a' && whole.phase !== 'n/a' && (phase === 'startup') !== (whole.phase === 'startup');
}

import type { SnapshotSource } from '../app/ports.ts';
import type { EventView } from '../read/cluster/container-states.ts';
import { eventRow } from '../read/cluster/describe-tables.ts';
import { workloadOf } from '../read/cluster/gather.ts';
import { allLines } from '../read/text/lines.ts';
import { type EvidenceFile, memoryFile, readSmall } from './evidence-file.ts';
import { fileSnapshot } from './file-snapshot.ts';

const TABLE = 'describe.txt';

/**
 * Files as a snapshot. Where nothing but a table of events of several pods is there, one for each that ended, under its name:
 * of replicas that went for the same the first. A table in which no pod ended, and files of every other kind, stay one.
 */
export async function snapshotsOf(id: string, files: ReadonlyMap<string, EvidenceFile>): Promise<SnapshotSource[]> {
  const table = files.size === 1 ? files.get(TABLE) : undefined;
  const text = table && (await readSmall(table)).text;
  const rows = text === undefined ? [] : rowsIn(text);
  const ended = endsIn(rows);
  const isOfSeveral = new Set(rows.filter(isOfPod).map(({ object }) => object)).size > 1;
  if (table === undefined || text === undefined || !isOfSeveral || !ended.some(isOfPod))
    return [fileSnapshot(id, files)];
  return ended.map(({ object, name }) => {
    const own = new Set(rows.filter((row) => row.object === object).map(({ n }) => n));
    return fileSnapshot(name, new Map([[TABLE, keeping(own, text, table)]]));
  });
}

/** A row of the table. `object` is its kind and name with its namespace, where the table has a column for it. */
type Row = { readonly n: number; readonly object: string; readonly name: string; readonly event: EventView };

const HEAD = /^(?:NAMESPACE\s+)?LAST SEEN\s/;

// None where something else than rows is in the text.
function rowsIn(text: string): readonly Row[] {
  const lines = allLines(text).filter((line) => line.text.trim() !== '');
  const isWide = /^NAMESPACE\s/.test(lines[0]?.text ?? '');
  const rows = lines.flatMap((line) => {
    const event = eventRow(line);
    const { kind, name } = event?.object ?? {};
    if (event === undefined || kind === undefined || name === undefined) return [];
    const namespace = isWide ? line.text.trim().split(/\s/)[0] : '';
    return [{ n: line.n, object: [kind.toLowerCase(), namespace, name].join('/'), name, event }];
  });
  const heads = lines.filter(({ text: line }) => HEAD.test(line)).length;
  return rows.length + heads === lines.length ? rows : [];
}

function isOfPod({ object }: Row): boolean {
  return object.startsWith('pod/');
}

function endsIn(rows: readonly Row[]): readonly Row[] {
  const ends = new Map<string, Row>();
  for (const row of rows.filter(({ event }) => isEnd(event))) {
    const [why = ''] = row.event.message?.value.split('. ') ?? [];
    const key = `${workloadOf(row.object)} ${why}`;
    if (!ends.has(key)) ends.set(key, row);
  }
  return [...ends.values()];
}

const OOM = /\bOOM[ -]?kill(?:ed|ing)\b|\bSystem ?OOM\b|\bOut ?of ?memory\b/i;

function isEnd({ reason, message }: EventView): boolean {
  return reason.value === 'Evicted' || OOM.test(`${reason.value} ${message?.value ?? ''}`);
}

// The others are left empty, so that a line has the number that it has in the file.
function keeping(own: ReadonlySet<number>, text: string, { path }: EvidenceFile): EvidenceFile {
  const lines = allLines(text).map(({ n, raw }) => (own.has(n) ? raw : ''));
  return memoryFile(path, [new TextEncoder().encode(lines.join('\n'))]);
}

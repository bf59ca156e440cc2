import { z } from 'zod';
import type { SnapshotSource } from '../app/ports.ts';
import { eventRow } from '../read/cluster/describe-tables.ts';
import { workloadOf } from '../read/cluster/gather.ts';
import { allLines } from '../read/text/lines.ts';
import { type EvidenceFile, memoryFile, readSmall } from './evidence-file.ts';
import { fileSnapshot } from './file-snapshot.ts';
import type { KubernetesObject } from './kubernetes-objects.ts';

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

/** The same of what `kubectl get events -o json` prints; none where no event is among the objects. */
export function snapshotsOfList(id: string, objects: readonly KubernetesObject[]): SnapshotSource[] {
  const rows = objects.flatMap(itemOf);
  const ended = endsIn(rows);
  const isOfSeveral = new Set(rows.filter(isOfPod).map(({ object }) => object)).size > 1;
  if (rows.length === 0) return [];
  if (!isOfSeveral || !ended.some(isOfPod)) return [listOf(id, rows)];
  return ended.map(({ object, name }) =>
    listOf(
      name,
      rows.filter((row) => row.object === object),
    ),
  );
}

const Item = z.looseObject({
  involvedObject: z.looseObject({ kind: z.string(), name: z.string(), namespace: z.string().nullish() }),
  reason: z.string(),
  message: z.string().nullish(),
});

type Listed = Told & { readonly value: unknown };

function itemOf({ kind, value }: KubernetesObject): Listed[] {
  const item = kind === 'Event' ? Item.safeParse(value).data : undefined;
  if (item === undefined) return [];
  const { involvedObject: about, reason, message } = item;
  const object = [about.kind.toLowerCase(), about.namespace ?? '', about.name].join('/');
  return [{ object, name: about.name, reason, message: message ?? '', value }];
}

function listOf(id: string, rows: readonly Listed[]): SnapshotSource {
  const json = JSON.stringify({ kind: 'EventList', items: rows.map(({ value }) => value) }, null, 2);
  return fileSnapshot(id, new Map([['events.json', memoryFile('events.json', [new TextEncoder().encode(json)])]]));
}

/** What an event says, and of what: `object` is its kind and name, with its namespace where that is told. */
type Told = { readonly object: string; readonly name: string; readonly reason: string; readonly message: string };
type Row = Told & { readonly n: number };

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
    const object = [kind.toLowerCase(), namespace, name].join('/');
    return [{ n: line.n, object, name, reason: event.reason.value, message: event.message?.value ?? '' }];
  });
  const heads = lines.filter(({ text: line }) => HEAD.test(line)).length;
  return rows.length + heads === lines.length ? rows : [];
}

function isOfPod({ object }: Told): boolean {
  return object.startsWith('pod/');
}

function endsIn<T extends Told>(rows: readonly T[]): readonly T[] {
  const ends = new Map<string, T>();
  for (const row of rows.filter(isEnd)) {
    const why = /memory/i.test(row.message) ? 'memory' : row.message.split('. ')[0];
    const key = `${workloadOf(row.object)} ${why}`;
    if (!ends.has(key)) ends.set(key, row);
  }
  return [...ends.values()];
}

const OOM = /\bOOM[ -]?kill(?:ed|ing)\b|\bSystem ?OOM\b|\bOut ?of ?memory\b/i;

function isEnd({ reason, message }: Told): boolean {
  return reason === 'Evicted' || OOM.test(`${reason} ${message}`);
}

// The others are left empty, so that a line has the number that it has in the file.
function keeping(own: ReadonlySet<number>, text: string, { path }: EvidenceFile): EvidenceFile {
  const lines = allLines(text).map(({ n, raw }) => (own.has(n) ? raw : ''));
  return memoryFile(path, [new TextEncoder().encode(lines.join('\n'))]);
}

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import { OomError } from '../../model/errors.ts';
import { Snapshot } from '../../model/snapshot.ts';
import type { Tables } from '../database/tables.ts';

type FileRow = Pick<Tables['snapshotFile'], 'name' | 'encoding' | 'body'>;

export type PackedSnapshot = { readonly id: string; readonly hash: string; readonly files: readonly FileRow[] };

const pack = promisify(gzip);
const unpack = promisify(gunzip);
// Below this the container of gzip costs more than it saves.
const PLAIN_CHARS = 512;
// Up to this, handing it to another thread takes longer than the millisecond that packing takes.
const SMALL_CHARS = 64 * 1024;

/** Packs the files before any transaction begins, large ones off the main thread. */
export async function packSnapshot(snapshot: Snapshot): Promise<PackedSnapshot> {
  const names = Object.keys(snapshot.files).sort();
  const hash = createHash('sha256');
  const files: FileRow[] = [];
  for (const name of names) {
    const text = snapshot.files[name] ?? '';
    hash.update(`${name.length}:${name}${Buffer.byteLength(text)}:`).update(text);
    files.push(await packFile(name, text));
  }
  return { id: snapshot.id, hash: hash.digest('hex'), files };
}

async function packFile(name: string, text: string): Promise<FileRow> {
  // A lone surrogate has no bytes of its own: as JSON it survives.
  if (!text.isWellFormed()) return { name, encoding: 'json', body: JSON.stringify(text) };
  if (text.length < PLAIN_CHARS && !text.includes('\0')) return { name, encoding: 'text', body: text };
  // Text, so that the column is the same in every dialect.
  const packed = text.length <= SMALL_CHARS ? gzipSync(text) : await pack(text);
  return { name, encoding: 'gzip-base64', body: packed.toString('base64') };
}

export async function unpackSnapshot(id: string, rows: readonly FileRow[]): Promise<Snapshot> {
  const files: Record<string, string> = {};
  for (const row of rows) files[row.name] = await unpackFile(id, row);
  const parsed = Snapshot.safeParse({ id, files });
  if (parsed.success) return parsed.data;
  throw unreadable(id, parsed.error);
}

async function unpackFile(id: string, { encoding, body }: FileRow): Promise<string> {
  try {
    if (encoding === 'text') return body;
    if (encoding === 'json') return String(JSON.parse(body));
    return (await unpack(Buffer.from(body, 'base64'))).toString('utf8');
  } catch (error) {
    throw unreadable(id, error);
  }
}

function unreadable(id: string, cause: unknown): OomError {
  return new OomError('store-failed', `Cannot read the stored evidence ${id}.`, {
    next: 'Someone changed it in the database. Collect it again with `oom collect`.',
    cause,
  });
}

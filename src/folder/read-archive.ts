import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { OomError } from '../model/errors.ts';
import { type EvidenceFile, memoryFile } from './evidence-file.ts';
import { decodeText } from './input-text.ts';

const MIB = 1024 * 1024;
// What is unpacked is kept in memory, since a path in an archive may lead anywhere on disk.
const LARGEST_BYTES = 512 * MIB;
const MOST_FILES = 20_000;

export type ByteStream = AsyncIterable<Uint8Array>;

/** The bytes of a stream with those that were read ahead to see what it is. */
export type Opened = { readonly head: Buffer; readonly bytes: ByteStream; readonly isPacked: boolean };

const HEAD_BYTES = 512;

/** Looks at the first bytes of a stream; gzip is unpacked on the way. Throws OomError `bad-input` where there is too much of it. */
export async function openBytes(stream: ByteStream): Promise<Opened> {
  const first = await peek(stream);
  if (first.head[0] !== 0x1f || first.head[1] !== 0x8b) return first;
  const unpacked = createGunzip();
  // Without it a fault of the stream in front would leave the other one waiting.
  pipeline(Readable.from(first.bytes), unpacked, () => undefined);
  return { ...(await peek(unpacked)), isPacked: true };
}

/** All of a stream as one file of text, in memory. Throws OomError `bad-input`. */
export async function readWhole(name: string, bytes: ByteStream): Promise<EvidenceFile> {
  return memoryFile(name, await collect(decodeText(bounded(bytes))));
}

const MAGIC_AT = 257;

/** Whether these are the first bytes of a tar. */
export function isTar(head: Buffer): boolean {
  return head.subarray(MAGIC_AT, MAGIC_AT + 5).toString('latin1') === 'ustar';
}

/** The files of a tar, in memory; nothing is written to disk, and links lead nowhere. Throws OomError `bad-input` for a tar that is damaged, too large, or names a path outside itself. */
export async function readTar(bytes: ByteStream): Promise<readonly EvidenceFile[]> {
  const files: EvidenceFile[] = [];
  const decoder = createTarDecoder({ strict: true });
  const entries = ReadableStream.from(bounded(bytes)).pipeThrough(decoder as never) as ReadableStream<Entry>;
  try {
    for await (const { header, body } of entries) {
      refuseHostile(header);
      const chunks = await collect(header.type === 'file' ? decodeText(body) : body);
      if (header.type === 'file') files.push(memoryFile(header.name.replace(/^(?:\.\/)+/, ''), chunks));
      if (files.length > MOST_FILES) throw tooLarge();
    }
  } catch (thrown) {
    throw damaged(thrown);
  }
  return files;
}

type Entry = {
  readonly header: {
    readonly name: string;
    readonly size: number;
    readonly type?: string;
    readonly linkname?: string;
  };
  readonly body: ReadableStream<Uint8Array>;
};

const ABSOLUTE = /^(?:[/\\]|[a-z]:)/i;

// `a/../../x` leads out as well as `../x`; no archive of evidence needs either.
function leadsOut(path: string): boolean {
  return ABSOLUTE.test(path) || path.split(/[/\\]/).includes('..');
}

function refuseHostile({ name, size, type, linkname = '' }: Entry['header']): void {
  if (leadsOut(name)) throw hostile(name);
  // A link in a bundle points at a file of the same bundle, from its own folder.
  const up = linkname.split('/').filter((part) => part === '..').length;
  const isLink = type === 'symlink' || type === 'link';
  if (isLink && (ABSOLUTE.test(linkname) || up >= name.split('/').length)) throw hostile(`${name} -> ${linkname}`);
  if (size > LARGEST_BYTES) throw tooLarge();
}

function hostile(path: string): OomError {
  return new OomError(
    'bad-input',
    `The archive holds a path outside itself: ${path.slice(0, 200)}. Nothing was read.`,
    {
      next: 'Make a new archive from inside the folder.',
    },
  );
}

function tooLarge(): OomError {
  return new OomError('bad-input', `It is larger than ${LARGEST_BYTES / MIB} MiB unpacked.`, {
    next: 'Unpack it and name the folder of one pod.',
  });
}

// What the system says of a file, such as that it may not be read, is said where the file is named.
function damaged(cause: unknown): unknown {
  if (cause instanceof OomError || (cause instanceof Error && 'syscall' in cause)) return cause;
  return new OomError('bad-input', 'The archive is damaged or cut short.', {
    next: 'Copy or download it again.',
    cause,
  });
}

async function peek(stream: ByteStream): Promise<Opened> {
  const iterator = stream[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  let size = 0;
  try {
    while (size < HEAD_BYTES) {
      const { done, value } = await iterator.next();
      if (done) break;
      taken.push(value);
      size += value.length;
    }
  } catch (cause) {
    throw damaged(cause);
  }
  const rest = async function* () {
    yield* taken;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  };
  return { head: Buffer.concat(taken).subarray(0, HEAD_BYTES), bytes: rest(), isPacked: false };
}

async function* bounded(bytes: ByteStream): AsyncGenerator<Uint8Array> {
  let left = LARGEST_BYTES;
  try {
    for await (const chunk of bytes) {
      left -= chunk.length;
      if (left < 0) throw tooLarge();
      yield chunk;
    }
  } catch (thrown) {
    throw damaged(thrown);
  }
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return chunks;
}

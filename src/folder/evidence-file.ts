/** A file of evidence, wherever it lies: on disk, in an archive, on standard input. */
export type EvidenceFile = {
  /** Below its folder or archive, with forward slashes: `logs/llm/vllm-0/server.log`. */
  readonly path: string;
  open(): AsyncIterable<Uint8Array>;
};

/** A file that is already in memory. */
export function memoryFile(path: string, chunks: readonly Uint8Array[]): EvidenceFile {
  return {
    path,
    async *open() {
      yield* chunks;
    },
  };
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder that a file lies in; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

// A small file that is larger than this is no status or capture but a mistake; its beginning is still read.
const SMALL_FILE_BYTES = 8 * 1024 * 1024;

/** The text of a small file; of a larger one its first 8 MiB. */
export async function readSmall(file: EvidenceFile): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let left = SMALL_FILE_BYTES;
  for await (const bytes of file.open()) {
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    if (bytes.length > left) return { text, isWhole: false };
    left -= bytes.length;
  }
  return { text: text + decoder.decode(), isWhole: true };
}

/** The first bytes of a file as text. */
export async function readHead(file: EvidenceFile, bytes: number): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const chunk of file.open()) {
    head = Buffer.concat([head, chunk.subarray(0, bytes - head.length)]);
    if (head.length >= bytes) break;
  }
  return new TextDecoder().decode(head);
}

// One in ten.
const STRANGE_SHARE = 10;

/** Whether the head of a file is text. A log may hold a few control characters, colors and broken bytes; a picture or an archive holds little else. */
export function looksLikeText(head: string): boolean {
  const strange = head.match(/[\p{Cc}\uFFFD]/gu)?.filter((char) => !'\n\r\t\u001B\0'.includes(char)).length ?? 0;
  return strange * STRANGE_SHARE <= head.length;
}

import { parseDocument } from 'yaml';

/**
 * The bytes as UTF-8. A redirect in PowerShell writes UTF-16 with a mark in front, and UTF-8 with one: the first is
 * recoded, marks are left out, and bytes without a mark pass as they are.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let head: Buffer | undefined = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    let bytes: Uint8Array = chunk;
    if (head !== undefined) {
      head = Buffer.concat([head, chunk]);
      if (head.length < 3) continue;
      decoder = decoderFor(head);
      bytes = withoutMark(head);
      head = undefined;
    }
    const text = decoder === undefined ? bytes : encoder.encode(decoder.decode(bytes, { stream: true }));
    if (text.length > 0) yield text;
  }
  if (head !== undefined) {
    const short = decoderFor(head);
    yield short === undefined ? head : encoder.encode(short.decode(head));
  } else if (decoder !== undefined) yield encoder.encode(decoder.decode());
}

function decoderFor(head: Buffer): TextDecoder | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  return undefined;
}

function withoutMark(head: Buffer): Buffer {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head;
}

/** What `kubectl get -o yaml` prints, as the JSON that `-o json` prints; undefined where it is no YAML of an object or a list. */
export function yamlAsJson(text: string): string | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return undefined;
  try {
    const value: unknown = document.toJS();
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : undefined;
  } catch {
    return undefined;
  }
}

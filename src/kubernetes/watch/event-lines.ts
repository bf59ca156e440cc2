const LF = 10;

/** The lines of a stream, of which the last is left out unless it is whole. A line over `longest` bytes is undefined, and the end. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<string | undefined, void> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let feed = rest.indexOf(LF); feed >= 0 && size + feed <= longest; feed = rest.indexOf(LF)) {
      yield Buffer.concat([...held, rest.subarray(0, feed)]).toString('utf8');
      held = [];
      size = 0;
      rest = rest.subarray(feed + 1);
    }
    size += rest.byteLength;
    if (size > longest) {
      yield undefined;
      return;
    }
    held.push(rest);
  }
}

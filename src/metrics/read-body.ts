export type BodyText = { readonly text: string; readonly bytes: number; readonly cut: boolean };

/** Reads at most `limit` bytes of a body as UTF-8 and drops the rest of it. */
export async function readBody(body: AsyncIterable<Uint8Array>, limit: number): Promise<BodyText> {
  const decoder = new TextDecoder('utf-8');
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    const room = limit - bytes;
    if (chunk.byteLength > room) {
      text += decoder.decode(chunk.subarray(0, room));
      // Leaving the loop destroys the stream, and with it the connection.
      return { text, bytes: limit, cut: true };
    }
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), bytes, cut: false };
}

import { CONNECTION_FAULTS, codeOf, isUntrusted } from '../model/connection-fault.ts';
import type { Reason } from './prometheus-answer.ts';

type Why = { readonly reason: Reason; readonly detail: string };

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const FILES = new Set(['ENOENT', 'EACCES', 'EISDIR', 'EPERM']);

/** Why a request gave no answer, by the codes of Node and undici. `who` begins the sentence. */
export function whyUnreachable(thrown: unknown, who: string, signal: AbortSignal): Why {
  if (signal.aborted) return { reason: 'deadline', detail: `${who} did not answer in time` };
  const { code, path } = codeOf(thrown);
  if (path !== undefined && FILES.has(code)) return { reason: 'failed', detail: `${path} cannot be read (${code})` };
  if (TIMEOUTS.has(code)) return { reason: 'deadline', detail: `${who} did not answer in time` };
  if (isUntrusted(code)) return { reason: 'unreachable', detail: `${who} is not trusted: ${code}` };
  return {
    reason: 'unreachable',
    detail: `${who} cannot be reached: ${CONNECTION_FAULTS[code] ?? (code || 'the request failed')}`,
  };
}

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

import type { Reason } from './prometheus-answer.ts';

type Why = { readonly reason: Reason; readonly detail: string };

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'it does not take connections',
};
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
const FILES = new Set(['ENOENT', 'EACCES', 'EISDIR', 'EPERM']);

/** Why a request gave no answer, by the codes of Node and undici. `who` begins the sentence. */
export function whyUnreachable(thrown: unknown, who: string, signal: AbortSignal): Why {
  if (signal.aborted) return { reason: 'deadline', detail: `${who} did not answer in time` };
  const { code, path } = codeOf(thrown);
  if (path !== undefined && FILES.has(code)) return { reason: 'failed', detail: `${path} cannot be read (${code})` };
  if (TIMEOUTS.has(code)) return { reason: 'deadline', detail: `${who} did not answer in time` };
  if (TLS.test(code)) return { reason: 'unreachable', detail: `${who} is not trusted: ${code}` };
  return {
    reason: 'unreachable',
    detail: `${who} cannot be reached: ${CODES[code] ?? (code || 'the request failed')}`,
  };
}

/** The code of a fault, or of what is behind it, and the file it is about. */
export function codeOf(thrown: unknown, depth = 0): { code: string; path: string | undefined } {
  if (!(thrown instanceof Error)) return { code: '', path: undefined };
  if ('code' in thrown && typeof thrown.code === 'string') {
    return { code: thrown.code, path: 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : undefined };
  }
  // Several addresses of one name were tried: the first tells as much as the others.
  const inner = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause;
  return depth < 3 ? codeOf(inner, depth + 1) : { code: '', path: undefined };
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

import type { ServerResponse } from 'node:http';
import { wait } from '../loopback.ts';
import type { ApiFault } from './faults.ts';
import type { ApiRequest } from './objects/request.ts';
import { type Answer, refuse } from './objects/status.ts';

type Sending = {
  readonly answer: Answer;
  readonly request: ApiRequest;
  readonly fault: ApiFault | undefined;
};

/** Writes an answer with the fault that it meets. Bodies of generators are made as fast as the client reads, so that they may be of any size. */
export async function send(response: ServerResponse, sending: Sending): Promise<void> {
  const { answer: meant, request, fault } = sending;
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'delay') await wait(fault.ms, response);
  if (fault?.kind === 'drop') {
    response.destroy();
    return;
  }
  const answer = swapped(meant, fault);
  request.status = answer.status;
  if (answer.kind === 'stream') return answer.begin(response, fault);
  const type = answer.kind === 'json' ? 'application/json' : 'text/plain';
  response.writeHead(answer.status, { 'content-type': type, ...(answer.kind === 'json' && answer.headers) });
  await sendBody(response, answer, sending);
}

async function sendBody(
  response: ServerResponse,
  answer: Exclude<Answer, { kind: 'stream' }>,
  { request, fault }: Sending,
): Promise<void> {
  const limit = fault?.kind === 'cut' ? fault.afterBytes : Number.POSITIVE_INFINITY;
  for (const chunk of gathered(answer.kind === 'json' ? [JSON.stringify(answer.body)] : answer.chunks)) {
    if (fault?.kind === 'slow') await wait(fault.ms, response);
    const piece = chunk.subarray(0, limit - request.bytes);
    request.bytes += piece.byteLength;
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
    if (request.bytes >= limit) {
      // What was written must reach the client before the connection is cut.
      await wait(20, response);
      response.destroy();
      return;
    }
  }
  response.end();
}

function swapped(answer: Answer, fault: ApiFault | undefined): Answer {
  if (fault?.kind === 'body') return { kind: 'text', status: fault.status, chunks: [fault.text] };
  if (fault?.kind === 'endless-body') return { kind: 'text', status: 200, chunks: endless() };
  if (fault?.kind === 'endless-list' && answer.kind === 'json') return { ...answer, body: withMore(answer.body) };
  if (fault?.kind !== 'refuse') return answer;
  const refusal = refuse(fault.status, REASONS[fault.status] ?? 'InternalError', 'refused by the stand-in');
  const { retryAfterSeconds } = fault;
  if (refusal.kind !== 'json' || retryAfterSeconds === undefined) return refusal;
  return { ...refusal, headers: { 'retry-after': String(retryAfterSeconds) } };
}

// The token stands for the beginning of the list: each page comes again and again.
function withMore(list: unknown): unknown {
  const { metadata, ...rest } = list as { readonly metadata: object };
  return { ...rest, metadata: { ...metadata, continue: Buffer.from(' ').toString('base64url') } };
}

function* endless(): Generator<string> {
  yield '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{}';
  const more = ',{}'.repeat(20_000);
  for (;;) yield more;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  410: 'Expired',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const PIECE = 64 * 1024;

// Lines are small; sockets want larger pieces.
function* gathered(chunks: Iterable<string | Uint8Array>): Generator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk as string);
    held.push(bytes);
    size += bytes.byteLength;
    if (size >= PIECE) {
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

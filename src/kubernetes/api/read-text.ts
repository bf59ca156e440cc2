import { z } from 'zod';
import type { ReadBudget } from '../../app/ports.ts';
import { parseJson } from '../../model/json-file.ts';
import type { KubeFailure } from './failure.ts';

const Status = z.looseObject({ kind: z.literal('Status'), apiVersion: z.literal('v1') });

type Failed = { readonly kind: 'failed'; readonly failure: KubeFailure };
export type TextAnswer = { readonly kind: 'ok'; readonly body: string } | Failed;
export type JsonAnswer = { readonly kind: 'ok'; readonly body: unknown } | Failed;

/** Reads a body as UTF-8, at most `maxBytes` and what the budget has left. Throws what the connection throws. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  limits: { readonly budget: ReadBudget; readonly maxBytes: number },
): Promise<TextAnswer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const room = Math.min(limits.maxBytes - bytes, limits.budget.bytesLeft);
    bytes += chunk.byteLength;
    limits.budget.addBytes(chunk.byteLength);
    // Leaving the loop closes the connection.
    if (chunk.byteLength > room) return failed('budget', 'byte limit');
    chunks.push(chunk);
  }
  return { kind: 'ok', body: Buffer.concat(chunks).toString('utf8') };
}

const LONGEST_STATUS = 16 * 1024;

/** Whether a body is a Status of the API server. What a pod or another server behind it says is of any form. */
export async function hasStatus(body: AsyncIterable<Uint8Array>): Promise<boolean> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_STATUS) return false;
    chunks.push(chunk);
  }
  return Status.safeParse(parseJson(Buffer.concat(chunks).toString('utf8'))).success;
}

export function readJson(text: string): JsonAnswer {
  const body = parseJson(text);
  if (body !== undefined) return { kind: 'ok', body };
  // A proxy or a page to log in answers 200 with HTML.
  return failed('failed', 'the answer is not JSON, so it is not from an API server');
}

function failed(reason: 'budget' | 'failed', detail: string): Failed {
  return { kind: 'failed', failure: { reason, code: 'cluster-refused', detail } };
}

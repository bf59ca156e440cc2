import { z } from 'zod';
import type { KubeObject, Write, WriteOutcome } from '../../app/acting-ports.ts';
import { lenient, listOf, text } from '../../model/lenient.ts';
import { isObject } from '../api/objects.ts';
import { type ActAnswer, isOutOfOrder, sayStatusOf } from './act-http.ts';

const Cause = z.looseObject({ reason: text, message: text, field: text });

/** meta/v1 Status, which the API server refuses with. */
const Status = z.looseObject({
  reason: text,
  message: text,
  details: lenient(z.looseObject({ name: text, kind: text, group: text, causes: listOf(Cause, {}) })),
});
type Status = z.infer<typeof Status>;

type Refusal = { readonly kind: 'stale' | 'conflict'; readonly message: string };

type Answered = Extract<ActAnswer, { kind: 'answered' }>;

/** What the API server's answer to a write means. `forbidden` is left to the caller, who can ask what is missing. */
export function outcomeOf(
  answer: ActAnswer,
  { body: { kind } }: Pick<Write, 'body'>,
): Exclude<WriteOutcome, { kind: 'forbidden' }> | { readonly kind: 'denied' } {
  if (answer.kind === 'lost') return { kind: 'unavailable', why: answer.why, retryAfterMs: null };
  const { status, body, warnings } = answer;
  if (status >= 200 && status < 300) return writtenOr(body, warnings);
  if (isOutOfOrder(status)) return unavailable(answer);
  if (status === 403) return { kind: 'denied' };
  const said = readStatus(body);
  const message = sayStatus(status, said);
  if (status === 409) return atConflict(kind, said, message);
  return { kind: kind === 'patch' && status === 422 && isFailedPatch(said) ? 'stale' : 'refused', message };
}

function writtenOr(body: unknown, warnings: readonly string[]): Exclude<WriteOutcome, { kind: 'forbidden' }> {
  if (isObject(body)) return { kind: 'written', object: body as KubeObject, warnings };
  // Something between us and the API server said yes: a proxy, or a page to log in.
  return { kind: 'unavailable', why: 'the answer is not JSON', retryAfterMs: null };
}

/** An answer that only says that the API server cannot answer now. */
export function unavailable({ status, retryAfterMs, body }: Answered): {
  kind: 'unavailable';
  why: string;
  retryAfterMs: number | null;
} {
  // A webhook that does not answer is a 500 of the API server, whose words name it.
  const { message } = readStatus(body);
  const said = message === undefined || status < 500 ? '' : `: ${oneLine(message)}`;
  return { kind: 'unavailable', why: `${sayStatusOf({ status })}${said}`, retryAfterMs };
}

function atConflict(kind: Write['body']['kind'], said: Status, message: string): Refusal {
  const exists = kind === 'create' && said.reason === 'AlreadyExists';
  return { kind: exists ? 'stale' : 'conflict', message };
}

// A JSON Patch that cannot be applied is refused without any detail; a schema or a webhook names what it minds.
function isFailedPatch({ details }: Status): boolean {
  if (details === undefined) return false;
  return details.name === undefined && details.kind === undefined && (details.causes ?? []).length === 0;
}

/** The resource that a refusal is about, as the API server tells it. */
export function refusedResource(body: unknown): string | undefined {
  return readStatus(body).details?.kind;
}

function readStatus(body: unknown): Status {
  return Status.safeParse(body).data ?? {};
}

const LONGEST = 400;

// What the API server says, in one clipped line.
function sayStatus(status: number, { message, details, reason }: Status): string {
  const causes = (details?.causes ?? []).flatMap((cause) =>
    cause.message === undefined ? [] : [cause.field ? `${cause.field}: ${cause.message}` : cause.message],
  );
  const words = message ?? (causes.length > 0 ? causes.join('; ') : (reason ?? 'no reason given'));
  return `${oneLine(words)} (${status})`;
}

function oneLine(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

/** What the API server says to a refused request. */
export function sayRefusal(answer: ActAnswer): string {
  return answer.kind === 'lost' ? answer.why : sayStatus(answer.status, readStatus(answer.body));
}

import type { ServerResponse } from 'node:http';
import type { ApiFault } from './api-fault.ts';

/** Starts a body that goes on; a watch meets its fault in between. */
type Begin = (response: ServerResponse, fault?: ApiFault) => void;

/** What a handler answers: JSON, a body made piece by piece, or one without an end. */
export type Answer =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string | string[]>;
    }
  | { readonly kind: 'text'; readonly status: number; readonly chunks: Iterable<string | Uint8Array> }
  /** Goes on until the client or its time ends it. */
  | { readonly kind: 'stream'; readonly status: number; readonly begin: Begin };

/** One thing that is wrong: `FieldValueInvalid` at `spec.replicas`. */
export type Cause = { readonly reason?: string; readonly message: string; readonly field?: string };
type Details = {
  readonly name?: string | undefined;
  readonly kind?: string;
  readonly group?: string;
  readonly causes?: readonly Cause[];
};

/** A refusal as the API server words it (meta/v1 Status). */
export function refuse(status: number, reason: string, message: string, details: Details = {}): Answer {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details };
  return { kind: 'json', status, body: { ...body, code: status } };
}

export function json(body: unknown, status = 200): Answer {
  return { kind: 'json', status, body };
}

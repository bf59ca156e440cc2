/** What a handler answers: JSON, or a body made piece by piece. */
export type Answer =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string | string[]>;
    }
  | { readonly kind: 'text'; readonly status: number; readonly chunks: Iterable<string | Uint8Array> };

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

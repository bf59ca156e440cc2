/** What a handler answers: JSON, or a body made piece by piece. */
export type Answer =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'text'; readonly status: number; readonly chunks: Iterable<string | Uint8Array> };

type Details = { readonly name?: string | undefined; readonly kind?: string; readonly group?: string };

/** A refusal as the API server words it (meta/v1 Status). */
export function refuse(status: number, reason: string, message: string, details: Details = {}): Answer {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details };
  return { kind: 'json', status, body: { ...body, code: status } };
}

export function json(body: unknown): Answer {
  return { kind: 'json', status: 200, body };
}

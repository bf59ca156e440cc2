/** Every fault a person can meet, by code. docs/errors.md lists them; a test holds the two together. */
export const ERROR_CODES = [
  'bad-input',
  'bad-config',
  'bad-playbook',
  'no-folder',
  'not-found',
  'ambiguous',
  'forbidden',
  'not-allowed',
  'cluster-unreachable',
  'cluster-refused',
  'metrics-unreachable',
  'chat-refused',
  'bot-unreachable',
  'store-failed',
  'store-busy',
  'deadline',
  'interrupted',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** A fault with a code, a sentence for the reader, and what to do next. The cause is kept for the log and never shown. */
export class OomError extends Error {
  readonly code: ErrorCode;
  readonly next: string;

  constructor(code: ErrorCode, message: string, options: { next: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'OomError';
    this.code = code;
    this.next = options.next;
  }
}

/** Anything thrown, as an OomError; what is none becomes `internal`. */
export function toOomError(thrown: unknown): OomError {
  if (thrown instanceof OomError) return thrown;
  return new OomError('internal', 'Something in oombot failed that should not fail.', {
    next: 'Try again; if it stays, send the log line with this code to the people who run the bot.',
    cause: thrown,
  });
}

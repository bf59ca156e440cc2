import pino, { type DestinationStream } from 'pino';
import type { Log } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { createRedactor, type Redactor } from '../snapshot/redact.ts';
import { redactJson } from '../snapshot/redact-json.ts';

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// A second net: what bears such a name is not printed, whoever passed it.
const SECRET_FIELDS = [
  'token',
  'password',
  'secret',
  'authorization',
  'apiKey',
  'botToken',
  'appToken',
  'signingSecret',
];

/** One JSON object a line, on stderr unless told otherwise, since stdout belongs to the answers of the terminal. */
export function createLog(options: { level: LogLevel; destination?: DestinationStream; redactor?: Redactor }): Log {
  const redactor = options.redactor ?? createRedactor();
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true });
  const logger = pino(
    {
      base: { service: 'oombot' },
      level: options.level,
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    },
    destination,
  );
  const write =
    (level: 'info' | 'warn' | 'error'): Log['info'] =>
    (event, fields) =>
      logger[level](plainFields(fields, redactor), event);
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

// What a cluster, a proxy or a person said may hold a secret.
function plainFields(fields: Readonly<Record<string, unknown>> = {}, redactor: Redactor): object {
  const plain = 'error' in fields ? { ...fields, error: describeError(fields.error) } : fields;
  return redactJson(plain, redactor) as object;
}

/** A thrown value as plain fields, with its causes; request bodies and headers that SDK errors carry stay out. */
function describeError(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return { message: String(thrown).slice(0, 500) };
  return {
    type: thrown.name,
    message: thrown.message.slice(0, 2000),
    ...(thrown instanceof OomError ? { code: thrown.code } : {}),
    ...(depth === 0 ? { stack: thrown.stack?.slice(0, 4000) } : {}),
    ...(thrown.cause !== undefined && depth < 3 ? { cause: describeError(thrown.cause, depth + 1) } : {}),
  };
}

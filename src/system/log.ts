import pino, { type DestinationStream, type Logger } from 'pino';
import type { Log } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';

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
export function createLog(options: { level: LogLevel; destination?: DestinationStream }): Log {
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true });
  const logger = pino(
    {
      base: { service: 'oombot' },
      level: options.level,
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '***' },
      serializers: { error: describeError },
    },
    destination,
  );
  return {
    info: (event, fields) => write(logger, 'info', event, fields),
    warn: (event, fields) => write(logger, 'warn', event, fields),
    error: (event, fields) => write(logger, 'error', event, fields),
  };
}

function write(
  logger: Logger,
  level: 'info' | 'warn' | 'error',
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  logger[level](fields, event);
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

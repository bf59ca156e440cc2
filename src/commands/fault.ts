import { type ErrorCode, toOomError } from '../model/errors.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { EXIT, type Terminal } from './terminal.ts';

const exits: Readonly<Partial<Record<ErrorCode, number>>> = {
  'bad-input': EXIT.usage,
  'bad-config': EXIT.usage,
  'bad-playbook': EXIT.usage,
  'no-folder': EXIT.usage,
  'not-found': EXIT.notFound,
  ambiguous: EXIT.notFound,
  forbidden: EXIT.notAllowed,
  'not-allowed': EXIT.notAllowed,
  'cluster-unreachable': EXIT.unreachable,
  'cluster-refused': EXIT.unreachable,
  'metrics-unreachable': EXIT.unreachable,
  'bot-unreachable': EXIT.unreachable,
  deadline: EXIT.unreachable,
};

/** The exit code for a fault. */
export function exitOf(code: ErrorCode): number {
  return exits[code] ?? EXIT.failed;
}

/** Says what failed and what to do next, on stderr; answers the exit code. The cause is shown only for faults of oombot itself. */
export function reportFault(terminal: Terminal, thrown: unknown): number {
  const error = toOomError(thrown);
  // A cluster repeats what it refuses, and a program for credentials prints what it likes.
  const { redact } = createRedactor();
  terminal.progress(undefined);
  terminal.err(
    `${terminal.paint.red(`oom: ${redact(error.message)}`)}\n${redact(error.next)}\n${terminal.paint.dim(`(${error.code})`)}`,
  );
  if (error.code === 'internal' && error.cause instanceof Error)
    terminal.err(terminal.paint.dim(redact(error.cause.stack ?? error.cause.message)));
  return exitOf(error.code);
}

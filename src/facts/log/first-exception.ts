import type { Citation, LineCitation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { tablesInForce } from '../../model/reference-tables.ts';
import { isShortage, namesMemory } from './memory-wording.ts';
import { oncePer } from './once-per.ts';
import { isEcho } from './peer-death.ts';
import { tailLines } from './tail-lines.ts';
import { EXCEPTION, headless, isFrame, unboxed } from './traceback.ts';

/** An error as it was raised. */
export type Exception = {
  readonly type: string;
  readonly message: string;
  readonly from: Citation;
};

// The device's own word in a program that raises nothing (ggml); Rust's panics, Go's fatal errors.
const DEVICE = /(?:^|: )((?:CUDA|HIP|ROCm|MUSA|CANN) error)(?: \d{1,5})?: (\S.*)$/;
// C++: the type stands in the line above, or, of libc++, in the same.
const UNCAUGHT = /\b(?:what\(\):|uncaught exception of type [\w:]{1,80}:) {1,4}(\S.*)$/;
const PANIC = /\b(panicked) at\b(.*)$|^(panic|fatal error): (.*)$/;

/** The first error among the last lines that no signature knows and that does not mention memory. */
export function firstException(log: LogReading | undefined): Exception | undefined {
  return log && exceptionOf(log);
}

const exceptionOf = oncePer((log: LogReading): Exception | undefined => {
  const lines = tailLines(log);
  const uncaught = (from: LineCitation) => {
    const seen = read(from);
    // Few lines are errors, and it takes long to tell what became of one.
    return seen === undefined || isCaught(from, lines) ? undefined : seen;
  };
  return firstOf(lines, uncaught) ?? firstOf(lines, read) ?? readNamed(lines);
});

// A list of what a system call may have been; the file whose assertion failed.
const NO_WORDS = /\(e\.g\. socket, malloc\)|(?<=INTERNAL ASSERT FAILED )at "[^"]{1,200}":\d{1,6}/g;

function firstOf(
  lines: readonly LineCitation[],
  reader: (line: LineCitation) => Exception | undefined,
): Exception | undefined {
  for (const line of lines) {
    const seen = reader(line);
    if (seen !== undefined) return seen;
  }
  return undefined;
}

// A field of a record that holds no error: docker inspect, Go's %v, Python's repr.
const NO_ERROR = /\b(?:Error|Exception):\s*(?:""|''|null|nil|<nil>|None)\s*,?\s*$/;

function read(from: LineCitation): Exception | undefined {
  const clean = headless(from.text).replace(NO_WORDS, '');
  if (NO_ERROR.test(clean)) return undefined;
  const exception = EXCEPTION.exec(clean);
  if (exception !== null) return keep(clean, exception[1], exception[2], from);
  if (namesMemory(clean)) return undefined;
  const device = DEVICE.exec(clean);
  if (device !== null) return keep(clean, device[1], device[2], from);
  const uncaught = UNCAUGHT.exec(clean);
  if (uncaught !== null) return keep(clean, 'Uncaught exception', uncaught[1], from);
  const panic = PANIC.exec(clean);
  return panic === null ? undefined : keep(clean, panic[1] ?? panic[3], panic[2] ?? panic[4], from);
}

// `xinference.errors.ContextLengthExceeded: text`, `typer.BadParameter: text`: whatever its class is called, what stands
// right below the last frame of a traceback is the error.
const NAMED = /^(?:[\w.]{1,80}\.)?(?!SystemExit|Empty\b|Full\b)(_?[A-Z]\w{1,60}): (\S.*)$/;

function readNamed(lines: readonly LineCitation[]): Exception | undefined {
  return firstOf(lines, (from) => {
    const clean = headless(from.text);
    const [, type, message] = NAMED.exec(clean) ?? [];
    if (type === undefined || !isBelowFrame(from, lines)) return undefined;
    return keep(clean, type, message, from);
  });
}

/** Whether the text above an error says that somebody handled it. */
export function isHandled(before: string): boolean {
  return tablesInForce().wording.handled.test(before);
}

// An echo is of another's death, and what says that memory was short is no error of another kind.
function keep(
  text: string,
  type: string | undefined,
  message: string | undefined,
  from: Citation,
): Exception | undefined {
  if (isEcho(text)) return undefined;
  const seen = { type: type ?? '', message: message ?? '', from };
  return isShortage(text, seen) ? undefined : seen;
}

// A frame takes two lines and a third that marks the place; `raise ValueError(` may be all that is left of it.
const FRAME_LINES = 3;
const RAISES = /^\s*raise \w/;

/** Whether a frame of a traceback, or a `raise`, stands right above a line. */
export function isBelowFrame(from: LineCitation, lines: readonly LineCitation[]): boolean {
  const near = lines.filter(({ line }) => line < from.line && from.line - line <= FRAME_LINES);
  return unboxed(near.map(({ text }) => text)).some((text) => isFrame(text) || RAISES.test(text));
}

const TRACEBACK = 'Traceback (most recent call last)';
const CHAINED = /^(?:During handling of the above exception|The above exception was the direct cause)/;
const HEAD_LINES = 3;

/** Whether an error ended one request, and no process: a failed request would pass for the end of the engine. */
export function isCaught(from: LineCitation, lines: readonly LineCitation[]): boolean {
  const above = lines.filter(({ line }) => line < from.line);
  const headOf = (end: number) => above.slice(0, end).findLastIndex(({ text }) => text.includes(TRACEBACK));
  // What is above the error of another traceback is the head of that one.
  const near = (head: number) => {
    const lines = above.slice(Math.max(0, head - HEAD_LINES), head + 1);
    return lines.slice(lines.findLastIndex(({ text }) => EXCEPTION.test(headless(text))) + 1);
  };
  let head = headOf(above.length);
  while (head > 0 && near(head).some(({ text }) => CHAINED.test(text))) head = headOf(head);
  return head >= 0 && near(head).some(({ text }) => tablesInForce().wording.caught.test(text));
}

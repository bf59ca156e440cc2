import type { Citation, LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { endsNothing, goesOn } from '../../read/log/signs-of-work.ts';
import { known } from '../../read/reading.ts';
import { fact, type Group } from '../draft.ts';
import { kindOfRaised } from './bare-assertion.ts';
import { isDoubtedLoss } from './device-lost.ts';
import type { Evidence } from './evidence.ts';
import { kindOf } from './exception-kind.ts';
import { linesOfCaught } from './handled-exception.ts';
import { mayBeOfRoom } from './names-setting.ts';
import { EXCEPTION, headless, isEcho, isFrame, isOfPeer, isRaisedByPool } from './raised-exception.ts';
import { isRefusal, isShortage, MEMORY, PLAIN } from './refusal.ts';
import { refusedCall } from './refused-call.ts';
import { repeatsReason } from './repeats-reason.ts';
import { lastLine, tailLines } from './tail-lines.ts';
import { unboxed } from './traceback-in-frame.ts';

/** An error as it was raised. */
export type Exception = {
  readonly type: string;
  readonly message: string;
  readonly from: Citation;
  /** Repeated by a logger behind a head of its own, or under the word of who caught it. */
  readonly retold: boolean;
};

// The device's own word in a program that raises nothing (ggml); Rust's panics, Go's fatal errors.
const DEVICE = /(?:^|: )((?:CUDA|HIP|ROCm|MUSA|CANN) error)(?: \d{1,5})?: (\S.*)$/;
// C++: the type stands in the line above, or, of libc++, in the same.
const UNCAUGHT = /\b(?:what\(\):|uncaught exception of type [\w:]{1,80}:) {1,4}(\S.*)$/;
const PANIC = /\b(panicked) at\b(.*)$|^(panic|fatal error): (.*)$/;

/** The error that the log ends with where no phrase knows it: what kind of thing it is about. Memory words and echoes give none. */
export function deriveException(evidence: Evidence): Group {
  const seen = firstException(evidence);
  const last = lastLine(evidence.log.main);
  if (seen === undefined) return { 'log.exception-kind': last && known('nothing', last), ...unclearError(evidence) };
  const text = seen.message === '' ? seen.type : `${seen.type}: ${seen.message}`;
  const refused = seen.from.kind === 'line' ? refusedCall(evidence.log.main, seen.from) : undefined;
  return {
    'log.exception': fact(text.slice(0, 300).replace(/\.$/, ''), [seen.from]),
    'log.exception-kind': fact(kindOfRaised(seen, evidence.log.main), [seen.from]),
    'log.exception-ended': fact(refused === undefined && hasEnded(evidence, seen), [seen.from]),
  };
}

// It names a memory or holds amounts against each other, and no phrase knows whether that was short.
function unclearError({ log }: Evidence): Group {
  for (const from of log.main === undefined ? [] : tailLines(log.main)) {
    const clean = headless(from.text);
    const message = EXCEPTION.exec(clean)?.[2] ?? '';
    if (message !== '' && !isEcho(clean)) return {};
  }
  return {};
}

/** Whether a process ended on this error: it says what it means, nothing about memory stands in the log, and nobody is served after it. */
function hasEnded({ weighing, log }: Evidence, seen: Exception): boolean {
  const { from } = seen;
  const start = startOfRun(log);
  if (from.kind !== 'line' || from.line < start || seen.retold) return false;
  if (!isPlain(seen, log.main && tailLines(log.main).filter(({ line }) => line >= start))) return false;
  if (weighing.all.some((one) => one.hit.line === from.line && isDoubtedLoss(one))) return false;
  return !weighing.all.some(({ hit, phrase }) =>
    (hit.line > from.line && goesOn(phrase.id)) || (hit.line === from.line && endsNothing(phrase))
      ? true
      : SPEAKS_OF_MEMORY.test(phrase.plane) &&
        phrase.weight !== 'context' &&
        !IS_FRAME.test(phrase.id) &&
        !repeatsReason(hit.text, phrase.id, seen),
  );
}

// What stands above the run that is looked at is an error of another.
function startOfRun({ main, whole }: Evidence['log']): number {
  return main === undefined || main.hits.length === whole?.hits.length ? 0 : (main.hits[0]?.line ?? 0);
}

// The driver and the device name what is wrong with them, whoever raises it. Anything else may have been caught by a
// loader that tries the next way: only a traceback shows that nobody did.
function isPlain(seen: Exception, lines: readonly LineCitation[] | undefined): boolean {
  const kind = kindOf(seen);
  if (kind === 'driver' || kind === 'gpu-fault') return true;
  if (MEMORY.test(seen.message) && !isRefusal(seen.message)) return false;
  if (lines === undefined) return false;
  if (isRaisedByPool(seen, lines) || isOfPeer(seen, lines) || mayBeOfRoom(seen.message)) return false;
  const isOfSettings = kind === 'config' || kind === 'setting';
  if (isOfSettings && isCheck(seen) && isLast(seen, lines)) return true;
  return isRaised(seen, lines) && (PLAIN.test(seen.type) || isOfSettings);
}

// A frame takes two lines and a third that marks the place; `raise ValueError(` may be all that is left of it.
const FRAME_LINES = 3;
const RAISES = /^\s*raise \w/;

/** Whether the log shows that nothing caught it on its way: its traceback, or the frame that raised it. */
function isRaised({ from }: Exception, lines: readonly LineCitation[]): boolean {
  if (lines.some(({ text }) => text.includes('Traceback (most recent call last)'))) return true;
  return from.kind === 'line' && isBelowFrame(from, lines);
}

function isBelowFrame(from: LineCitation, lines: readonly LineCitation[]): boolean {
  const near = lines.filter(({ line }) => line < from.line && from.line - line <= FRAME_LINES);
  return unboxed(near.map(({ text }) => text)).some((text) => isFrame(text) || RAISES.test(text));
}

// The files of the model are fetched before anything is asked of a memory.
const NOT_FETCHED =
  /^We couldn't connect to 'http|\boffline mode is enabled\b|\bis not a local folder and is not a valid model\b|\b(?:40[134]|429|50\d) (?:Client|Server) Error\b/;

// What checks arguments against each other, or files, before anything is tried.
function isCheck({ type, message }: Exception): boolean {
  return type === 'ValidationError' || isRefusal(message) || NOT_FETCHED.test(message);
}

// Nothing was tried after it: what follows belongs to its own message, or is what others say of the end.
function isLast({ from, type }: Exception, lines: readonly LineCitation[]): boolean {
  if (from.kind !== 'line' || GOES_ON_AFTER.test(from.text.slice(0, from.text.indexOf(type)))) return false;
  return lines.every(({ line, text }) => line <= from.line || /^\s/.test(text) || isEcho(text));
}

const SPEAKS_OF_MEMORY = /^(?:gpu|host|both)$/;
// Tells what was being done, and not that memory was short.
const IS_FRAME = /\.frame(?:\.|$)/;

/** The first error among the last lines that no phrase knows and that does not speak of memory. */
export function firstException({ log }: Pick<Evidence, 'log'>): Exception | undefined {
  if (log.main === undefined) return undefined;
  const lines = tailLines(log.main);
  const caught = linesOfCaught(lines);
  const own = caught.size === 0 ? lines : lines.filter(({ line }) => !caught.has(line));
  const seen = firstIn(own);
  if (seen !== undefined || own === lines) return seen;
  const passed = firstIn(lines);
  return passed && { ...passed, retold: true };
}

function firstIn(lines: readonly LineCitation[]): Exception | undefined {
  return firstOf(lines, read) ?? firstOf(lines, readRetold) ?? readNamed(lines) ?? firstOf(lines, readAssert);
}

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

function read(from: LineCitation): Exception | undefined {
  const clean = headless(from.text).replace(NO_WORDS, '');
  const exception = EXCEPTION.exec(clean);
  if (exception !== null) return keep(clean, exception[1], exception[2], { from, retold: false });
  if (MEMORY.test(clean) && !isRefusal(clean)) return undefined;
  const device = DEVICE.exec(clean);
  if (device !== null) return keep(clean, device[1], device[2], { from, retold: false });
  const uncaught = UNCAUGHT.exec(clean);
  if (uncaught !== null) return keep(clean, 'Uncaught exception', uncaught[1], { from, retold: false });
  const panic = PANIC.exec(clean);
  return panic === null ? undefined : keep(clean, panic[1] ?? panic[3], panic[2] ?? panic[4], { from, retold: false });
}

// `xinference.errors.ContextLengthExceeded: text`, `typer.BadParameter: text`: whatever its class is called, what stands
// right below the last frame of a traceback is the error.
const NAMED = /^(?:[\w.]{1,80}\.)?(?!SystemExit|Empty\b|Full\b)(_?[A-Z]\w{1,60}): (\S.*)$/;

function readNamed(lines: readonly LineCitation[]): Exception | undefined {
  return firstOf(lines, (from) => {
    const clean = headless(from.text);
    const [, type, message] = NAMED.exec(clean) ?? [];
    if (type === undefined || !isBelowFrame(from, lines)) return undefined;
    return keep(clean, type, message, { from, retold: false });
  });
}

// `... ERROR [x.py:1] ValueError: text` of any logger, `{"message":"ValueError: text"}`, `raise ValueError("text`.
const RETOLD = /(?:^|[\s\]>|:"'({-])(?:[\w.]{1,80}\.)?([A-Z]\w{0,60}(?:Error|Exception))(?:: |\([fr]{0,2}["'])(\S.*)$/;
const GOES_ON_AFTER = /\b(?:INFO|DEBUG|TRACE|WARN(?:ING)?|[Ww]arning|[Ii]gnor\w{1,4}|except)\b/;

// The last frame shows the check that failed; the line with the type of the error is cut away.
const ASSERT = /^\s*assert (\S.*)$/;

function readAssert(from: LineCitation): Exception | undefined {
  const clean = headless(from.text);
  const check = ASSERT.exec(clean)?.[1];
  return check === undefined ? undefined : keep(clean, 'AssertionError', check, { from, retold: true });
}

function readRetold(from: LineCitation): Exception | undefined {
  const own = cleanLine(from.text.slice(0, findMasks(from.text).promptAt)).clean;
  const seen = RETOLD.exec(own);
  if (seen === null || GOES_ON_AFTER.test(own.slice(0, seen.index))) return undefined;
  return keep(own, seen[1], seen[2], { from, retold: true });
}

// An echo is of another's death, and what says that memory was short is no error of another kind.
function keep(
  text: string,
  type: string | undefined,
  message: string | undefined,
  where: Pick<Exception, 'from' | 'retold'>,
): Exception | undefined {
  if (isEcho(text)) return undefined;
  const seen = { type: type ?? '', message: message ?? '', ...where };
  return isShortage(text, seen) ? undefined : seen;
}

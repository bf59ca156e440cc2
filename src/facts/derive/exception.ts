import type { Citation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { known } from '../pod/finding.ts';
import { cleanLine } from '../scan/clean-line.ts';
import { findMasks } from '../scan/mask.ts';
import { fact, type Group } from './draft.ts';
import type { Evidence } from './evidence.ts';
import { GOES_ON } from './of-no-weight.ts';
import { EXCEPTION, headless, isEcho } from './raised.ts';
import { lastLine, tailLines } from './tail-lines.ts';

export type ExceptionKind = 'config' | 'communication' | 'driver' | 'gpu-fault' | 'other';

/** An error as it was raised. */
export type Exception = {
  readonly type: string;
  readonly message: string;
  readonly from: Citation;
  /** Repeated by a logger behind a head of its own: it may have been caught. */
  readonly retold: boolean;
};

// Rust's panics, Go's fatal errors.
const PANIC = /\b(panicked) at\b(.*)$|^(panic|fatal error): (.*)$/;

const MEMORY = /memory|VRAM|\bHBM\b|alloc|OOM|bad_alloc|no space|CUDA out of|kv[ _-]?cache|cache blocks/i;

// Two settings that do not go together, or one that does not exist: the memory in it is the name of a thing.
const REFUSES =
  /\bnot (?:yet |currently )?supported\b|\b(?:does|do)(?: not|n't) (?:yet |currently )?support\b|\bunsupported\b|\bincompatible\b|\bnot compatible\b|\bonly supports?\b|\b(?:[Uu]nknown|[Ii]nvalid) (?:kv|cache|value|choice|config)|\bmismatch\b|\bmust (?:match|be (?:in [[(]|one of|a multiple|divisible|either|set\b|positive|non-negative|less than 1\.0))|\bmutually exclusive\b|\bassumes (?:only|exactly|the)\b/;
const SHORT =
  /out of |not enough|insufficient|exceed|larg|too (?:long|small|big)|\bno (?:available|space|free)|alloc\w* fail|(?:fail|unable|cannot|can't|could not)[\w ]{0,30} (?:alloc|reserve|map)|bad_alloc|OOM|memory access|less than (?:desired|required)|\d ?[KMGT]i?B\b/i;

function isRefusal(text: string): boolean {
  return REFUSES.test(text) && !SHORT.test(text);
}

const LACKS = new RegExp(
  `${SHORT.source}|\\b(?:is|are) full\\b|\\black|\\bshort(?:age)?\\b|\\bno (?:\\w+ ){0,3}memory|\\brunning low|\\bpressure\\b|\\bprofiling\\b|\\b(?:regist\\w*|alloc\\w*|reserv\\w*|mmap\\w*|map|pin\\w*)\\b[^.]{0,40}\\bfail|\\bfail\\w*[^.]{0,40}\\b(?:regist|alloc|reserv|mmap|map|pin)`,
  'i',
);
const COMPLAINS =
  /fail|error|unable|cannot|can't|could(?: not|n't)|\bno (?:room|space)\b|exhaust|capacity|null pointer|\btoo\b/i;

// A check of a cache, a setting of a pool: memory is the name of the thing, and nothing says that there was too little. In
// a RuntimeError that complains the allocator may speak in words that nobody knows.
function namesAThing({ type, message }: Pick<Exception, 'type' | 'message'>): boolean {
  if (message === '' || LACKS.test(message)) return false;
  return PLAIN.test(type) || type === 'AssertionError' || !COMPLAINS.test(message);
}

const KINDS: readonly (readonly [RegExp, ExceptionKind])[] = [
  // A crash in native code that ctypes raises as an OSError on Windows (python/cpython Modules/_ctypes/callproc.c).
  [/access violation/, 'other'],
  [
    /illegal (?:memory|instruction)|misaligned|launch failure|device-side assert|\bECC\b|EXECUTION_FAILED|\bXid\b/,
    'gpu-fault',
  ],
  [/CUDA driver|[Nn]o CUDA|NVML|NVIDIA driver|libcuda\b|device type|no kernel image|HIP driver/, 'driver'],
  [/compute capability|must match|size mismatch|not supported|unsupported/, 'config'],
  [REFUSES, 'config'],
  [
    /NCCL|nccl|RCCL|HCCL|[Gg]loo|TCPStore|DistStore|DistBackend|Distributed|[Cc]onnection|[Tt]ime(?:d )?-?out|Broken ?[Pp]ipe|\bRPC\b|\bRay\b|zmq|ZMQ|socket|Address already in use/,
    'communication',
  ],
];

// Raised while arguments, files and modules are put together, before anything is computed.
const SET_UP =
  /^(?:Import|ModuleNotFound|FileNotFound|Key|Attribute|Type|NotImplemented|Value|Assertion|Validation|OS|Name|Permission|Unicode|JSONDecode|HFValidation|RepositoryNotFound|GatedRepo|LocalEntryNotFound|Safetensor)(?:Error|Exception)$|^(?:HTTP|Hub|Http)/;

/** The error that the log ends with where no phrase knows it: what kind of thing it is about. Memory words and echoes give none. */
export function deriveException(evidence: Evidence): Group {
  const seen = firstException(evidence);
  const last = lastLine(evidence.log.main);
  if (seen === undefined) return { 'log.exception-kind': last && known('nothing', last) };
  const text = seen.message === '' ? seen.type : `${seen.type}: ${seen.message}`;
  return {
    'log.exception': fact(text.slice(0, 300), [seen.from]),
    'log.exception-kind': fact(kindOf(seen), [seen.from]),
    'log.exception-ended': fact(hasEnded(evidence, seen), [seen.from]),
  };
}

// What the interpreter itself raises, or a check of arguments, files and modules: it says what it means. A RuntimeError
// can be anything that a library could not do, an assertion without words says nothing.
const PLAIN =
  /^(?:Import|ModuleNotFound|FileNotFound|NotADirectory|IsADirectory|Permission|Key|Index|Attribute|Type|Name|UnboundLocal|NotImplemented|Value|ZeroDivision|Overflow|Recursion|Unicode\w*|JSONDecode|Validation|HFValidation|RepositoryNotFound|RevisionNotFound|EntryNotFound|GatedRepo|LocalEntryNotFound|Safetensor|SafetensorError|Syntax|Indentation)(?:Error|Exception)?$/;

/** Whether a process ended on this error: it says what it means, nothing about memory stands in the log, and nobody is served after it. */
function hasEnded({ weighing, log }: Evidence, seen: Exception): boolean {
  const { from } = seen;
  if (from.kind !== 'line' || seen.retold || !isPlain(seen, log.main)) return false;
  return !weighing.all.some(({ hit, phrase }) =>
    hit.line > from.line && GOES_ON.test(phrase.id)
      ? true
      : SPEAKS_OF_MEMORY.test(phrase.plane) && phrase.weight !== 'context',
  );
}

// The driver and the device name what is wrong with them, whoever raises it. Anything else may have been caught by a
// loader that tries the next way: only a traceback shows that nobody did.
function isPlain(seen: Exception, log: LogReading | undefined): boolean {
  const kind = kindOf(seen);
  if (kind === 'driver' || kind === 'gpu-fault') return true;
  if (MEMORY.test(seen.message) && !isRefusal(seen.message)) return false;
  const shown =
    log !== undefined && tailLines(log).some(({ text }) => text.includes('Traceback (most recent call last)'));
  return shown && (PLAIN.test(seen.type) || kind === 'config');
}

const SPEAKS_OF_MEMORY = /^(?:gpu|host|both)$/;

/** The first error among the last lines that no phrase knows and that does not speak of memory. */
export function firstException({ log }: Pick<Evidence, 'log'>): Exception | undefined {
  if (log.main === undefined) return undefined;
  const lines = tailLines(log.main);
  return firstOf(lines, read) ?? firstOf(lines, readRetold);
}

type Line = Citation & { readonly kind: 'line' };

function firstOf(lines: readonly Line[], reader: (line: Line) => Exception | undefined): Exception | undefined {
  for (const line of lines) {
    const seen = reader(line);
    if (seen !== undefined) return seen;
  }
  return undefined;
}

function read(from: Line): Exception | undefined {
  const clean = headless(from.text).replace('(e.g. socket, malloc)', '');
  const exception = EXCEPTION.exec(clean);
  if (exception !== null) return keep(clean, exception[1], exception[2], { from, retold: false });
  if (MEMORY.test(clean) && !isRefusal(clean)) return undefined;
  const panic = PANIC.exec(clean);
  return panic === null ? undefined : keep(clean, panic[1] ?? panic[3], panic[2] ?? panic[4], { from, retold: false });
}

// `... ERROR [x.py:1] ValueError: text` of any logger, `{"message":"ValueError: text"}`, `raise ValueError("text`.
const RETOLD = /(?:^|[\s\]>|:"'({-])(?:[\w.]{1,80}\.)?([A-Z]\w{0,60}(?:Error|Exception))(?:: |\([fr]{0,2}["'])(\S.*)$/;
const GOES_ON_AFTER = /\b(?:INFO|DEBUG|TRACE|WARN(?:ING)?|[Ww]arning|[Ii]gnor\w{1,4}|except)\b/;

function readRetold(from: Line): Exception | undefined {
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
  return MEMORY.test(text) && !isRefusal(text) && !namesAThing(seen) ? undefined : seen;
}

function kindOf({ type, message }: Exception): ExceptionKind {
  const text = `${type} ${message}`;
  const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1];
  return kind ?? (SET_UP.test(type) ? 'config' : 'other');
}

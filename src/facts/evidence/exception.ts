import type { Citation, LineCitation } from '../../model/citation.ts';
import { endsNothing, goesOn } from '../../read/log/signs-of-work.ts';
import { known } from '../../read/reading.ts';
import { fact } from '../log/draft.ts';
import { kindOf, mayBeOfRoom } from '../log/exception-kind.ts';
import { type Exception, firstException, isBelowFrame, isCaught, isHandled } from '../log/first-exception.ts';
import { isPlainType, isRefusal, namesMemory } from '../log/memory-wording.ts';
import { LOG } from '../log/needs.ts';
import { isEcho } from '../log/peer-death.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import { isFrame } from '../log/traceback.ts';
import { defineFacts } from './define.ts';
import type { Evidence } from './evidence.ts';

/** The error that the log ends with where no signature knows it. */
export const EXCEPTION_FACTS = defineFacts(
  {
    'log.exception': {
      unit: 'text',
      says: 'first error at the end of the log that is not about memory',
      needs: LOG,
    },
    'log.exception-kind': {
      unit: 'choice',
      values: ['config', 'communication', 'driver', 'gpu-fault', 'other', 'nothing'],
      says: 'what that error is about',
      needs: LOG,
    },
    'log.exception-ended': {
      unit: 'yes-no',
      says: 'the process ended on that error: no line is about memory, and nothing was served after it',
      needs: LOG,
    },
  },
  (evidence) => {
    const seen = firstException(evidence.log.main);
    const last = lastLine(evidence.log.main);
    if (seen === undefined) return { 'log.exception-kind': last && known('nothing', last) };
    const text = seen.message === '' ? seen.type : `${seen.type}: ${seen.message}`;
    return {
      'log.exception': fact(text.slice(0, 300).replace(/\.$/, ''), [seen.from]),
      'log.exception-kind': fact(kindOf(seen), [seen.from]),
      'log.exception-ended': fact(hasEnded(evidence, seen), [seen.from]),
    };
  },
);

/** Where the process ended on an error of its own, unless that is the end of another process. */
export function ownErrorOf(evidence: Evidence): Citation | undefined {
  const seen = firstException(evidence.log.main);
  if (seen === undefined || !hasEnded(evidence, seen)) return undefined;
  return kindOf(seen) === 'communication' ? undefined : seen.from;
}

/** Whether a process ended on this error: it says what it means, nothing about memory stands in the log, and nobody is served after it. */
function hasEnded({ weighing, log }: Evidence, seen: Exception): boolean {
  const { from } = seen;
  const start = startOfRun(log);
  if (from.kind !== 'line' || from.line < start || log.main === undefined) return false;
  const lines = tailLines(log.main).filter(({ line }) => line >= start);
  if (isCaught(from, lines) || !isPlain(seen, lines)) return false;
  return !weighing.all.some(({ hit, signature }) =>
    (hit.line > from.line && goesOn(signature)) || (hit.line === from.line && endsNothing(signature))
      ? true
      : SPEAKS_OF_MEMORY.test(signature.plane) && signature.weight !== 'context' && !IS_FRAME.test(signature.id),
  );
}

// What is above the run that is looked at is an error of another.
function startOfRun({ main, whole }: Evidence['log']): number {
  return main === undefined || main.hits.length === whole?.hits.length ? 0 : (main.hits[0]?.line ?? 0);
}

// The driver and the device name what is wrong with them, whoever raises it. Anything else may have been caught by a
// loader that tries the next way: only a traceback shows that nobody did.
function isPlain(seen: Exception, lines: readonly LineCitation[]): boolean {
  const kind = kindOf(seen);
  if (kind === 'driver' || kind === 'gpu-fault') return true;
  if (namesMemory(seen.message)) return false;
  if (isRaisedByPool(seen, lines) || mayBeOfRoom(seen.message)) return false;
  const isOfSettings = kind === 'config';
  if (isOfSettings && isCheck(seen) && isLast(seen, lines)) return true;
  return isRaised(seen, lines) && (isPlainType(seen.type) || isOfSettings);
}

const TRACEBACK = 'Traceback (most recent call last)';

/** Whether the log shows that nothing caught it on its way: its traceback, or the frame that raised it. */
function isRaised({ from }: Exception, lines: readonly LineCitation[]): boolean {
  if (lines.some(({ text }) => text.includes(TRACEBACK))) return true;
  return from.kind === 'line' && isBelowFrame(from, lines);
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
  if (from.kind !== 'line' || isHandled(from.text.slice(0, from.text.indexOf(type)))) return false;
  return lines.every(({ line, text }) => line <= from.line || /^\s/.test(text) || isEcho(text));
}

const SPEAKS_OF_MEMORY = /^(?:gpu|host|both)$/;
// Tells what was being done, and not that memory was short.
const IS_FRAME = /\.frame(?:\.|$)/;

// What hands out memory, or blocks of it: a check that fails there may say in any words that there was none.
const POOL_FRAME =
  /\b(?:block_pool|block_manager|cache_engine|camem|cumem|evictor|gpu_ipc_memory|kv_cache_planning|memory_(?:management|pool)|\w{0,40}(?:allocator|kv_cache_manager))\.py", line \d/;
const CHECKS = /^(?:Value|Runtime|Assertion)Error$|^Exception$/;
// What the pools of SGLang answer is taken for rows without a look: where they have none left it is None
// (sgl-project/sglang python/sglang/srt/managers/schedule_batch.py, prepare_for_extend).
const POOL_ANSWER = /\b(?:req_pool_indices|out_cache_loc)\.(?:cpu|to)\(/;

// The call is above its error, with a line below it that marks the place.
const CALL_LINES = 2;

// A check that failed in a pool of memory.
function isRaisedByPool({ type, from }: { type: string; from: Citation }, lines: readonly LineCitation[]): boolean {
  const frame = lines.findLast(({ line, text }) => from.kind === 'line' && line <= from.line && isFrame(text));
  if (type === 'AttributeError' && from.kind === 'line') {
    return lines.some(({ line, text }) => line < from.line && from.line - line <= CALL_LINES && POOL_ANSWER.test(text));
  }
  return CHECKS.test(type) && frame !== undefined && POOL_FRAME.test(frame.text);
}

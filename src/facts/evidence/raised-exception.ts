import type { Citation, LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { unboxed } from './traceback-in-frame.ts';

/** `ValueError: text`, `torch.distributed.DistBackendError: text`: the type and what it says. */
export const EXCEPTION = /^\s*(?:[\w.]{1,80}\.)?((?:[A-Za-z]\w{0,60})?(?:Error|Exception|Fault))(?::\s*(.*))?$/;

// `ERROR 07-10 10:00:00 [core.py:717] `, `[2026-07-10 10:00:00 TP0] `, `ERROR:    `, a bullet of a list.
const HEAD =
  /^(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):? {1,8}(?:\d{2}-\d{2} [\d:.,]{1,20} )?(?:\[?[\w./-]{1,80}:\d{1,6}\] ?)?|\[\d{4}-[^\]]{1,60}\] ?)/;

/** A line without the head of its logger. */
export function headless(text: string): string {
  return cleanLine(text).clean.replace(HEAD, '');
}

// What other processes say of one that died; its own words stand above or in another log.
const ECHO = anyOf(
  '',
  /Engine(?:Core|Loop)?(?:Dead|Gen)|[Ee]ngine (?:core )?(?:initialization|loop|process|is dead|died)/,
  /root cause|already dead|[Ww]orker[\w ]{0,30}(?:died|dead|failed)|ServerClosed/,
  /Remote server \S{1,80} closed|ShardCannotStart|WebserverFailed|failed to boot up with the model/,
  /ChildFailed|died unexpectedly|compilation subprocess exited|ActorDied|RayletDied|WorkerCrashed/,
  /[Cc]ancelled|KeyboardInterrupt|StopIteration|BrokenProcessPool|ProcessExited|ProcessRaised/,
  /CalledProcess|[Ss]erver (?:crashed|died|exited)|process (?:has )?terminated|exit ?(?:code|status)/,
  /other ranks that didn't finish|Previous attempt to load model resulted in crash/,
  /due to resource limitations or an internal error|java\.lang\.InterruptedException/,
  /error trying to connect: (?:No such file|Connection refused|tcp connect)/,
  /Server error: transport error/,
  // What the worker of a compiler raised stands below it (pytorch/pytorch torch/_inductor/compile_worker/subproc_pool.py).
  /SubprocException: An exception occurred in a subprocess/,
);

// Repeated with the words of the one that failed: `Worker failed with error 'text', please check the stack trace above for
// the root cause` of vLLM, `llama runner process has terminated: text` of Ollama; and a program that ended without any. A
// compiler that a kernel is built with says in its status that it could not (openai/triton runtime/build.py).
const CARRIES = anyOf(
  'g',
  /(?:\bCalledProcessError: )?\bCommand '\[?'?(?:[\w.-]*\/){0,12}(?:gcc|g\+\+|cc|c\+\+|clang|nvcc|hipcc|ptxas|ninja|cmake)\b[^\n]{0,400} returned non-zero exit status [1-9]\d{0,2}/,
  /\bWorker failed with error\b|, please check the stack trace above for the root cause/,
  /\bprocess has terminated(?=: (?!exit status \d|signal)\w)/,
  /\b(?:process has terminated: )?\bexit(?:ed)?(?: with)? (?:code|status):? (?=-\d{9,}|\d{10}|0x[cC]0)/,
  /\b(?:exit(?:ed)? with )?(?:code|status) 0\b/,
);

/** Whether a line is what another process says of a death, and nothing of its own. */
export function isEcho(text: string): boolean {
  return ECHO.test(text.replace(CARRIES, ''));
}

// `File "x.py", line 12`, `File /x.py:12`, `/x.py in forward(` of older notebooks, and an excerpt that begins within one.
const FRAME =
  /\bFile (?:"[^"]{1,300}", line|\/\S{1,300}:)|^[^"\s]{1,300}\.py", line \d|^[~/]\S{0,300}\.py in \w{1,120}\(/;

/** Whether a line is a frame of a Python traceback. */
export function isFrame(text: string): boolean {
  return unboxed([cleanLine(text).clean]).some((line) => FRAME.test(line));
}

// What hands out memory, or blocks of it: a check that fails there may say in any words that there was none.
const POOL_FRAME =
  /\b(?:block_pool|block_manager|cache_engine|camem|cumem|evictor|gpu_ipc_memory|kv_cache_planning|memory_(?:management|pool)|\w{0,40}(?:allocator|kv_cache_manager))\.py", line \d/;
const CHECKS = /^(?:Value|Runtime|Assertion)Error$|^Exception$/;
// What the pools of SGLang answer is taken for rows without a look: where they have none left it is None
// (sgl-project/sglang python/sglang/srt/managers/schedule_batch.py, prepare_for_extend).
const POOL_ANSWER = /\b(?:req_pool_indices|out_cache_loc)\.(?:cpu|to)\(/;

// The call stands above its error, with a line below it that marks the place.
const CALL_LINES = 2;

/** Whether the frame right above an error is one of a pool of memory, and the error a check that failed. */
export function isRaisedByPool(
  { type, from }: { type: string; from: Citation },
  lines: readonly LineCitation[],
): boolean {
  const frame = lines.findLast(({ line, text }) => from.kind === 'line' && line <= from.line && isFrame(text));
  if (type === 'AttributeError' && from.kind === 'line') {
    return lines.some(({ line, text }) => line < from.line && from.line - line <= CALL_LINES && POOL_ANSWER.test(text));
  }
  return CHECKS.test(type) && frame !== undefined && POOL_FRAME.test(frame.text);
}

// A segment of shared memory under a name that Python made up, and the socket of a manager: both are another process's, and
// gone with it (CPython Lib/multiprocessing/shared_memory.py, connection.py).
const SEGMENT = /\bNo such file or directory: '\/psm_\w/;
const PEER_FRAME = /\bmultiprocessing[/\\]connection\.py", line \d{1,6}, in SocketClient\b/;

/** Whether an error says that what another process had made is not there. */
export function isOfPeer(
  { message, from }: { message: string; from: Citation },
  lines: readonly LineCitation[],
): boolean {
  const frame = lines.findLast(({ line, text }) => from.kind === 'line' && line <= from.line && isFrame(text));
  return SEGMENT.test(message) || (frame !== undefined && PEER_FRAME.test(frame.text));
}

// As long as the tracebacks of engines are, with the frames of PyTorch in them.
const TRACEBACK_LINES = 80;

/** Lines of tracebacks that end in what their process says of another's death, by number: their frames show where it waited. */
export function linesOfWaiting(lines: readonly LineCitation[]): ReadonlySet<number> {
  const waiting = new Set<number>([...linesBelowDeaths(lines), ...linesAboveCall(lines)]);
  let raised: { readonly line: number; readonly echo: boolean; readonly process: string | undefined } | undefined;
  for (const { line, text } of lines.toReversed()) {
    const { process } = cleanLine(text);
    if (EXCEPTION.test(headless(text))) raised = { line, echo: ECHO.test(text), process };
    else if (raised?.echo && !isOther(raised.process, process) && raised.line - line <= TRACEBACK_LINES)
      waiting.add(line);
  }
  return waiting;
}

// Several processes write one log, and not all of them their names.
function isOther(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

const DIED = /\b(?:died|crashed|exited) unexpectedly\b/;
/** Whether a line tells of the death of another process, without its cause. */
export function isDeath(text: string): boolean {
  return DIED.test(text);
}

// Whoever asks Ray for an answer stands here while another process works for it (ray python/ray/_private/worker.py, get).
const ASKS_RAY = /^\s*(?:[\w.]{1,80} = )?ray\.get\(|\bvalues, debugger_breakpoint = worker\.get_objects\(/;

// A traceback that is cut off at such a call.
function linesAboveCall(lines: readonly LineCitation[]): readonly number[] {
  const last = lines.at(-1);
  if (last === undefined || !ASKS_RAY.test(headless(last.text))) return [];
  const above = lines.slice(-TRACEBACK_LINES);
  const raised = above.findLastIndex(({ text }) => EXCEPTION.test(headless(text)));
  return above.slice(raised + 1).map(({ line }) => line);
}

const TRACEBACK = 'Traceback (most recent call last)';
// Whoever notices a death logs it, says that it ends, and raises: three lines.
const NOTICED_LINES = 4;

// A traceback that begins right below the word of another's death, and whose own last line is cut off.
function linesBelowDeaths(lines: readonly LineCitation[]): readonly number[] {
  let died = Number.NEGATIVE_INFINITY;
  let begun: number[] | undefined;
  for (const { line, text } of lines) {
    if (isDeath(text)) died = line;
    else if (text.includes(TRACEBACK)) begun = line - died <= NOTICED_LINES ? [] : undefined;
    else if (EXCEPTION.test(headless(text))) begun = undefined;
    else begun?.push(line);
  }
  return begun ?? [];
}

import type { LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { EXCEPTION, headless } from './traceback.ts';

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

// As long as the tracebacks of engines are, with the frames of PyTorch in them.
const TRACEBACK_LINES = 80;

/** Lines of tracebacks that end in what their process says of another's death, by number: their frames show where it waited. */
export function linesOfWaiting(lines: readonly LineCitation[]): ReadonlySet<number> {
  const waiting = new Set<number>();
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

const GUESS = /\bother ranks that didn't finish\b|\bPrevious attempt to load model resulted in crash\b/;

/** Whether a line guesses what something else died of. */
export function isGuess(text: string): boolean {
  return GUESS.test(text);
}

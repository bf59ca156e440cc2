import type { LineCitation } from '../../model/citation.ts';
import { tablesInForce } from '../../model/reference-tables.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { EXCEPTION, headless } from './traceback.ts';

/** Whether a line is what another process says of a death, and nothing of its own. */
export function isEcho(text: string): boolean {
  const { echo, carried } = tablesInForce().wording;
  return echo.test(text.replaceAll(carried, ''));
}

// As long as the tracebacks of engines are, with the frames of PyTorch in them.
const TRACEBACK_LINES = 80;

/** Lines of tracebacks that end in what their process says of another's death, by number: their frames show where it waited. */
export function linesOfWaiting(lines: readonly LineCitation[]): ReadonlySet<number> {
  const waiting = new Set<number>();
  let raised: { readonly line: number; readonly echo: boolean; readonly process: string | undefined } | undefined;
  for (const { line, text } of lines.toReversed()) {
    const { process } = cleanLine(text);
    if (EXCEPTION.test(headless(text))) raised = { line, echo: tablesInForce().wording.echo.test(text), process };
    else if (raised?.echo && !isOther(raised.process, process) && raised.line - line <= TRACEBACK_LINES)
      waiting.add(line);
  }
  return waiting;
}

// Several processes write one log, and not all of them their names.
function isOther(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** Whether a line guesses what something else died of. */
export function isGuess(text: string): boolean {
  return tablesInForce().wording.guess.test(text);
}

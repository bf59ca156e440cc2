import { cleanLine } from './clean-line.ts';
import { NEW_RECORD, WRAPPED_FROM } from './wrapped-lines.ts';

/** A person reads no more of one sentence. */
const MOST_LINES = 3;

// Three words in a row: a row of figures, a path and a line of code have none.
const PROSE = /[A-Za-z]+(?: [A-Za-z]+){2}/;
const ENDED = /[.!?:;)\]}"'%|]\s*$/;
// What no sentence ends with, so that the next line may begin with a capital.
const OPEN =
  /(?:,|\b(?:a|an|and|are|as|at|by|for|from|if|in|into|is|not|of|on|or|than|that|the|this|to|was|when|which|while|with))\s*$/;
const FRAME = /^\s*File "/;
/** `llama_model_load: `, `torch.OutOfMemoryError: `, `free memory: `, `[rank0]`, `* `: a line with a head of its own. */
const HEAD = /^\s*(?:[\w.:*/-]{1,80}(?: [\w./-]{1,30}){0,2}: |\[|[-*•|+=~#>]|File "|Traceback)/;
const GOES_ON_WITH = /^\s*[a-z0-9`('"]/;
// `GPU of this machine`; what a shell says of an end (`Killed`) stands alone.
const NAME_FIRST = /^\s*[A-Z][\w-]* [a-z]/;
const SENTENCE_END = /[.!?](?:\s|$)/;

/** The lines below in which the sentence of a line goes on: what a terminal or a logger has wrapped. Empty where it is ended. */
export function goesOn(line: string, below: readonly string[]): string[] {
  if (line.length < WRAPPED_FROM || FRAME.test(line) || !PROSE.test(line)) return [];
  const found: string[] = [];
  for (const next of below.slice(0, MOST_LINES)) {
    if (!continues(found.at(-1) ?? line, next)) break;
    found.push(next);
    if (SENTENCE_END.test(next)) break;
  }
  return found;
}

function continues(line: string, next: string): boolean {
  if (ENDED.test(line) || next.trim() === '' || HEAD.test(next)) return false;
  const { clean, process, at } = cleanLine(next);
  if (process !== undefined || at !== undefined || NEW_RECORD.test(clean)) return false;
  return GOES_ON_WITH.test(next) || (OPEN.test(line) && NAME_FIRST.test(next));
}

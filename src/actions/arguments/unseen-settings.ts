import { startOf, toCommands } from './find-command.ts';
import type { Token } from './scan-script.ts';
import type { Word } from './shell-word.ts';

// What they run or read may set any variable, and names none in the script itself.
const RUNS_TEXT: ReadonlySet<string> = new Set(['.', 'source', 'eval']);
const DECLARES: ReadonlySet<string> = new Set(['export', 'declare', 'typeset', 'readonly', 'local', 'read', 'printf']);

/** Whether a script may set variables that it does not name: by a file, a text or a name that is computed. */
export function hasUnseenSettings(tokens: readonly Token[]): boolean {
  return toCommands(tokens).some(({ words }) => {
    const own = words.slice(startOf(words));
    if (own.some(({ value }) => RUNS_TEXT.has(value))) return true;
    if (own[0] !== undefined && isReplaced(own[0])) return !isProgram(own[0].value);
    return own.some(({ value }) => DECLARES.has(value)) && own.some(isReplaced);
  });
}

// By what a variable or a command holds, from its first character on; a pattern of file names is no such word.
function isReplaced({ value, computedAt }: Word): boolean {
  return computedAt === 0 && /^[$`]/.test(value);
}

// `"$PYTHON" -m module`, `$VENV/bin/vllm`
function isProgram(value: string): boolean {
  return /^\$\{?\w+\}?\//.test(value) || /^\$\{?PYTHON\w*\}?$/.test(value);
}

import { WRAPPERS } from './shell-commands.ts';
import type { Word } from './shell-word.ts';

/** `sh -c '<script>' name word…`: where the script stands; what follows its name is `"$@"`. */
export type ShellCall = { readonly script: Word; readonly positionals: readonly Word[] };

const SHELL = /^(?:ba|da|z|k|a)?sh$/;

/** The script that a list of words hands to a shell by `-c`; undefined where there is none. */
export function findScript(words: readonly Word[]): ShellCall | undefined {
  const shell = words.findIndex(({ value }) => SHELL.test(baseName(value)));
  const [first] = words;
  if (shell === -1 || first === undefined) return undefined;
  if (shell > 0 && !WRAPPERS.has(baseName(first.value))) return undefined;
  const at = scriptAt(words, shell + 1);
  const script = at === undefined ? undefined : words[at];
  return at === undefined || script === undefined ? undefined : { script, positionals: words.slice(at + 2) };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

// Options come before the script, and end with it or with `--`.
function scriptAt(words: readonly Word[], from: number): number | undefined {
  let hasScript = false;
  let i = from;
  for (let option = words[i]?.value ?? ''; /^[-+]\S/.test(option) && option !== '--'; option = words[i]?.value ?? '') {
    hasScript ||= /^-[^-]*c/.test(option);
    i += 1 + wordsOf(option);
  }
  const isEnd = words[i]?.value === '--' || words[i]?.value === '-';
  if (!hasScript) return undefined;
  return isEnd ? i + 1 : i;
}

// `-o pipefail`: `o` and `O` in a cluster take the next word each.
function wordsOf(option: string): number {
  return option.startsWith('--') ? 0 : option.replaceAll(/[^oO]/g, '').length;
}

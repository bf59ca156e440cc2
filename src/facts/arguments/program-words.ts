import type { Cited } from '../../model/engine-reader.ts';
import { readArgsWords } from './args-text.ts';

/** What names the program that ran. */
export type Program = { readonly words: readonly Cited<string>[]; readonly image: Cited<string> | undefined };

/** Registry, repository and tag: `vllm/vllm-openai:v0.9.1`. */
const IMAGE = /^[\w.-]+(?:\/[\w.-]+)+:[\w][\w.-]*$/;
const FLAG = /^--?[A-Za-z][\w-]*$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
// Of Python and the shell: what stands behind them is the program itself.
const RUNS = /^-[mc]$/;

/**
 * Words of args.txt that may name the program: no flag, no variable, and no value of a flag, which may be any path.
 * `image` is the first that has the form of a container's image.
 */
export function readProgramWords(text: string): {
  readonly words: readonly Cited<string>[];
  readonly image: Cited<string> | undefined;
} {
  const all = readArgsWords(text);
  const words = all.flatMap((word, i) => {
    if (word === 'break' || word.value.startsWith('-') || ASSIGNMENT.test(word.value)) return [];
    // What an open quote leaves stands in no line that could be shown.
    if (word.from.kind === 'line' && word.from.text.trim() === '') return [];
    const before = all[i - 1];
    const isValue = before !== undefined && before !== 'break' && FLAG.test(before.value) && !RUNS.test(before.value);
    return isValue && !IMAGE.test(word.value) ? [] : [word];
  });
  return { words, image: words.find(({ value }) => IMAGE.test(value)) };
}

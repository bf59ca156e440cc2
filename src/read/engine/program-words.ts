import type { Cited } from '../../model/engine-reader.ts';
import type { Word } from './flags.ts';
import { readArgsWords, splitShell } from './shell-words.ts';

/** What names the program that ran. */
export type Program = {
  readonly words: readonly Cited<string>[];
  /** Those of the words that may name an engine. */
  readonly naming: readonly Cited<string>[];
  readonly image: Cited<string> | undefined;
};

/** Registry, repository and tag: `vllm/vllm-openai:v0.9.1`. */
const IMAGE = /^[\w.-]+(?:\/[\w.-]+)+:[\w][\w.-]*$/;
const FLAG = /^--?[A-Za-z][\w-]*$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;
const SCRIPT_OPTION = /^-[a-z]*c$/;
// Of Python and the shell: what follows them is the program itself.
const RUNS = new RegExp(`^-m$|${SCRIPT_OPTION.source}`);
// The engine inside of a server around engines: KServe's huggingfaceserver, ms-swift, Xinference.
const CHOOSES = /^--(?:backend|(?:infer|inference|model)[-_](?:backend|engine))$/;
const CHOSEN = new RegExp(`${CHOOSES.source.replace('$', '')}=(.+)$`);
// What follows a switch of a launcher is no value of it (`mpirun --allow-run-as-root trtllm-serve`, `python -u x.py`).
const PROGRAM = /\.py$|(?:^|\/)(?:trtllm-serve|llama-server|text-generation-launcher|tritonserver)$/;

/** The words of a command, those of a script inside one of them apart: `sh -c '<script>'`. */
export function splitScripts(words: readonly Word[]): readonly Word[] {
  const isScript = (i: number) =>
    SCRIPT_OPTION.test(textOf(words[i - 1])) && words.slice(0, i - 1).some((word) => SHELL.test(textOf(word)));
  return words.flatMap((word, i): readonly Word[] => {
    if (word === 'break' || !(isScript(i) || word.value.includes('\n'))) return [word];
    const { from } = word;
    return splitShell(word.value).map(({ kind, value }) => (kind === 'operator' ? 'break' : { value, from }));
  });
}

/**
 * Words that may name the program: no flag, no variable, and no value of a flag, which may be any path, but of one that
 * chooses the engine.
 */
export function namingWords(all: readonly Word[]): readonly Cited<string>[] {
  return all.flatMap((word, i) => {
    if (word === 'break') return [];
    const chosen = CHOSEN.exec(word.value)?.[1];
    if (chosen !== undefined) return [{ value: chosen, from: word.from }];
    // What an open quote leaves stands in no line that could be shown.
    const isShown = word.from.kind !== 'line' || word.from.text.trim() !== '';
    const isName = !word.value.startsWith('-') && !ASSIGNMENT.test(word.value) && !isValue(all, i);
    return isShown && isName ? [word] : [];
  });
}

function isValue(all: readonly Word[], i: number): boolean {
  const [before, value, after] = [textOf(all[i - 1]), textOf(all[i]), textOf(all[i + 1])];
  if (!FLAG.test(before) || RUNS.test(before) || CHOOSES.test(before)) return false;
  return !(PROGRAM.test(value) || IMAGE.test(value) || after === 'serve');
}

function textOf(word: Word | undefined): string {
  return word === undefined || word === 'break' ? '' : word.value;
}

/** The words of args.txt that may name the program; `image` is the first that has the form of a container's image. */
export function readProgramWords(text: string): {
  readonly words: readonly Cited<string>[];
  readonly image: Cited<string> | undefined;
} {
  const words = namingWords(splitScripts(readArgsWords(text)));
  return { words, image: words.find(({ value }) => IMAGE.test(value)) };
}

// The image of vLLM starts `vllm serve` by itself, and takes the model first (vllm-project/vllm docker/Dockerfile, ENTRYPOINT).
const SERVES = /(?:^|\/)vllm-openai(?:-rocm|-cpu)?(?:[:@]|$)/;

/** The words of a container behind those that its image begins with where it has no command. */
export function ofEntrypoint({ words, image }: Pick<Program, 'words' | 'image'>): readonly Cited<string>[] {
  const [first] = words;
  const isOfImage = first?.from.kind === 'field' && first.from.path.endsWith('/args/0');
  if (image === undefined || !isOfImage || !SERVES.test(image.value)) return words;
  return [...['vllm', 'serve'].map((value) => ({ value, from: image.from })), ...words];
}

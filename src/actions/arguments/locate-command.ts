import type { RefusalReason } from './edit-outcome.ts';
import { dialectOf } from './engine-flags.ts';
import { type Command, findEngine, matchEngine, toCommands } from './find-command.ts';
import { type Container, findVariable } from './read-container.ts';
import { scanScript, type Token } from './scan-script.ts';
import { WRAPPERS } from './shell-commands.ts';
import { toListWord, type Word } from './shell-word.ts';

/** Where a new flag goes: into a list before `index`, or into the text at `holder` at an offset. */
export type Insertion =
  | { readonly kind: 'list'; readonly list: 'command' | 'args'; readonly index: number }
  | { readonly kind: 'text'; readonly holder: string; readonly offset: number };

/** The engine's arguments of a container, and where they stand. */
export type Located = {
  readonly kind: 'located';
  /** Null where the command line does not name the engine. */
  readonly engine: string | null;
  /** Whether the first word is the model. */
  readonly modelFirst: boolean;
  readonly words: readonly Word[];
  readonly insertion: Insertion | RefusalReason;
  /** The texts that hold words, split: scripts, and variables that hold arguments. */
  readonly texts: readonly { readonly holder: string; readonly text: string; readonly tokens: readonly Token[] }[];
};

type LocateOutcome = Located | { readonly kind: 'not-located'; readonly why: RefusalReason };

type LocateOptions = {
  readonly engine: string;
  readonly entrypoint?: 'engine' | 'unknown';
  readonly mayAddArgs?: boolean;
};

/** Finds the engine's arguments in a container, or says why that is not certain. */
export function locate(container: Container, options: LocateOptions): LocateOutcome {
  const words = [
    ...(container.command ?? []).map((value, i) => toListWord(value, `/command/${i}`)),
    ...(container.args ?? []).map((value, i) => toListWord(value, `/args/${i}`)),
  ];
  const call = findScript(words);
  if (call !== undefined) return locateInScript(call);
  const head = matchEngine(words);
  if (head === undefined) return locateWithoutHead(container, words, options);
  const command = { words, redirects: [] };
  return {
    kind: 'located',
    engine: head.engine,
    modelFirst: head.modelFirst,
    words: words.slice(head.from),
    insertion: insertionOf(command, head.from),
    texts: [],
  };
}

function locateInScript({ script, positionals }: ShellCall): LocateOutcome {
  const scanned = scanScript(script.value, script.holder);
  if (scanned.kind === 'unsure') return { kind: 'not-located', why: scanned.why };
  const commands = toCommands(scanned.tokens).map((command) => withPositionals(command, positionals));
  const found = findEngine(commands);
  if (found.kind === 'not-found') return { kind: 'not-located', why: found.why };
  const { command, from, engine, modelFirst } = found.engine;
  return {
    kind: 'located',
    engine,
    modelFirst,
    words: command.words.slice(from),
    insertion: insertionOf(command, from),
    texts: [{ holder: script.holder, text: script.value, tokens: scanned.tokens }],
  };
}

// `"$@"` are the words behind the script, each of them as it is.
function withPositionals({ words, redirects }: Command, positionals: readonly Word[]): Command {
  const isAll = ({ value, units }: Word) =>
    (value === '$@' || value === `\${@}`) && units?.every(({ quote }) => quote === 'double') === true;
  return { words: words.flatMap((word) => (isAll(word) ? positionals : [word])), redirects };
}

// Before `--`, else behind the last word, else before the first redirect.
function insertionOf({ words, redirects }: Command, from: number): Insertion | RefusalReason {
  const head = words[from - 1];
  const dashes = words.findIndex((word, i) => i >= from && word.value === '--');
  const redirect = redirects.find((offset) => head !== undefined && offset >= head.end) ?? Number.POSITIVE_INFINITY;
  const last = words
    .slice(0, dashes === -1 ? words.length : dashes)
    .findLast((word) => word.units === null || word.start < redirect);
  return last === undefined ? 'engine-not-found' : behind(last);
}

function behind(word: Word): Insertion {
  const slot = /^\/(command|args)\/(\d+)$/.exec(word.holder);
  if (word.units !== null || slot === null) return { kind: 'text', holder: word.holder, offset: word.end };
  return { kind: 'list', list: slot[1] === 'args' ? 'args' : 'command', index: Number(slot[2]) + 1 };
}

// Arguments of the image's own entrypoint, of a script file, or of a program that no table knows.
function locateWithoutHead(container: Container, words: readonly Word[], options: LocateOptions): LocateOutcome {
  const located = { kind: 'located', engine: null, modelFirst: false, texts: [] } as const;
  if (container.command !== undefined && container.command.length > 0) {
    return { ...located, words: words.slice(1), insertion: 'entrypoint-unknown' };
  }
  const name = dialectOf(options.engine)?.argumentVariable;
  const variable = name === undefined ? undefined : findVariable(container.env, name);
  if (variable === undefined) {
    return { ...located, words, insertion: insertionInArgs(words, options) };
  }
  const holder = `/env/${variable.index}/value`;
  if (variable.value === undefined) return { kind: 'not-located', why: 'flag-in-variable' };
  const scanned = scanScript(variable.value, holder);
  if (scanned.kind === 'unsure') return { kind: 'not-located', why: scanned.why };
  const own = scanned.tokens.flatMap((token) => (token.kind === 'word' ? [token.word] : []));
  if (own.length < scanned.tokens.length) return { kind: 'not-located', why: 'unsupported-shell' };
  const inArgs = words.length === 0 ? 'entrypoint-unknown' : insertionInArgs(words, options);
  const insertion = typeof inArgs === 'string' ? insertionInText(own, holder) : inArgs;
  const texts = [{ holder, text: variable.value, tokens: scanned.tokens }];
  return { ...located, words: [...own, ...words], insertion, texts };
}

function insertionInText(words: readonly Word[], holder: string): Insertion {
  return { kind: 'text', holder, offset: words.at(-1)?.end ?? 0 };
}

function insertionInArgs(words: readonly Word[], { entrypoint, mayAddArgs }: LocateOptions): Insertion | RefusalReason {
  if (words.length > 0) {
    return entrypoint === 'engine' ? insertionOf({ words, redirects: [] }, 0) : 'entrypoint-unknown';
  }
  return mayAddArgs === true ? { kind: 'list', list: 'args', index: 0 } : 'arguments-in-image';
}

/** `sh -c '<script>' name word…`: where the script stands; what follows its name is `"$@"`. */
type ShellCall = { readonly script: Word; readonly positionals: readonly Word[] };

const SHELL = /^(?:ba|da|z|k|a)?sh$/;

/** The script that a list of words hands to a shell by `-c`; undefined where there is none. */
function findScript(words: readonly Word[]): ShellCall | undefined {
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

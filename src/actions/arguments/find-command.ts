import { fromTables } from '../../model/reference-tables.ts';
import type { Token } from './scan-script.ts';
import { NESTING, WRAPPERS } from './shell-commands.ts';
import type { Word } from './shell-word.ts';
import { literalPart } from './shell-word.ts';

/** A simple command: its words without the targets of redirects. */
export type Command = {
  readonly words: readonly Word[];
  /** Offsets at which redirects begin. */
  readonly redirects: readonly number[];
};

/** An engine at the beginning of a command; its arguments begin at `from`, with the model where `modelFirst`. */
type EngineHead = { readonly engine: string; readonly from: number; readonly modelFirst: boolean };
type EngineCommand = EngineHead & { readonly command: Command };

type FoundCommand =
  | { readonly kind: 'found'; readonly engine: EngineCommand }
  | { readonly kind: 'not-found'; readonly why: 'several-engines' | 'engine-not-found' | 'nested-script' };

/** Splits tokens at operators. */
export function toCommands(tokens: readonly Token[]): Command[] {
  const commands: Command[] = [];
  let words: Word[] = [];
  let redirects: number[] = [];
  const close = () => {
    if (words.length > 0) commands.push({ words, redirects });
    words = [];
    redirects = [];
  };
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'operator') close();
    else if (token.kind === 'redirect') redirects.push(token.start);
    else if (tokens[i - 1]?.kind !== 'redirect') words.push(token.word);
  }
  close();
  return commands;
}

/** The one command of an engine among the commands of a script. */
export function findEngine(commands: readonly Command[]): FoundCommand {
  const found = commands.flatMap((command) => {
    const head = matchEngine(command.words);
    return head === undefined ? [] : [{ ...head, command }];
  });
  const [engine] = found;
  if (found.length > 1) return { kind: 'not-found', why: 'several-engines' };
  if (commands.some(isNested)) return { kind: 'not-found', why: 'nested-script' };
  return engine === undefined ? { kind: 'not-found', why: 'engine-not-found' } : { kind: 'found', engine };
}

const RESERVED: ReadonlySet<string> = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', 'time']);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Where the name of the command stands: behind words of the grammar and assignments. */
export function startOf(words: readonly Word[]): number {
  const at = words.findIndex((word) => !(RESERVED.has(word.value) || ASSIGNMENT.test(literalPart(word))));
  return at === -1 ? words.length : at;
}

/** The engine that a command's words run, directly or behind a wrapper such as `exec` or `numactl`. */
export function matchEngine(words: readonly Word[]): EngineHead | undefined {
  const start = startOf(words);
  const first = words[start];
  if (first === undefined) return undefined;
  if (!WRAPPERS.has(nameOf(first))) return matchAt(words, start);
  for (let i = start + 1; i < words.length; i++) {
    const word = words[i];
    if (word === undefined || NO_ENGINE.has(word.value)) return undefined;
    const match = word.computedAt === null ? matchAt(words, i) : undefined;
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Behind a wrapper, what follows these is only spoken of. */
const NO_ENGINE: ReadonlySet<string> = new Set([
  'echo',
  'printf',
  'kill',
  'pkill',
  'killall',
  'pgrep',
  'grep',
  'which',
  '-v',
]);

function nameOf(word: Word): string {
  return word.computedAt === null ? word.value.slice(word.value.lastIndexOf('/') + 1) : '';
}

const engineCommands = fromTables(({ commandLines }) =>
  Object.entries(commandLines).flatMap(([engine, { commands = [] }]) =>
    commands.map((command) => ({ engine, words: command.split(' ') })),
  ),
);

function matchAt(words: readonly Word[], at: number): EngineHead | undefined {
  const names = words.slice(at, at + 12).map((word, i) => (i === 0 ? nameOf(word) : literalPart(word)));
  const script = startOfModule(words[at], names);
  for (const { engine, words: head } of engineCommands()) {
    const from = head[0] === '-m' || head[0]?.endsWith('.py') ? script : 0;
    if (from === undefined || !isHead(names, from, head)) continue;
    return { engine, from: at + from + head.length, modelFirst: head.some((word) => /(?:^|-)serve$/.test(word)) };
  }
  return undefined;
}

function isHead(names: readonly string[], from: number, head: readonly string[]): boolean {
  return head.every((part, i) => {
    const name = names[from + i] ?? '';
    return part.endsWith('.py') ? name.slice(name.lastIndexOf('/') + 1) === part : name === part;
  });
}

// `python3 -u -m module`, `"$PYTHON" -m module`, `python3 path/to/script.py`, `path/to/script.py`.
function startOfModule(first: Word | undefined, names: readonly string[]): number | undefined {
  if (names[0]?.endsWith('.py')) return 0;
  const isPython = first?.computedAt === 0 || /^python[\d.]*$/.test(names[0] ?? '');
  if (!isPython) return undefined;
  const isOption = (i: number) => names[i]?.startsWith('-') || /^-[WX]$/.test(names[i - 1] ?? '');
  const at = names.findIndex((name, i) => i > 0 && (name === '-m' || !isOption(i)));
  return at === -1 ? undefined : at;
}

const MENTION =
  /vllm\s+serve|vllm\.entrypoints|huggingfaceserver|inference_api\.py|sglang\.launch_server|sglang\s+serve|text-generation-launcher|llama-server|lmdeploy\s+serve|trtllm-serve|tritonserver|ollama\s+serve/;

// `eval "vllm serve …"`: the engine's words stand inside a word of another command.
function isNested({ words }: Command): boolean {
  const names = words.map(nameOf);
  const at = names.findIndex((name, i) => NESTING.has(name) && names.slice(0, i).every(isBeforeNested));
  if (at === -1) return false;
  return MENTION.test(
    words
      .slice(at + 1)
      .map(({ value }) => value)
      .join(' '),
  );
}

function isBeforeNested(name: string): boolean {
  return RESERVED.has(name) || WRAPPERS.has(name) || ASSIGNMENT.test(name) || name.startsWith('-');
}

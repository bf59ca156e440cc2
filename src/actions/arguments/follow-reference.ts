import { type Dialect, toKey } from './engine-flags.ts';
import { type Container, findVariable } from './read-container.ts';
import type { Token } from './scan-script.ts';
import type { Word } from './shell-word.ts';
import { hasUnseenSettings } from './unseen-settings.ts';

const REFERENCE =
  /^(?:(?<kubelet>\$\((?<inList>[A-Za-z_]\w*)\))|\$\{(?<inBraces>[A-Za-z_]\w*)(?::?-[^}$`"'\\]*)?\}|\$(?<bare>[A-Za-z_]\w*))$/;
// One word to every reader, quoted or not.
const PLAIN = /^[\w@%+:,./=-]+$/;
// Names that engines and their libraries read for themselves.
const READ_BY_ENGINES =
  /^(?:(?:VLLM|NIM|SGLANG|OLLAMA|LLAMA_ARG|TGI|TRITON|TRTLLM|PYTORCH|TORCH|CUDA|NVIDIA|NCCL|RAY|HF|OMP|MKL)_|(?:LOCAL_)?(?:WORLD_SIZE|RANK)$)/;

/** A variable of the container that is there for the value of one flag and for nothing else. */
export type Followed = { readonly name: string; readonly text: string };

type Reference = { readonly word: Word; readonly from: number; readonly flag: string; readonly to: string };
type Around = {
  readonly json: unknown;
  readonly container: Container;
  readonly dialect: Dialect;
  /** Of the script around the word; empty where no shell stands before the engine. */
  readonly tokens: readonly Token[];
};

/**
 * The variable that a word's value, from character `from` on, refers to: `$(MAX_LEN)`, `$MAX_LEN`, `${MAX_LEN:-8192}`. Only
 * where its text is written out and stands for one word before and after, and where nothing else names it.
 */
export function followReference({ word, from, flag, to }: Reference, around: Around): Followed | undefined {
  const groups = REFERENCE.exec(word.value.slice(from))?.groups;
  const name = groups?.inList ?? groups?.inBraces ?? groups?.bare;
  const text = name === undefined ? undefined : findVariable(around.container.env, name)?.value;
  if (name === undefined || text === undefined || text === '') return undefined;
  const isOneWord =
    word.units === null ||
    (groups?.kubelet === undefined && word.units.slice(from).every(({ quote }) => quote === 'double'));
  if (!isOneWord && !(PLAIN.test(text) && PLAIN.test(to))) return undefined;
  // The kubelet puts its own in before the shell begins.
  if (groups?.kubelet === undefined && hasUnseenSettings(around.tokens)) return undefined;
  return isReadElsewhere(name, flag, around) ? undefined : { name, text };
}

// By a probe, another variable, the script once more, or by the engine itself.
function isReadElsewhere(name: string, flag: string, { json, container, dialect }: Around): boolean {
  const mention = new RegExp(`(?<!\\w)${name}(?!\\w)`);
  const mentions = textsIn(json).reduce((sum, text) => sum + text.split(mention).length - 1, 0);
  const own = (container.env ?? []).filter((variable) => variable.name === name).length;
  const sameName = dialect.find(`--${name.toLowerCase()}`)?.name;
  const isOfAnother =
    dialect.variableOf(flag) !== undefined && sameName !== undefined && toKey(sameName) !== toKey(flag);
  return mentions !== own + 1 || READ_BY_ENGINES.test(name) || isOfAnother;
}

function textsIn(json: unknown): string[] {
  if (typeof json === 'string') return [json];
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(textsIn) : [];
}

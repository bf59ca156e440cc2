import { type Citation, placeOf } from '../../model/citation.ts';
import type { EngineArgument } from '../../model/engine-reader.ts';

/** A word with its place; a break parts two commands. */
export type Word = { readonly value: string; readonly from: Citation } | 'break';

/** Short forms of vLLM (vllm/engine/arg_utils.py) and of llama.cpp (common/arg.cpp). */
const ALIASES: Readonly<Record<string, string>> = {
  '-tp': '--tensor-parallel-size',
  '-pp': '--pipeline-parallel-size',
  '-dp': '--data-parallel-size',
  '-q': '--quantization',
  '-cc': '--compilation-config',
  '-O': '--compilation-config',
  '-ep': '--enable-expert-parallel',
  '-ngl': '--n-gpu-layers',
  '-ts': '--tensor-split',
  '-ub': '--ubatch-size',
  '-ctk': '--cache-type-k',
  '-ctv': '--cache-type-v',
  // argparse takes what a flag begins with, where no other begins so.
  '--tensor-parallel': '--tensor-parallel-size',
  '--pipeline-parallel': '--pipeline-parallel-size',
  // No engine has it; people type it for the long form.
  '-model': '--model',
};

/** Short forms of llama.cpp that are another program's as well (`sh -c`, `mpirun -np`): only behind the name of its own. */
const LLAMA_ALIASES: Readonly<Record<string, string>> = {
  '-c': '--ctx-size',
  '-b': '--batch-size',
  '-np': '--parallel',
};
const LLAMA_PROGRAM = /(?:^|\/)llama-(?:server|cli)$/;

const FLAG = /^(--?[A-Za-z][\w.-]*)(?:=([\s\S]*))?$/;
const VARIABLE = /^([A-Z][A-Z0-9_]{2,})=([\s\S]*)$/;
/** A variable that hands whole arguments to an engine. */
const ARGUMENT_VARIABLE = /_ARGS$|_EXTRA_ARGUMENTS$/;

/** Options of `docker run` that stand before the image and are none of the engine. */
const CONTAINER_OPTIONS =
  /^--?(?:gpus|runtime|rm|ipc|shm-size|network|net|name|volume|v|env|e|publish|p|restart|detach|d|it|i|t|ulimit|privileged|cap-add|device|memory|entrypoint|user|u|workdir|w|mount|platform|pull|security-opt|group-add|env-file|hostname|cpus|memory-swap)(?:=|$)/;

/** Arguments in the order in which they stand; the last one of a flag wins. Variables are kept under their own name. */
export function readFlags(given: readonly Word[], split: (text: string) => readonly string[]): EngineArgument[] {
  const words = withLongForms(given);
  const args: EngineArgument[] = [];
  let inContainerRun = false;
  for (const [i, word] of words.entries()) {
    if (word === 'break') {
      inContainerRun = false;
      continue;
    }
    const { value, from } = word;
    const before = plain(words[i - 1]);
    if (value === 'run' && (before === 'docker' || before === 'podman' || before === 'nerdctl')) inContainerRun = true;
    if (inContainerRun && CONTAINER_OPTIONS.test(value)) continue;
    const variable = VARIABLE.exec(value);
    if (variable !== null) args.push(...ofVariable(variable, from, split));
    else if (isModel(words, i)) args.push({ flag: '--model', value, from });
    else args.push(...ofFlag(value, words[i + 1], from));
  }
  return args;
}

function withLongForms(words: readonly Word[]): readonly Word[] {
  let isLlama = false;
  return words.map((word) => {
    if (word === 'break') {
      isLlama = false;
      return word;
    }
    isLlama ||= LLAMA_PROGRAM.test(word.value);
    return isLlama ? { ...word, value: LLAMA_ALIASES[word.value] ?? word.value } : word;
  });
}

function plain(word: Word | undefined): string | undefined {
  return word === undefined || word === 'break' ? undefined : word.value;
}

// The model is the first word behind these (vllm/entrypoints/openai/cli_args.py, model_tag; lmdeploy/cli/serve.py, model_path;
// sglang/cli/serve.py; tensorrt_llm/commands/serve.py, whose `serve` may be left out).
const BEFORE_MODEL =
  /(?:^| |\/)(?:(?:vllm|sglang) serve|lmdeploy serve (?:api_server|gradio)|lmdeploy chat|trtllm-serve(?: serve)?)$/;
const COMMAND_OF_TRTLLM = /^(?:serve|disaggregated(?:_mpi_worker)?|mm_embedding_serve|embeddings)$/;
// Of the words above, those that a command line may hold between its program and the model.
const COMMAND_WORDS = 3;

function isModel(words: readonly Word[], i: number): boolean {
  const value = plain(words[i]) ?? '-';
  if (value.startsWith('-') || COMMAND_OF_TRTLLM.test(value)) return false;
  const before = words.slice(Math.max(0, i - COMMAND_WORDS), i).map((word) => plain(word) ?? '');
  return BEFORE_MODEL.test(before.join(' ')) || ENTRY_POINT.test(before.at(-1) ?? '');
}

const ENTRY_POINT = /^vllm\.entrypoints\.(?:openai\.)?api_server$/;

function ofFlag(text: string, next: Word | undefined, from: Citation): EngineArgument[] {
  const m = FLAG.exec(text);
  if (m === null) return [];
  const flag = spell(m[1] ?? '');
  if (flag === undefined) return [];
  if (m[2] !== undefined) return [{ flag, value: unquote(m[2]), from }];
  if (next === undefined || next === 'break' || FLAG.test(next.value) || VARIABLE.test(next.value)) {
    return [{ flag, value: null, from }];
  }
  return [{ flag, value: next.value, from: withNext(from, next.from) }];
}

// A value that stands in a place of its own belongs to the proof: the flag alone does not show it.
function withNext(from: Citation, next: Citation): Citation {
  const isNext = placeBehind(from) === placeOf(next);
  if (from.kind === 'sample' || next.kind === 'sample' || !isNext) return from;
  return { ...from, more: [next.text] };
}

const ELEMENT = /^(.*\/)(\d{1,6})$/;

function placeBehind(citation: Citation): string | undefined {
  if (citation.kind === 'line') return placeOf({ ...citation, line: citation.line + 1 });
  const [, list, index] = (citation.kind === 'field' && ELEMENT.exec(citation.path)) || [];
  return index === undefined ? undefined : `${citation.file} ${list}${Number(index) + 1}`;
}

/** A flag in the engine's own spelling: dashes for underscores, long for short; undefined for a short one of something else. */
function spell(flag: string): string | undefined {
  const dashed = flag.startsWith('--') ? `--${flag.slice(2).replaceAll('_', '-')}` : undefined;
  return ALIASES[dashed ?? flag] ?? dashed;
}

function ofVariable(
  match: RegExpExecArray,
  from: Citation,
  split: (text: string) => readonly string[],
): EngineArgument[] {
  const [, name = '', value = ''] = match;
  const own = { flag: name, value, from };
  if (!ARGUMENT_VARIABLE.test(name)) return [own];
  const inner = split(value).map((text) => ({ value: text, from }));
  return [own, ...inner.flatMap((word, i) => ofFlag(word.value, inner[i + 1], from))];
}

// `--max-model-len="12288"` in a YAML list keeps its quotes.
function unquote(value: string): string {
  const m = /^(["'])([\s\S]*)\1$/.exec(value);
  return m?.[2] ?? value;
}

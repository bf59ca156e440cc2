import type { LineCitation } from '../../model/citation.ts';
import type { Cited, EngineArgument } from '../../model/engine-reader.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { readFlags } from './flags.ts';
import { splitScripts } from './program-words.ts';
import { type DumpPair, readDump, rustValue } from './python-dump.ts';
import { hasReference, resolveReferences } from './references.ts';
import { citeArgsLine, readArgsWords, splitShell } from './shell-words.ts';

type ArgumentSources = {
  readonly commandWords?: readonly Cited<string>[];
  readonly argsText?: string;
  readonly log?: LogReading;
  /** Variables of the container, which arguments may refer to. */
  readonly env?: readonly { readonly name: string; readonly value: Cited<string> | undefined }[];
};

/**
 * All engine arguments that the sources show, in order of rising precedence: args.txt, the pod's own words, its variables
 * that hold arguments, and what the engine itself printed that it runs with.
 */
export function readArguments(sources: ArgumentSources): EngineArgument[] {
  const env = sources.env ?? [];
  const [outranked, behind] = [env.filter(isOutranked), env.filter((variable) => !isOutranked(variable))];
  const given = [
    ...(sources.argsText === undefined ? [] : fromText(sources.argsText)),
    ...env.flatMap(ranksOfNim),
    ...fromVariables(outranked),
    ...fromWords(sources.commandWords ?? []),
    ...fromVariables(behind),
  ];
  return [...resolveReferences(given, env), ...(sources.log === undefined ? [] : fromLog(sources.log))];
}

type Variable = NonNullable<ArgumentSources['env']>[number];

// KServe's presets put VLLM_ADDITIONAL_ARGS behind the engine's own words (kserve config/llmisvcconfig); a NIM lets them win
// over its variable (NVIDIA NIM LLM 2, Advanced Configuration, Configuration Priority).
function isOutranked({ name }: Variable): boolean {
  return name === 'NIM_PASSTHROUGH_ARGS';
}

// It picks the profile of a NIM, which runs with so many ranks (NVIDIA NIM for LLMs, Configuration). Of its other variables
// the length alone means the same everywhere. Which one sets the memory fraction differs by release and image, and some
// images read none: NIM_KVCACHE_PERCENT before 2.0, then NIM_GPU_MEM_FRACTION, NIM_GPU_MEMORY_UTILIZATION or nothing but
// NIM_PASSTHROUGH_ARGS (NVIDIA-AI-Blueprints/video-search-and-summarization pull requests 423, 773, 1281), and the sequences
// are NIM_MAX_NUM_SEQS in some and passed through in others (1649, 2159). Those stay unread; what the engine prints tells.
const RANKS_OF_NIM = 'NIM_TENSOR_PARALLEL_SIZE';

function ranksOfNim({ name, value }: Variable): EngineArgument[] {
  if (name !== RANKS_OF_NIM || value === undefined) return [];
  return [{ flag: '--tensor-parallel-size', value: value.value, from: value.from }];
}

function fromVariables(env: readonly Variable[]): EngineArgument[] {
  return env.flatMap(({ name, value }) => {
    if (value === undefined) return [];
    const word = { value: `${name}=${value.value}`, from: value.from };
    return readFlags([word], splitWords).filter(({ flag }) => flag !== name);
  });
}

const splitWords = (text: string): string[] =>
  splitShell(text).flatMap((word) => (word.kind === 'word' ? [word.value] : []));

function fromWords(words: readonly Cited<string>[]): EngineArgument[] {
  return readFlags(splitScripts(words), splitWords);
}

/** Constructors of engines whose keywords are the engine's arguments, as people paste their code. */
const CONSTRUCTOR = /\b(?:LLM|EngineArgs|AsyncEngineArgs|Engine|ServerArgs|AsyncLLMEngine)\(([\s\S]*)$/;

function fromText(text: string): EngineArgument[] {
  const lines = text.split('\n');
  const code = lines.flatMap((line, i) => fromCode(line, citeArgsLine(lines, i)));
  return [...code, ...readFlags(readArgsWords(text), splitWords)];
}

function fromCode(line: string, from: LineCitation): EngineArgument[] {
  const m = CONSTRUCTOR.exec(line);
  const pairs = m === null ? keywordsIn(line) : readDump(m[1] ?? '');
  return pairs.map((pair) => toArgument(pair, from));
}

// Keywords that no other program has, where the call is a wrapper's own or spans lines.
const KEYWORD =
  /(?<![-\w.])(gpu_memory_utilization|max_model_len|max_num_seqs|max_num_batched_tokens|tensor_parallel_size|pipeline_parallel_size|enforce_eager|cpu_offload_gb|mem_fraction_static|max_running_requests|chunked_prefill_size|cache_max_entry_count|session_len) ?= ?['"]?([\w.]{1,20})/g;

type Pair = Pick<DumpPair, 'key' | 'value'>;

function keywordsIn(line: string): Pair[] {
  return [...line.matchAll(KEYWORD)].map(([, key = '', value = '']) => ({ key, value }));
}

// Dumps of settings, what the engine made of them behind what it was told. They print what was never asked for as well.
const DUMPS = ['settings', 'settings-given', 'settings-made'] as const;

function fromLog(log: LogReading): EngineArgument[] {
  return DUMPS.flatMap((role) => {
    const dumps = log.hits.filter(({ signature }) => hasRole(signature, role));
    const last = new Map(dumps.map((hit) => [hit.id, hit]));
    return [...last.values()].flatMap((hit) => fromDump(log.file, hit));
  });
}

function fromDump(file: string, hit: Hit): EngineArgument[] {
  const dump = hit.captures.args ?? hit.captures.config ?? '';
  return readDump(dump)
    .filter(isChosen)
    .map((pair) => toArgument(pair, placeIn(dump.split('\n'), pair, { file, hit })));
}

const MOST_MORE = 3;

// A dump over several lines begins below its heading. Docker's JSON log wraps each line, so only the hit can be cited.
function placeIn(
  dump: readonly string[],
  { lines: [first, last] }: DumpPair,
  { file, hit }: { readonly file: string; readonly hit: Hit },
): LineCitation {
  const [text = '', ...more] = dump.slice(first, last + 1);
  if (dump.length === 1 || text === '' || hit.text.startsWith('{"log":')) {
    return { kind: 'line', file, line: hit.line, text: hit.text };
  }
  const below = more.slice(0, MOST_MORE);
  return { kind: 'line', file, line: hit.line + 1 + first, text, ...(below.length > 0 ? { more: below } : {}) };
}

// Defaults that would read as if somebody had turned something on.
function isChosen({ key, value }: Pair): boolean {
  if (key === 'swap_space') return Number(value) !== 4;
  return !(/offload/.test(key) && Number(value) === 0);
}

/** Names in the engine's own configuration that differ from those of its flags. */
const RENAMED: Readonly<Record<string, string>> = {
  max_seq_len: '--max-model-len',
  chunked_prefill_enabled: '--enable-chunked-prefill',
  model_tag: '--model',
};

function toArgument({ key, value }: Pair, from: LineCitation): EngineArgument {
  const flag = RENAMED[key] ?? `--${key.replaceAll('_', '-')}`;
  return { flag, value: wordOf(rustValue(value)), from };
}

// Python prints what it made of a word: `True`, `torch.bfloat16`, `LoadFormat.AUTO`, `<LoadFormat.AUTO: 'auto'>`.
function wordOf(value: string): string {
  if (value === 'True' || value === 'False') return value.toLowerCase();
  const ofEnum =
    /^<[A-Z]\w*\.\w+: '([^']*)'>$/.exec(value)?.[1] ??
    /^[A-Z][A-Za-z]*\.([A-Z][A-Z0-9_]*)$/.exec(value)?.[1]?.toLowerCase();
  return ofEnum ?? /^torch\.(\w+)$/.exec(value)?.[1] ?? value;
}

/** The value in force: the last occurrence, `_` and `-` alike, `--no-x` read as `--x false`; undefined where not set. */
export function effectiveArgument(args: readonly EngineArgument[], flag: string): EngineArgument | undefined {
  const wanted = flag.replaceAll('_', '-');
  const negated = wanted.replace(/^--/, '--no-');
  const last = args.findLast((one) => one.flag === wanted || one.flag === negated || one.flag === flag);
  return last?.flag === negated ? { ...last, flag: wanted, value: 'false' } : last;
}

const MODEL_FLAGS = ['--model', '--model-path', '--model-id', '-m'];

/** The argument that names the model, in whichever of the engines' spellings; undefined where it names a variable alone. */
export function modelArgument(args: readonly EngineArgument[]): (EngineArgument & { value: string }) | undefined {
  const found = modelAsGiven(args);
  return found === undefined || hasReference(found.value) ? undefined : found;
}

/** The same as it stands, a variable that nothing resolves as well. */
export function modelAsGiven(args: readonly EngineArgument[]): (EngineArgument & { value: string }) | undefined {
  for (const flag of MODEL_FLAGS) {
    const found = effectiveArgument(args, flag);
    if (found?.value != null) return { ...found, value: found.value };
  }
  return undefined;
}

const COUNT = /^(\d[\d,_]*(?:\.\d+)?)([kKmMgG]?)$/;
// vLLM from 0.9: small letters are decimal, capitals binary (vllm/engine/arg_utils.py, human_readable_int).
const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1000,
  K: 1024,
  m: 1e6,
  M: 1024 ** 2,
  g: 1e9,
  G: 1024 ** 3,
};

/** `8192`, `8k` (8000), `8K` (8192), `25.6k` -> number; undefined for anything else. */
export function parseCount(text: string | null): number | undefined {
  const m = COUNT.exec(text?.trim() ?? '');
  if (m === null) return undefined;
  return Math.round(Number((m[1] ?? '').replaceAll(/[,_]/g, '')) * (FACTORS[m[2] ?? ''] ?? 1));
}

/** `0.9` -> 0.9; undefined for anything that is no number from 0 to 1. */
export function parseShare(text: string | null): number | undefined {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return value >= 0 && value <= 1 ? value : undefined;
}

/** `true`, `1`, `on`, bare switch (null) -> true; `false`, `0`, `off` -> false; else undefined. */
export function parseSwitch(text: string | null): boolean | undefined {
  if (text === null) return true;
  const word = text.trim().toLowerCase();
  if (['true', '1', 'on', 'yes'].includes(word)) return true;
  return ['false', '0', 'off', 'no'].includes(word) ? false : undefined;
}

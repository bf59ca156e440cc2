import type { Citation } from '../../model/citation.ts';
import { citeLine, evidenceLines } from '../../read/text/lines.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { variablesOf } from '../evidence/container-variables.ts';
import type { Evidence } from '../evidence/evidence.ts';

/** What the arguments say of memory that is kept on the host; `static`: weights, which are taken once and do not grow. */
export type ToldOffload = { readonly from: Citation; readonly static: boolean };

// A KV connector that keeps blocks in host memory or a prompt cache in RAM, or variables that set one up: as flags, keys of
// a file or fields of a program.
const CACHES = [
  '--kv-offloading-size|OffloadingConnector|LMCacheConnector|LMCACHE_\\w*CPU|max_local_cpu_size|cpu_bytes_to_use|[Mm]ooncake_?[Ss]tore|HiCache|hicache',
  'LLAMA_ARG_CACHE_RAM|(?:cache-ram|ctx-checkpoints|swa-checkpoints)\\b',
  'kv_cache_host_memory_bytes|host_cache_size|KVBM_CPU_CACHE',
];

// Weights or experts left on the CPU, or copied there for a sleep to which a trainer sends its engines.
const WEIGHTS = [
  'n-cpu-moe\\b|override-tensor\\S* \\S*=CPU|-ot \\S*=CPU',
  'offload_to_cpu|cpu_offload|offload_folder|\\b(?:param|optimizer|weight)_offload\\W{1,4}[Tt]rue|offload_(?:param|optimizer)',
  'vllm-enable-sleep|enable_sleep|--cpu-memory|--pre_layer',
];

const IN_TEXT = anyOf('g', ...CACHES, ...WEIGHTS);
const IS_WEIGHTS = new RegExp(`^(?:${WEIGHTS.join('|')})`);

// A switch that is negated before its name, or a value behind it that keeps nothing. DeepSpeed names a device within braces.
const NEGATED = /--(?:no|disable)-[\w-]{0,40}$/;
const NOTHING =
  /^[\w-]{0,40}["']?\s{0,3}[=:\s]\s{0,3}(?:\{\s{0,3}["']device["']\s{0,3}:\s{0,3})?["']?(?:false|none|null|no|off|0{1,9}(?:\.0{1,9})?)\b(?![.\d])/i;

// SGLang prints the figures of its cache on the host whether that is on or not (srt/server_args.py); LMCache keeps no block
// in RAM where that is told off (lmcache/v1/config.py, local_cpu), whatever engine connects to it.
const OFF_AT_ALL: readonly { readonly names: RegExp; readonly off: RegExp }[] = [
  {
    names: /^(?:HiCache|hicache)/,
    off: /\benable[-_]hierarchical[-_]cache["']?\s{0,3}[=:\s]\s{0,3}["']?(?:false|0)\b/i,
  },
  { names: /^LMCacheConnector/, off: /(?<![a-z])local_cpu["']?\s{0,3}[=:\s]\s{0,3}["']?(?:false|0)\b/i },
];

/** Where arguments, or the text that holds them, name such memory and do not say that it is off. */
export function readToldOffload(evidence: Evidence): readonly ToldOffload[] {
  const text = evidence.readings.texts.get('args.txt') ?? '';
  const variables = variablesOf(evidence).map(({ flag, value }) => `${flag}=${value}`);
  const whole = [text, ...variables].join('\n');
  const ofArgs = evidence.args.flatMap(({ value, from }) => (value === null ? [] : [{ said: value, from }]));
  const ofText = evidenceLines(text).map((line) => ({ said: line.text, from: citeLine('args.txt', line) }));
  return [...ofArgs, ...ofText].flatMap(({ said, from }) =>
    namesOn(said, whole).map((name) => ({ from, static: IS_WEIGHTS.test(name) })),
  );
}

function namesOn(said: string, whole: string): readonly string[] {
  return [...said.matchAll(IN_TEXT)].flatMap((match) => {
    const [name] = match;
    const off =
      NEGATED.test(said.slice(0, match.index)) ||
      NOTHING.test(said.slice(match.index + name.length)) ||
      OFF_AT_ALL.some(({ names, off }) => names.test(name) && off.test(whole));
    return off ? [] : [name];
  });
}

import type { Citation } from '../../model/citation.ts';
import type { Cited, EngineArgument } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { effectiveArgument, modelAsGiven } from '../../read/engine/arguments.ts';
import type { SmiGpu } from '../../read/tools/nvidia-smi.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { readSlice } from '../evidence/mig-slice.ts';
import { ranksOf } from '../evidence/ranks.ts';
import { citedNumber, fact } from '../log/draft.ts';
import { tailLines } from '../log/tail-lines.ts';

// These use one GPU unless they are told to use more; others take all that they see.
const ONE_UNLESS_TOLD: ReadonlySet<string> = new Set(['vllm', 'sglang', 'lmdeploy']);
// Ranks that are spoken of in a spelling that no reader knows: in a file, in a variable, in code; and what spreads a model
// or a request over GPUs by another name (vllm config/parallel.py, vllm-omni; sglang multimodal_gen/runtime/server_args.py).
const SPREAD =
  /(?:tensor|pipeline|data|context)[-_ ]?parallel|(?<![a-z])(?:tp|dp|pp|pcp)(?![a-z])|num[-_](?:shard|gpus)|world[-_]size|--(?:config|omni)\b/i;
// One is one in every spelling.
const TOLD_ONE =
  /(?<!\S)--?(?:(?:tensor|pipeline|data)[-_]parallel[-_]size|(?:tp|pp|dp)(?:[-_]size)?)["']?[=,\s]+["']?1(?![\d.])/g;
// What no shell has replaced may be any number of arguments; as the value of a flag it is one.
const UNREPLACED =
  /\$["']?[@*]|(?<=(?:^|\s)["']?)\$[({]?\w*(?:ARG|OPT|FLAG|EXTRA|PARAM)\w*|(?<=(?:^|\s)[^-\s]\S*\s+["']?)(?<!\bserve\s+["']?)\$[({]?\w+(?:\[[@*]\])?[)}]?["']?(?=\s|$)/i;
const COPIES = ['--data-parallel-size', '--dp', '--dp-size'];

/** GPUs that the container was given and that the engine was not told to use; undefined where either is not seen. */
export function readIdleGpus(evidence: Evidence): Fact | undefined {
  const granted = grantedGpus(evidence);
  const used = usedGpus(evidence);
  if (granted === undefined || used === undefined || isMoreThanTold(evidence, used.value)) return undefined;
  return fact(Math.max(0, granted.value - used.value), [granted.from, used.from]);
}

/** GPUs that the engine was told to use, 1 where its whole command says nothing; undefined where it is not seen. */
export function usedGpus({ args, engine, spec, readings }: Evidence): Cited<number> | undefined {
  const model = modelAsGiven(args);
  if (model === undefined || !ONE_UNLESS_TOLD.has(engine.engine)) return undefined;
  const copies = COPIES.reduce((most, flag) => Math.max(most, Number(effectiveArgument(args, flag)?.value ?? 1)), 1);
  const used = ranksOf(args) * copies;
  const said = wordsOf({ spec, readings });
  const isWhole = !SPREAD.test(said.replaceAll(TOLD_ONE, ' ')) && !UNREPLACED.test(said);
  return used > 1 || isWhole ? { value: used, from: model.from } : undefined;
}

function wordsOf({ spec, readings }: Pick<Evidence, 'spec' | 'readings'>): string {
  return [readings.texts.get('args.txt') ?? '', ...spec.words.map(({ value }) => value)].join('\n');
}

// Ranks that share a prompt come on top of those that share the layers.
const ON_TOP = /prefill[-_ ]?context[-_ ]?parallel|(?<![a-z])pcp(?![a-z])/i;

function isMoreThanTold(evidence: Evidence, used: number): boolean {
  const said = wordsOf(evidence);
  return ON_TOP.test(said) || UNREPLACED.test(said) || showsRanks(evidence, used);
}

// `Worker_TP0`, `VllmWorker rank=1`; SGLang names the first rank of one alone as well.
const RANKED =
  /\bWorker_(?:TP|PP|PCP|DCP)\d|\bVllmWorker(?:Process)?\b|\bRayWorkerWrapper\b|[ _](?:TP|PP|DP)[1-9]\d?\b/;

// The arguments may be a part of what the engine was told: its processes say how many they are.
function showsRanks({ log }: Evidence, used: number): boolean {
  return used === 1 && log.main !== undefined && tailLines(log.main).some(({ text }) => RANKED.test(text));
}

// One process for all the GPUs that they use.
const WITHOUT_RANKS: ReadonlySet<string> = new Set(['llama.cpp', 'ollama']);

/** What shows that the engine runs as one rank, so that no other of its launch can be on its GPU; undefined where that is not seen. */
export function onlyRank(evidence: Evidence): Citation | undefined {
  const used = usedGpus(evidence);
  if (used !== undefined) return used.value === 1 ? used.from : undefined;
  const { engine, program } = evidence;
  if (!WITHOUT_RANKS.has(engine.engine)) return undefined;
  return (engine.version ?? program.image ?? program.words[0] ?? engine.milestones[0])?.from;
}

function grantedGpus(evidence: Evidence): Cited<number> | undefined {
  const { spec } = evidence;
  const visible = readVisible(evidence.args);
  // What the engine may see of them outranks what the container was given.
  if (visible !== undefined) return visible.list && { value: visible.list.length, from: visible.from };
  // The slices of a GPU cannot be used together, and neither can two shares of it.
  return readSlice(evidence) !== undefined ? undefined : citedNumber(spec.gpuCount);
}

const DEVICES = ['CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'ASCEND_RT_VISIBLE_DEVICES'];
const LIST = /^\d+(?:,\d+)*$/;

// What the runtime of the container gives it; most images set it to `all`.
const OF_CONTAINER = 'NVIDIA_VISIBLE_DEVICES';

type Visible = { readonly list: readonly number[] | undefined; readonly from: Citation };

// The GPUs that a variable leaves visible to the engine; without a list where it names them otherwise than by number.
function readVisible(args: readonly EngineArgument[]): Visible | undefined {
  const seen = DEVICES.map((name) => effectiveArgument(args, name)).find((found) => found?.value != null);
  if (seen?.value == null) return givenTo(args);
  return { list: LIST.test(seen.value) ? seen.value.split(',').map(Number) : undefined, from: seen.from };
}

function givenTo(args: readonly EngineArgument[]): Visible | undefined {
  const given = effectiveArgument(args, OF_CONTAINER);
  if (given?.value == null || !LIST.test(given.value)) return undefined;
  return { list: given.value.split(',').map(Number), from: given.from };
}

/** The GPUs of nvidia-smi that are visible to the engine: all of the node, where no variable names some. */
export function visibleGpus({ smi, args }: Pick<Evidence, 'smi' | 'args'>): readonly SmiGpu[] {
  const all = smi?.gpus ?? [];
  const visible = readVisible(args);
  return visible === undefined ? all : all.filter(({ index }) => index !== undefined && visible.list?.includes(index));
}

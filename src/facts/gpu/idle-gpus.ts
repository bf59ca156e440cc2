import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { effectiveArgument, modelAsGiven } from '../../read/engine/arguments.ts';
import { cited, evidenceLines } from '../../read/text/lines.ts';
import { citedNumber, fact } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tailLines } from '../log/tail-lines.ts';
import { ranksOf } from '../ram/ranks.ts';
import { readSlice } from './slice.ts';
import { readVisible } from './visible.ts';

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
const LAUNCH = /\bvllm(?:-omni)? serve\b|\bapi_server\b|\blaunch_server\b|\bsglang serve\b/;
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
  return ON_TOP.test(said) || UNREPLACED.test(said) || startsSeveral(evidence) || showsRanks(evidence, used);
}

// One script may start several engines, each on GPUs of its own, and a scheduler of a cluster one for each task.
function startsSeveral({ readings }: Evidence): boolean {
  const lines = (readings.texts.get('args.txt') ?? '').split('\n').filter((line) => !/^\s*#/.test(line));
  const given = new Set(lines.flatMap((line) => [...line.matchAll(VISIBLE)].map(([, value]) => value)));
  const inBackground = lines.filter((line) => LAUNCH.test(line) && /&\s*$/.test(line));
  return given.size > 1 || inBackground.length > 1 || lines.some((line) => BY_TASK.test(line));
}

const VISIBLE = /\b(?:CUDA|HIP|ASCEND_RT)_VISIBLE_DEVICES["']?\s*[:=]\s*["']?([\d,]+)/g;
const BY_TASK = /\bsrun\b|\bmpirun\b|--ntasks\b/;
// `Worker_TP0`, `VllmWorker rank=1`; SGLang names the first rank of one alone as well.
const RANKED =
  /\bWorker_(?:TP|PP|PCP|DCP)\d|\bVllmWorker(?:Process)?\b|\bRayWorkerWrapper\b|[ _](?:TP|PP|DP)[1-9]\d?\b/;

// The arguments may be a part of what the engine was told: its processes say how many they are.
function showsRanks({ log }: Evidence, used: number): boolean {
  return used === 1 && log.main !== undefined && tailLines(log.main).some(({ text }) => RANKED.test(text));
}

// One process for all the GPUs that they use.
const WITHOUT_RANKS: ReadonlySet<string> = new Set(['llama.cpp', 'ollama']);

/** What shows that the engine runs as one rank, so that no other of its launch can be on its card; undefined where that is not seen. */
export function onlyRank(evidence: Evidence): Citation | undefined {
  const used = usedGpus(evidence);
  if (used !== undefined) return used.value === 1 ? used.from : undefined;
  const { engine, program } = evidence;
  if (!WITHOUT_RANKS.has(engine.engine)) return undefined;
  return (engine.version ?? program.image ?? program.words[0] ?? engine.milestones[0])?.from;
}

// The manifest or the command that starts the container, pasted with the arguments. A slice of a card has another name.
const RESOURCE = /(?<!requests\.)\b(?:nvidia|amd)\.com\/gpu["']?\s{0,4}[:=]\s{0,4}["']?(\d{1,3})\b/;
const DEVICES_OF_RUN = /--gpus[ =]["'\\]{0,4}device=(\d{1,3}(?:,\d{1,3}){0,15})\b/;
const COUNT_OF_RUN = /--gpus[ =]["']?(\d{1,3})\b/;

function grantedGpus(evidence: Evidence): Cited<number> | undefined {
  const { spec } = evidence;
  const visible = readVisible(evidence.args);
  // What the engine may see of them outranks what the container was given.
  if (visible !== undefined) return visible.list && { value: visible.list.length, from: visible.from };
  // The slices of a card can not be used together, and neither can two shares of it.
  return readSlice(evidence) !== undefined ? undefined : (citedNumber(spec.gpuCount) ?? pastedGpus(evidence));
}

// Parts of one card, a quota and what a node has are counted by the same name.
const OF_OTHERS = /time[-_ ]?slic|\bMPS\b|\bResourceQuota\b|^\s*Allocatable:/im;

// Where several are pasted and differ, or several containers are, nothing tells which is the engine's.
function pastedGpus({ args, readings }: Evidence): Cited<number> | undefined {
  const text = readings.texts.get('args.txt') ?? '';
  const model = modelAsGiven(args)?.from;
  const lines = evidenceLines(text);
  const breaks = lines.filter((line) => /^---\s*$/.test(line.text)).map(({ n }) => n);
  const partOf = (at: number) => breaks.filter((line) => line < at).length;
  if (OF_OTHERS.test(text) || lines.filter((line) => /^[\s-]*image:/.test(line.text)).length > 1) return undefined;
  const told = lines.flatMap((line) => {
    const count = RESOURCE.exec(line.text)?.[1] ?? COUNT_OF_RUN.exec(line.text)?.[1];
    const value = count === undefined ? DEVICES_OF_RUN.exec(line.text)?.[1]?.split(',').length : Number(count);
    return value === undefined ? [] : [{ line: line.n, told: cited(value, 'args.txt', line) }];
  });
  if (new Set(told.map((one) => one.told.value)).size !== 1) return undefined;
  if (breaks.length === 0) return told[0]?.told;
  const at = model?.kind === 'line' && model.file === 'args.txt' ? partOf(model.line) : undefined;
  return told.find(({ line }) => partOf(line) === at)?.told;
}

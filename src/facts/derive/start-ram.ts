import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { modelFamily } from '../../model/model-table.ts';
import { bytesPerParameter, formatOf } from '../../model/weight-format.ts';
import { effectiveArgument, modelArgument } from '../arguments.ts';
import { citedNumber, computed, type Group, ratio } from './draft.ts';
import type { Evidence } from './evidence.ts';
import { RANKS, ranksOf } from './offload.ts';
import { citeHit } from './weigh.ts';
import { namedWeights } from './weights-size.ts';

const GIB = 1024 ** 3;
/** The least that a Python process with a CUDA context keeps resident (host memory of the pod, 1 to 3 GiB). */
const LEAST_PROCESS = GIB;
/** Engines whose every rank is such a process. */
const PYTHON: ReadonlySet<string> = new Set(['vllm', 'sglang', 'tgi']);
/** Their loaders go through the files of a checkpoint one by one, in every rank (weight_utils.py of both). */
const BY_FILE: ReadonlySet<string> = new Set(['vllm', 'sglang']);

/** What the start takes in host memory at the least, by ranks, offloading and files read whole, against the room there is. */
export function deriveStartRam(evidence: Evidence, ram: Group): Group {
  const offload = citedNumber(ram['ram.offload-bytes']);
  const room = citedNumber(ram['ram.limit']) ?? citedNumber(evidence.node?.allocatableMemory);
  const ranks = rankCount(evidence);
  const whole = readWhole(evidence);
  const staged = whole && computed([stagedFile(evidence), ranks], (bytes, n) => bytes * n);
  const base = PYTHON.has(evidence.engine.engine) && ranks && { ...ranks, value: ranks.value * LEAST_PROCESS };
  const parts = [base || undefined, offload, citedNumber(staged)].filter((part) => part !== undefined);
  const start = computed(parts, (...sizes) => (sizes.length > 0 ? sizes.reduce((a, b) => a + b, 0) : undefined));
  return {
    'ram.staging-bytes': staged,
    'ram.staging-most': whole && computed([checkpoint(evidence), ranks], (bytes, n) => bytes * n),
    'ram.start-bytes': start,
    'ram.start-share': start && computed([citedNumber(start), room], ratio),
  };
}

function rankCount({ args, engine }: Evidence): Cited<number> | undefined {
  const ranked = args.find(({ flag }) => RANKS.test(flag)) ?? args[0];
  const from = ranked?.from ?? engine.milestones[0]?.from;
  return from && { value: ranksOf(args), from };
}

// Safetensors are mapped unless told otherwise; pickled files are read, and so is what is quantised on the way.
function readWhole({ args, engine, weighing }: Evidence): Citation | undefined {
  if (!BY_FILE.has(engine.engine)) return undefined;
  const told = WHOLE.map(([flag, values]) => {
    const argument = effectiveArgument(args, flag);
    return argument?.value != null && values.includes(argument.value) ? argument.from : undefined;
  });
  const printed = weighing.all.find(({ hit }) => /Loading pt checkpoint shards/.test(hit.clean));
  return told.find((from) => from !== undefined) ?? (printed && citeHit(printed));
}

const WHOLE: readonly (readonly [string, readonly string[]])[] = [
  ['--load-format', ['pt', 'npcache', 'bitsandbytes']],
  ['--safetensors-load-strategy', ['eager']],
  ['--quantization', ['bitsandbytes']],
];

// One file at a time in every rank: files of a checkpoint are of nearly one size, and the log counts them.
function stagedFile(evidence: Evidence): Cited<number> | undefined {
  const counted = evidence.weighing.all.find(
    ({ phrase, hit }) => phrase.id === 'phase.vllm-shards' && Number(hit.captures.all) > 0,
  );
  const files = counted && { value: Number(counted.hit.captures.all), from: citeHit(counted) };
  return citedNumber(computed([checkpoint(evidence), files], ratio));
}

/** Size of all files of weights: as published, before anything is quantised on load. */
function checkpoint({ args }: Evidence): Cited<number> | undefined {
  const model = modelArgument(args);
  const family = model && modelFamily(model.value);
  if (model === undefined || family === undefined) return namedWeights(args);
  const bytes = family.parametersBillions * 1e9 * bytesPerParameter(formatOf(model.value));
  return { value: Math.round(bytes), from: model.from };
}

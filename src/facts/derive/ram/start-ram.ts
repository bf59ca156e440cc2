import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { formatBytes, GIB } from '../../../model/quantity.ts';
import { citedNumber, computed, fact, type Group, ratio, uniqueProof } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { citeHit } from '../weigh/weigh.ts';
import { isAllNamed, namedFiles } from './named-files.ts';
import { ranksShown } from './offload-lines.ts';
import { processesOf } from './processes.ts';
import { RANKS } from './ranks.ts';
import { BY_FILE, readWhole } from './read-whole.ts';
import { CONVERTED, readBuffers, readConversion, readFronts, readUncounted, type StartPart } from './start-parts.ts';

/** The least that a Python process with a CUDA context keeps resident (host memory of the pod, 1 to 3 GiB). */
const LEAST_PROCESS = GIB;
/** Engines whose every rank is such a process. */
const PYTHON: ReadonlySet<string> = new Set(['vllm', 'sglang', 'tgi']);

/** What the start takes in host memory at the least, by processes, offloading and files read whole, against the room there is. */
export function deriveStartRam(evidence: Evidence, ram: Group): Group {
  const room = citedNumber(ram['ram.limit']) ?? citedNumber(evidence.node?.allocatableMemory);
  const ranks = rankCount(evidence);
  const whole = readWhole(evidence);
  const staged = whole && computed([stagedFile(evidence), ranks], (bytes, n) => bytes * n);
  const parts = partsOf(evidence, {
    staged: citedNumber(staged),
    offload: citedNumber(ram['ram.offload-bytes']),
    ranks,
  });
  const sizes = parts.map(({ bytes }) => bytes);
  const start = computed(sizes, (...all) => (all.length > 0 ? all.reduce((a, b) => a + b, 0) : undefined));
  const lasting = parts.flatMap(({ says, bytes }) => (OF_LOAD.has(says) ? [] : [bytes]));
  const kept = ram['ram.offload-bytes'] && computed(lasting, (...all) => all.reduce((a, b) => a + b, 0));
  const most = isAllNamed(evidence) ? computed([namedFiles(evidence), ranks], (bytes, n) => bytes * n) : undefined;
  const uncounted = readUncounted(evidence, parts);
  return {
    'ram.staging-bytes': staged,
    'ram.staging-most': whole && computed([namedFiles(evidence), ranks], (bytes, n) => bytes * n),
    ...mostOf(evidence, ram, citedNumber(most)),
    'ram.processes-share': processesShare(evidence, citedNumber(ram['ram.limit'])),
    'ram.load-most': most,
    'ram.start-bytes': start,
    'ram.kept-share': kept && computed([citedNumber(kept), room], ratio),
    'ram.start-share': start && computed([citedNumber(start), room], ratio),
    'ram.start-parts':
      parts.length < 2 ? undefined : fact(parts.map(inWords).join(', '), uniqueProof(sizes.map(({ from }) => from))),
    'ram.not-counted': fact(
      uncounted.map(({ value }) => value).join('; ') || undefined,
      uncounted.map(({ from }) => from),
    ),
  };
}

function processesShare(evidence: Evidence, limit: Cited<number> | undefined): Fact | undefined {
  const processes = processesOf(evidence);
  return processes && computed([limit], (bytes) => ratio(processes.bytes, bytes));
}

// The whole checkpoint in each rank, all that its processes may hold, and what is kept: known only where each of them is.
function mostOf(evidence: Evidence, ram: Group, load: Cited<number> | undefined): Group {
  const processes = processesOf(evidence);
  const kept = citedNumber(ram['ram.offload-bytes']);
  const isOpen = kept === undefined && ram['ram.offload-configured']?.kind === 'known';
  if (processes === undefined || !BY_FILE.has(evidence.engine.engine) || isOpen) return {};
  const most = load && load.value + processes.bytes + (kept?.value ?? 0);
  const limit = citedNumber(ram['ram.limit']);
  return {
    'ram.start-most': load && fact(most, [load.from]),
    'ram.start-fits': load && limit && fact(most !== undefined && most <= limit.value, [load.from, limit.from]),
  };
}

// What the load takes is given back after it.
const STAGED = 'files read whole';
const OF_LOAD: ReadonlySet<string> = new Set([STAGED, CONVERTED]);

type Known = Readonly<Record<'staged' | 'offload' | 'ranks', Cited<number> | undefined>>;

function partsOf(evidence: Evidence, { staged, offload, ranks }: Known): readonly StartPart[] {
  const { engine } = evidence;
  const isPython = PYTHON.has(engine.engine) && ranks !== undefined;
  const named = (says: string, bytes: Cited<number> | undefined) => (bytes === undefined ? undefined : { says, bytes });
  const buffers = readBuffers(evidence);
  // A cache in RAM of llama.cpp may be part of its buffers: the larger of the two is taken for sure.
  const kept =
    buffers !== undefined && offload !== undefined && offload.value < buffers.bytes.value ? undefined : offload;
  const parts = [
    isPython
      ? named(`${ranks.value} ${ranks.value === 1 ? 'rank' : 'ranks'}`, {
          ...ranks,
          value: ranks.value * LEAST_PROCESS,
        })
      : undefined,
    readFronts(evidence),
    named('what is kept in RAM', kept),
    kept === undefined ? buffers : undefined,
    named(STAGED, staged),
    named(CONVERTED, citedNumber(computed([namedFiles(evidence), readConversion(evidence)?.files], ratio))),
  ];
  return parts.filter((part) => part !== undefined);
}

function inWords({ says, bytes }: StartPart): string {
  return `${says} ${formatBytes(bytes.value)}`;
}

function rankCount(evidence: Evidence): Cited<number> | undefined {
  const { args, engine } = evidence;
  const ranked = args.find(({ flag }) => RANKS.test(flag)) ?? args[0];
  const from = ranked?.from ?? engine.milestones[0]?.from;
  return from && { value: ranksShown(evidence), from };
}

// One file at a time in every rank: files of a checkpoint are of nearly one size, and the log counts them.
function stagedFile(evidence: Evidence): Cited<number> | undefined {
  const counted = evidence.weighing.all.find(
    ({ phrase, hit }) => phrase.id === 'phase.vllm-shards' && Number(hit.captures.all) > 0,
  );
  const files = counted && { value: Number(counted.hit.captures.all), from: citeHit(counted) };
  return citedNumber(computed([namedFiles(evidence), files], ratio));
}

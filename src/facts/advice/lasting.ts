import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { largerSlice } from '../../model/gpu-table.ts';
import { modelFamily } from '../../model/model-table.ts';
import { RAM_HEADROOM, wholeLimit } from '../../model/safe-values.ts';
import { bytesPerParameter, formatOf, type WeightFormat } from '../../model/weight-format.ts';
import { effectiveArgument, modelArgument } from '../../read/engine/arguments.ts';
import { citedNumber, computed, fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { readSlice, type Slice } from '../gpu/slice.ts';
import { lastLine } from '../log/tail-lines.ts';
import { processesOf } from '../ram/processes.ts';

type Facts = Readonly<Record<string, Fact | undefined>>;
type Lookup = (id: string) => Cited<number> | undefined;

// The default fraction is 0.9, and an engine that is to serve wants a fifth of the card for KV cache and activations.
const WEIGHTS_SHARE = 0.7;
const MOST_RANKS = 16;
// What a limit that was reached is raised by, where nothing tells of more.
const RAISE = 1.5;
// What grows evenly has then used three quarters of its room, the same margin as 1.3 times.
const RESTART_SHARE = 0.75;

/** What would mend the failure for good, in figures: sums over facts that are known already, and the size of a known model. */
export function deriveLasting(evidence: Evidence, facts: Facts): Group {
  const of = (id: string): Cited<number> | undefined => citedNumber(facts[id]);
  return {
    ...ofWeights(evidence, of),
    ...ofLimit(evidence, facts, of),
    'lasting.restart-every': computed([of('death.uptime')], (seconds) => seconds * RESTART_SHARE),
  };
}

function ofWeights(evidence: Evidence, of: Lookup): Group {
  const model = modelArgument(evidence.args);
  const format = model && { value: formatOfModel(evidence, model.value), from: model.from };
  const ranks = of('engine.ranks') ?? (model && { value: 1, from: model.from });
  const printed = computed([of('engine.weights'), ranks], (each, n) => each * n);
  const total = citedNumber(printed ?? ofTable(model, format?.value));
  const slice = readSlice(evidence);
  const next = slice === undefined ? computed([total, ranks, of('gpu.total')], nextRanks) : undefined;
  return {
    'lasting.ranks': next,
    'lasting.more-gpu': moreGpu(evidence, slice, total?.value),
    'lasting.weights-per-gpu': computed([total, citedNumber(next)], (bytes, n) => bytes / n),
  };
}

// A process sees one slice, the slices of a card reach each other neither by PCIe nor by NVLink (NVIDIA MIG user guide,
// deployment considerations), and NCCL takes those of one card for one device (NVIDIA/nccl#1716).
function moreGpu(evidence: Evidence, slice: Slice | undefined, weights: number | undefined): Fact | undefined {
  const { weighing, log, spec } = evidence;
  const [asked] = spec.gpuCount.kind === 'known' ? spec.gpuCount.from : [];
  const from = slice?.from ?? asked ?? (weighing.decisive ? citeHit(weighing.decisive) : lastLine(log.main));
  if (from === undefined) return undefined;
  if (slice === undefined) return fact('more GPUs for each replica, or a larger card', [from]);
  const { profile } = slice;
  const fits = profile && weights !== undefined ? largerSlice(profile, weights / WEIGHTS_SHARE) : undefined;
  const isKnown = profile !== undefined && weights !== undefined;
  const larger = fits === undefined ? 'a larger MIG slice or ' : `a larger MIG slice (${fits.profile} or more) or `;
  return fact(`${isKnown && fits === undefined ? '' : larger}a whole GPU: several slices do not work as one`, [from]);
}

function nextRanks(weights: number, ranks: number, card: number): number | undefined {
  for (let n = 1; n <= MOST_RANKS; n *= 2) {
    if (n > ranks && weights / n <= WEIGHTS_SHARE * card) return n;
  }
  return undefined;
}

function formatOfModel({ args }: Evidence, model: string): WeightFormat {
  const quantization = effectiveArgument(args, '--quantization')?.value ?? null;
  return formatOf(model, { quantization, dtype: effectiveArgument(args, '--dtype')?.value ?? null });
}

function ofTable(model: Cited<string> | undefined, format: WeightFormat | undefined): Fact | undefined {
  const family = model && modelFamily(model.value);
  if (family === undefined || format === undefined) return undefined;
  return computed([model && { value: family.parametersBillions, from: model.from }], (billions) =>
    Math.round(billions * 1e9 * bytesPerParameter(format)),
  );
}

// Of 8 bit a model takes half of that.

// A path such as /workspace/weights hides the format; the name of a published model tells it, and what the engine printed
// must not be far less.

function ofLimit(evidence: Evidence, facts: Facts, of: Lookup): Group {
  const processes = processesOf(evidence);
  const least = processes?.bytes ?? 0;
  const lasting = computed([highestRam(facts, of)], (bytes) => {
    const limit = bytes * RAM_HEADROOM;
    // A kill in less than the processes take by themselves tells nothing of what would do.
    return limit < least ? undefined : limit;
  });
  const limit = of('ram.limit');
  const sums = [
    { says: 'half as much again', bytes: (limit?.value ?? 0) * RAISE },
    { says: `3 GiB for each of ${processes?.count} processes of the engine`, bytes: least },
    { says: '1.3 times what was seen or the start takes', bytes: citedNumber(lasting)?.value ?? 0 },
  ];
  const [most] = sums.toSorted((a, b) => b.bytes - a.bytes);
  const raised = limit && most && fact(wholeLimit(most.bytes), [limit.from]);
  return {
    'lasting.ram-limit': lasting,
    'ram.limit-raised': raised,
    'ram.limit-raised-fits': fitsNode(citedNumber(raised), evidence),
  };
}

function fitsNode(raised: Cited<number> | undefined, { node }: Evidence): Fact | undefined {
  const whole = citedNumber(node?.allocatableMemory);
  return raised && whole && fact(raised.value <= whole.value, [raised.from, whole.from]);
}

// At a kill by the limit the use was the limit, whatever the last reading before it says.
function highestRam(facts: Facts, of: Lookup): Cited<number> | undefined {
  const killed = facts['death.oom-killed'];
  const atKill = killed?.kind === 'known' && killed.value === true ? of('ram.limit') : undefined;
  const seen = [of('ram.peak'), of('ram.used'), of('ram.offload-bytes'), atKill].filter((one) => one !== undefined);
  return seen.toSorted((a, b) => b.value - a.value)[0];
}

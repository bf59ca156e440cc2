import type { Fact } from '../../model/fact.ts';
import { largerSlice } from '../../model/gpu-table.ts';
import { modelFamily } from '../../model/model-table.ts';
import { bytesPerParameter, formatOf } from '../../model/weight-format.ts';
import { effectiveArgument, modelArgument } from '../../read/engine/arguments.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { readSlice, type Slice } from '../evidence/mig-slice.ts';
import { citeHit } from '../evidence/weigh.ts';
import { citedNumber, computed, fact, factOf } from '../log/draft.ts';
import { SERIES } from '../log/needs.ts';
import { lastLine } from '../log/tail-lines.ts';
import { ramToLast } from '../ram/raised-limit.ts';

const WEIGHTS = 'the weights as the engine prints them, or a model whose size is known, and its ranks';
// The default fraction is 0.9, and an engine that is to serve wants a fifth of the GPU for KV cache and activations.
const WEIGHTS_SHARE = 0.7;
const MOST_RANKS = 16;
// What grows evenly has then used three quarters of its room, the same margin as 1.3 times.
const RESTART_SHARE = 0.75;

/** What would fix the failure for good: sums over facts that are known already, and the size of a known model. */
export const LASTING = defineFacts(
  {
    'lasting.ranks': {
      unit: 'count',
      says: 'the next power of two of GPUs on which the weights take at most 70% of each; not known on a MIG slice',
      needs: `${WEIGHTS}, and the memory of the GPU`,
    },
    'lasting.more-gpu': {
      unit: 'text',
      says: 'what gives the engine more GPU memory: more GPUs or a larger one, and on a MIG slice a larger slice or a whole GPU',
      needs: 'a log, or a container that asks for a GPU',
    },
    'lasting.weights-per-gpu': { unit: 'bytes', says: 'weights on each of that many GPUs', needs: WEIGHTS },
    'lasting.ram-limit': {
      unit: 'bytes',
      says: '1.3 times the highest RAM use; unknown if the kill came before the processes of the engine could have 3 GiB each',
      needs: `${SERIES}, or a kill at the limit`,
    },
    'lasting.restart-every': {
      unit: 'duration',
      says: 'three quarters of the age at which the process died',
      needs: 'the age of the process at the failure (pod status)',
    },
  },
  (evidence, told) => {
    const of = (id: string) => citedNumber(told[id]);
    const model = modelArgument(evidence.args);
    const ranks = of('engine.ranks') ?? (model && { value: 1, from: model.from });
    const total = citedNumber(computed([of('engine.weights'), ranks], (each, n) => each * n) ?? ofTable(evidence));
    const slice = readSlice(evidence);
    const next = slice === undefined ? computed([total, ranks, of('gpu.total')], nextRanks) : undefined;
    return {
      'lasting.ranks': next,
      'lasting.more-gpu': moreGpu(evidence, slice, total?.value),
      'lasting.weights-per-gpu': computed([total, citedNumber(next)], (bytes, n) => bytes / n),
      'lasting.ram-limit': factOf(ramToLast(evidence, told)),
      'lasting.restart-every': computed([of('death.uptime')], (seconds) => seconds * RESTART_SHARE),
    };
  },
);

// A process sees one slice, the slices of a GPU reach each other neither by PCIe nor by NVLink (NVIDIA MIG user guide,
// deployment considerations), and NCCL takes those of one GPU for one device (NVIDIA/nccl#1716).
function moreGpu(evidence: Evidence, slice: Slice | undefined, weights: number | undefined): Fact | undefined {
  const { weighing, log, spec } = evidence;
  const [asked] = spec.gpuCount.kind === 'known' ? spec.gpuCount.from : [];
  const from = slice?.from ?? asked ?? (weighing.decisive ? citeHit(weighing.decisive) : lastLine(log.main));
  if (from === undefined) return undefined;
  if (slice === undefined) return fact('more GPUs for each replica, or a larger GPU', [from]);
  const { profile } = slice;
  const fits = profile && weights !== undefined ? largerSlice(profile, weights / WEIGHTS_SHARE) : undefined;
  const isKnown = profile !== undefined && weights !== undefined;
  const larger = fits === undefined ? 'a larger MIG slice or ' : `a larger MIG slice (${fits.profile} or more) or `;
  return fact(`${isKnown && fits === undefined ? '' : larger}a whole GPU: several slices do not work as one`, [from]);
}

function nextRanks(weights: number, ranks: number, gpu: number): number | undefined {
  for (let n = 1; n <= MOST_RANKS; n *= 2) {
    if (n > ranks && weights / n <= WEIGHTS_SHARE * gpu) return n;
  }
  return undefined;
}

function ofTable({ args }: Evidence): Fact | undefined {
  const model = modelArgument(args);
  const family = model && modelFamily(model.value);
  if (model === undefined || family === undefined) return undefined;
  const told = (flag: string) => effectiveArgument(args, flag)?.value ?? null;
  const format = formatOf(model.value, { quantization: told('--quantization'), dtype: told('--dtype') });
  return fact(Math.round(family.parametersBillions * 1e9 * bytesPerParameter(format)), [model.from]);
}

import type { Facts } from '../../model/fact.ts';
import type { Block, Mark } from '../../model/message.ts';
import { formatBytes } from '../../model/quantity.ts';
import type { Plane } from '../../model/taxonomy.ts';
import { knownNumber, knownValue } from '../report-input.ts';

// The figures of an OOM line have two decimals, so sums of them are off by some tens of MiB.
const NOISE_BYTES = 256 * 2 ** 20;

type Side = { readonly mark: Mark; readonly lines: string[] };

/** RAM and GPU memory side by side: both are always there, also where one is not known. */
export function memoriesBlock(facts: Facts, plane: Plane): Block {
  return { kind: 'memories', ram: ramSide(facts, plane), gpu: gpuSide(facts, plane) };
}

function ramSide(facts: Facts, plane: Plane): Side {
  const limit = knownNumber(facts, 'ram.limit');
  const used = knownNumber(facts, 'ram.used') ?? knownNumber(facts, 'ram.peak');
  const killed = knownValue(facts, 'death.oom-killed');
  const lines = [
    usage(used, limit, 'limit') ??
      `use not known${limit === undefined ? '' : ` (limit ${formatBytes(limit)})`}: ${whyUnknown(facts, 'ram.used')}`,
    ...(killed === true
      ? ['a container was OOMKilled']
      : killed === false
        ? ['not OOMKilled']
        : ['OOMKilled or not: not known']),
    ...(knownValue(facts, 'ram.limit-equals-request') === true ? ['limit equals request'] : []),
    ...ramKilledBesideFreeGpu(facts, killed),
  ];
  return { mark: markOf(plane === 'host' || plane === 'both', used !== undefined || killed !== undefined), lines };
}

// A sentence that ends the oldest misunderstanding about these incidents.
function ramKilledBesideFreeGpu(facts: Facts, killed: unknown): string[] {
  const share = knownNumber(facts, 'gpu.used-share');
  if (killed !== true || share === undefined || share > 0.8) return [];
  return [`${percent(1 - share)} of GPU memory was free and the container was still OOMKilled`];
}

function gpuSide(facts: Facts, plane: Plane): Side {
  const total = knownNumber(facts, 'gpu.total');
  const used = knownNumber(facts, 'gpu.used');
  const want = knownNumber(facts, 'gpu.want');
  const free = knownNumber(facts, 'gpu.free');
  const foreign = knownNumber(facts, 'gpu.foreign');
  const share = knownNumber(facts, 'gpu.used-share');
  const busy = knownNumber(facts, 'gpu.busy-share');
  const lines = [
    ...(want === undefined
      ? []
      : [
          `wanted ${formatBytes(want)}${free === undefined ? '' : `, ${formatBytes(free)} free`}${total === undefined ? '' : ` of ${formatBytes(total)}`}`,
        ]),
    usage(used, total, 'total') ??
      (want === undefined
        ? `use not known${total === undefined ? '' : ` (${formatBytes(total)} in all)`}: ${whyUnknown(facts, 'gpu.used')}`
        : undefined),
    ...(foreign !== undefined && foreign > NOISE_BYTES ? [`${formatBytes(foreign)} held by other processes`] : []),
    ...(busy !== undefined && share !== undefined ? [`GPU busy ${percent(busy)}, memory ${percent(share)}`] : []),
  ].filter((line) => line !== undefined);
  const seen = want !== undefined || used !== undefined || knownValue(facts, 'gpu.oom-logged') !== undefined;
  return { mark: markOf(plane === 'gpu' || plane === 'both', seen), lines };
}

function usage(used: number | undefined, of: number | undefined, name: string): string | undefined {
  if (used === undefined) return undefined;
  if (of === undefined || of <= 0) return `used ${formatBytes(used)}, ${name} not known`;
  return `used ${formatBytes(used)} of ${formatBytes(of)} (${percent(used / of)})`;
}

function whyUnknown(facts: Facts, id: string): string {
  const fact = facts.get(id);
  if (fact?.kind !== 'unknown' || fact.reason === 'not-in-snapshot') return 'no metrics in the evidence';
  return fact.detail === '' ? fact.reason.replaceAll('-', ' ') : fact.detail.slice(0, 120);
}

function markOf(failed: boolean, seen: boolean): Mark {
  if (failed) return 'bad';
  return seen ? 'ok' : 'unknown';
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

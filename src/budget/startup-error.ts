import type { Interval } from '../model/budget.ts';
import { isWithin, readVersion } from '../model/flag-table.ts';
import type { StartupError } from '../model/knobs-file.ts';
import type { MeasuredStart } from '../model/measured-start.ts';
import { GIB } from '../model/quantity.ts';
import { tablesInForce } from '../model/reference-tables.ts';
import type { Figures } from './figures.ts';

export type DeviceClass = 'discrete' | 'unified' | 'amd' | 'intel';

const UNIFIED = /GB10|DGX[ -]?Spark|Jetson|Orin|\bThor\b|unified/i;
const AMD = /\bMI\d{2,3}|Instinct|Radeon|\bAMD\b|ROCm|gfx\d|Strix|Ryzen/i;
const INTEL = /\bArc\b|\bXPU\b|Intel|Ascend|Gaudi/i;
// Memory that CUDA reports on machines with 128 GB for CPU and GPU together; no discrete GPU has as much.
const UNIFIED_BYTES = [117 * GIB, 124 * GIB] as const;

/** Whose estimates err alike: the kind of device. */
export function deviceClassOf(product: string | undefined, totalBytes: number | undefined): DeviceClass {
  if (product !== undefined && AMD.test(product)) return 'amd';
  if (product !== undefined && INTEL.test(product)) return 'intel';
  const isShared = totalBytes !== undefined && totalBytes >= UNIFIED_BYTES[0] && totalBytes <= UNIFIED_BYTES[1];
  return isShared || (product !== undefined && UNIFIED.test(product)) ? 'unified' : 'discrete';
}

type Estimated = {
  readonly engine: string;
  readonly version: string | undefined;
  readonly product?: string | undefined;
  readonly figures: Figures;
};

/** How far the estimate of a pool may be off, in bytes to be added to it: from 5% to 95% of the starts like this one; undefined where there are none. */
export function errorOf(of: Estimated): Interval | undefined {
  const { engine, figures } = of;
  const row = (tablesInForce().knobs[engine]?.startupErrors ?? []).find((one) => isLike(one, of));
  // Errors are estimate minus printed figure.
  const general = row && { low: -row.gib[1] * GIB, high: -row.gib[0] * GIB, records: row.records };
  return errorHere(startsLike(of, figures.ownStarts ?? []), general) ?? general;
}

// Those of the same model on the same GPU, else of the same release on it.
function startsLike(of: Estimated, starts: readonly MeasuredStart[]): readonly MeasuredStart[] {
  const { engine, version, product, figures } = of;
  const onGpu = starts.filter((start) => start.product !== null && start.product === product);
  const ofModel = onGpu.filter(({ model }) => model !== null && model === figures.model);
  if (ofModel.length > 0) return ofModel;
  const release = (text: string | null | undefined) =>
    readVersion(engine, text ?? undefined)
      ?.split('.', 2)
      .join('.');
  return onGpu.filter((start) => release(start.version) !== undefined && release(start.version) === release(version));
}

// Half of what the estimate may be off where nobody has measured it, and the least that starts of one kind differ by.
const UNMEASURED_BYTES = 4 * GIB;
const LEAST_BYTES = 0.1 * GIB;

// The more starts there are, the more their mean counts and the narrower the interval is.
function errorHere(starts: readonly MeasuredStart[], general: Interval | undefined): Interval | undefined {
  const count = starts.length;
  if (count === 0) return undefined;
  const { low, high } = general ?? { low: -UNMEASURED_BYTES, high: UNMEASURED_BYTES };
  const mean = starts.reduce((sum, { errorBytes }) => sum + errorBytes, 0) / count;
  const middle = (-mean * count + (low + high) / 2) / (count + 1);
  const half = Math.max(LEAST_BYTES, (high - low) / 2 / Math.sqrt(count + 1));
  return { low: middle - half, high: middle + half, records: count, middle };
}

function isLike(row: StartupError, { engine, version, product, figures }: Estimated): boolean {
  const release = readVersion(engine, version);
  const device = deviceClassOf(product, figures.totalBytes);
  const weights = figures.weightsBytes === undefined ? 'estimated' : 'printed';
  return (
    (row.device ?? device) === device &&
    (row.weights ?? weights) === weights &&
    (row.from === undefined || release === undefined || isWithin(release, { since: row.from, until: null })) &&
    (row.below === undefined || (release !== undefined && !isWithin(release, { since: row.below, until: null })))
  );
}

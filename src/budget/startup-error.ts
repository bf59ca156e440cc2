import type { Interval } from '../model/budget.ts';
import { isWithin, readVersion } from '../model/flag-table.ts';
import type { StartupError } from '../model/knobs-file.ts';
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
  if (figures.ownErrors !== undefined) return figures.ownErrors;
  const row = (tablesInForce().knobs[engine]?.startupErrors ?? []).find((one) => isLike(one, of));
  // Errors are estimate minus printed figure.
  return row && { low: -row.gib[1] * GIB, high: -row.gib[0] * GIB, records: row.records };
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

import type { Cited } from '../../model/engine-reader.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import { parseSize } from '../../model/quantity.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { citeHit } from './figures.ts';
import type { MemoryAccount } from './memory-account.ts';

/** torch.cuda.memory_summary(): what one process has of one device, and how often memory ran out there. */
type TorchAccount = {
  readonly device: number;
  readonly allocated?: Cited<number>;
  readonly reserved?: Cited<number>;
  readonly nonReleasable?: Cited<number>;
  readonly ooms?: Cited<number>;
};

const ROWS: Readonly<Record<string, 'allocated' | 'reserved' | 'nonReleasable'>> = {
  'Allocated memory': 'allocated',
  'GPU reserved memory': 'reserved',
  'Non-releasable memory': 'nonReleasable',
};

type Draft = { -readonly [K in keyof TorchAccount]: TorchAccount[K] };

/** The summaries in a log or a text file; of one process and device the last. */
function readSummaries({ file, hits }: LogReading): readonly TorchAccount[] {
  const done = new Map<string, Draft>();
  const open = new Map<string | undefined, Draft>();
  for (const hit of hits.filter(({ signature }) => hasRole(signature, 'memory-summary'))) {
    const { device } = hit.captures;
    if (device !== undefined) {
      const draft: Draft = { device: Number(device) };
      open.set(hit.process, draft).set(undefined, draft);
      done.set(`${hit.process} ${device}`, draft);
    }
    // The table is one message of several lines: often the first alone bears the process.
    const draft = open.get(hit.process);
    if (draft !== undefined) takeLine(draft, hit, file);
  }
  return [...done.values()];
}

function takeLine(draft: Draft, hit: Hit, file: string): void {
  const { ooms, row = '', now } = hit.captures;
  const from = citeHit({ hit, file });
  if (ooms !== undefined) draft.ooms = { value: Number(ooms), from };
  const field = ROWS[row];
  const value = now === undefined ? undefined : parseSize(now);
  if (field !== undefined && value !== undefined) draft[field] = { value, from };
}

const NOTHING: MemoryAccount = {
  gpu: undefined,
  want: undefined,
  total: undefined,
  free: undefined,
  allocated: undefined,
  reservedUnallocated: undefined,
  privatePools: undefined,
  ranks: undefined,
  allowed: undefined,
  unmanaged: undefined,
  foreign: undefined,
};

/**
 * The account of an OOM line, with what torch's memory summary tells where the line was cut: the first of `readings` that
 * holds one of the device. A line that has its own figures needs none. What is reserved and idle is given back before memory
 * is refused, so only what cannot be released counts as slack.
 */
export function withSummary(
  account: MemoryAccount | undefined,
  readings: readonly LogReading[],
): MemoryAccount | undefined {
  if (account?.allocated !== undefined) return account;
  const summary = summaryFor(account, readings);
  if (summary === undefined) return account;
  const known = account ?? NOTHING;
  const { allocated, reserved, nonReleasable } = summary;
  const { total, free } = known;
  const outside = total &&
    free &&
    reserved && { value: Math.max(0, total.value - free.value - reserved.value), from: reserved.from };
  return { ...known, allocated, reservedUnallocated: nonReleasable, unmanaged: known.unmanaged ?? outside };
}

// A summary in which memory never ran out is that of another process, and so is one of another device.
function summaryFor(account: MemoryAccount | undefined, readings: readonly LogReading[]): TorchAccount | undefined {
  const device = account?.gpu?.value;
  for (const reading of readings) {
    const could = readSummaries(reading).filter(
      (one) => bytesOf(one) > 0 && (one.ooms?.value ?? 0) > 0 && (device === undefined || one.device === device),
    );
    const fullest = could.toSorted((a, b) => bytesOf(b) - bytesOf(a))[0];
    if (fullest !== undefined) return fullest;
  }
  return undefined;
}

function bytesOf({ allocated }: TorchAccount): number {
  return allocated?.value ?? 0;
}

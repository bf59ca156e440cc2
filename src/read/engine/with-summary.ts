import type { LogReading } from '../../model/log-reading.ts';
import type { MemoryAccount } from './memory-account.ts';
import { readSummaries, type TorchAccount } from './memory-summary.ts';

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
 * is refused, so only what can not be released counts as slack.
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

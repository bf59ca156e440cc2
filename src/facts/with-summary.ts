import type { MemoryAccount } from './memory-account.ts';
import type { TorchAccount } from './text/memory-summary.ts';

const NOTHING: MemoryAccount = {
  gpu: undefined,
  at: undefined,
  want: undefined,
  total: undefined,
  free: undefined,
  allocated: undefined,
  reservedUnallocated: undefined,
  privatePools: undefined,
  ownProcess: undefined,
  others: [],
  ranks: undefined,
  forked: undefined,
  allowed: undefined,
  unmanaged: undefined,
  foreign: undefined,
};

/**
 * The account of an OOM line, with what torch's memory summary tells where the line was cut. A summary in which memory
 * never ran out is that of another process, and a line that has its own figures needs none. What is reserved and idle
 * is given back before memory is refused, so only what can not be released counts as slack.
 */
export function withSummary(
  account: MemoryAccount | undefined,
  summary: TorchAccount | undefined,
): MemoryAccount | undefined {
  if (account?.allocated !== undefined || summary?.allocated === undefined || (summary.ooms?.value ?? 0) === 0) {
    return account;
  }
  const known = account ?? NOTHING;
  const { allocated, reserved, nonReleasable } = summary;
  const { total, free } = known;
  const outside = total &&
    free &&
    reserved && { value: Math.max(0, total.value - free.value - reserved.value), from: reserved.from };
  return { ...known, allocated, reservedUnallocated: nonReleasable, unmanaged: known.unmanaged ?? outside };
}

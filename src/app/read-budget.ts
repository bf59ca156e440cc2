import type { ReadBudget } from './ports.ts';

export type ReadLimits = {
  readonly calls: number;
  readonly logCalls: number;
  readonly bytes: number;
  /** Bytes allowed once HEAD and CRASH held no signature and the whole log is read. */
  readonly deepBytes: number;
};

/** Budgets of DESIGN.md section 9. */
export const DEFAULT_LIMITS: ReadLimits = { calls: 24, logCalls: 6, bytes: 9_000_000, deepBytes: 64 * 1024 * 1024 };

/** Counts what one triage spends. A log call counts as a call too. `onTake` is called for each that it allows. */
export function createReadBudget(
  limits: ReadLimits = DEFAULT_LIMITS,
  onTake: (kind: 'call' | 'log') => void = () => {},
): ReadBudget {
  let calls = 0;
  let logCalls = 0;
  let bytes = 0;
  let allowed = limits.bytes;
  return {
    take(kind) {
      if (calls >= limits.calls || (kind === 'log' && logCalls >= limits.logCalls)) return false;
      calls += 1;
      if (kind === 'log') logCalls += 1;
      onTake(kind);
      return true;
    },
    addBytes(count) {
      bytes += count;
    },
    get bytesLeft() {
      return Math.max(0, allowed - bytes);
    },
    allowDeepScan() {
      allowed = Math.max(allowed, limits.deepBytes);
    },
    cost: () => ({ calls, logCalls, bytes }),
  };
}

import type { ProgressStep, ReadContext } from '../../src/app/ports.ts';
import { createReadBudget, DEFAULT_LIMITS, type ReadLimits } from '../../src/app/read-budget.ts';

type ProgressEntry = {
  readonly step: ProgressStep;
  readonly status: string;
  readonly detail: string | undefined;
};
type FakeReadContext = ReadContext & { readonly progressed: readonly ProgressEntry[] };

/** A context with the usual budget that notes its progress. */
export function aReadContext(over: Partial<ReadContext> & { limits?: Partial<ReadLimits> } = {}): FakeReadContext {
  const { limits, ...rest } = over;
  const progressed: ProgressEntry[] = [];
  return {
    signal: new AbortController().signal,
    budget: createReadBudget({ ...DEFAULT_LIMITS, ...limits }),
    agent: 'oombot/test (by U_ONCALL)',
    progress: (step, status, detail) => progressed.push({ step, status, detail }),
    progressed,
    ...rest,
  };
}

import { createHash } from 'node:crypto';
import type { PlanDraft } from './plan-input.ts';

/** Over all that would be done and shown: a click that carries another hash was meant for another plan. */
export function hashPlan(draft: PlanDraft): string {
  return createHash('sha256').update(stable(draft)).digest('hex').slice(0, 32);
}

// Keys in order, so that the same plan has the same hash wherever it was read back from.
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${stable(one)}`).join(',')}}`;
}

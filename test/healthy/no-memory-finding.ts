import fc from 'fast-check';
import { expect } from 'vitest';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_SIGNATURES, judge } from '../playbooks/shipped.ts';
import { aHealthySnapshot, type HealthySnapshot } from './healthy-snapshot.ts';

const SEED = 7109;
const MEMORY = ['host', 'gpu', 'both'];

export function someHealthy(count: number): HealthySnapshot[] {
  return fc.sample(aHealthySnapshot, { numRuns: count, seed: SEED });
}

/** What a healthy snapshot was taken for, where that is memory or would change the engine; undefined where all is well. */
export async function alarmOf(healthy: HealthySnapshot): Promise<string | undefined> {
  const { diagnosis } = await diagnoseSource(aSnapshot(healthy.files), { signatures: COMPILED_SIGNATURES, judge });
  const { plane, finding, remedies } = diagnosis.verdict;
  const acts = remedies.filter(({ action, edits }) => action !== 'advise' || edits.length > 0);
  if (!MEMORY.includes(plane) && acts.length === 0) return undefined;
  return `${healthy.engine} ${healthy.version}, ${healthy.phase}: ${finding} (${plane})`;
}

/** `count` engines that are well, of which none is taken for a memory failure. */
export async function healthyStaysHealthy(count: number): Promise<void> {
  const alarms: string[] = [];
  for (const healthy of someHealthy(count)) {
    const alarm = await alarmOf(healthy);
    if (alarm !== undefined) alarms.push(alarm);
  }
  expect(alarms).toEqual([]);
}

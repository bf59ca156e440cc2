import { expect, it } from 'vitest';
import { recordFinding } from '../../../src/app/triage/record-finding.ts';
import type { Facts } from '../../../src/model/fact.ts';
import { aPod } from '../../../src/standins/api-server/objects/builders.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { createMemoryStore } from '../../fakes/memory-store.ts';
import { exampleCapture, exampleDiagnosis } from '../../model/examples.ts';
import { aFacts } from '../../report/inputs.ts';
import { aTarget } from './triage-harness.ts';

type Look = {
  readonly uid?: string;
  readonly container?: string;
  /** When the last instance ended. */
  readonly finishedAt?: string;
  readonly restarts?: number;
  readonly facts?: Facts;
};

let made = 0;

/** How often the incident counts as seen after these looks. */
async function seenAfter(looks: readonly Look[]): Promise<number | undefined> {
  const store = createMemoryStore();
  for (const { uid = 'uid-1', container = 'vllm', finishedAt, restarts = 0, facts = aFacts({}) } of looks) {
    made += 1;
    const pod = aPod({});
    const lastState = finishedAt === undefined ? {} : { lastState: { terminated: { exitCode: 1, finishedAt } } };
    const status = { containerStatuses: [{ name: container, restartCount: restarts, ...lastState }] };
    const capture = { ...exampleCapture, container };
    await recordFinding(
      { store, clock: createFakeClock(), windowMs: 60_000 },
      {
        target: aTarget({ uid }),
        snapshot: { id: `snap_${made}`, files: { 'pod.json': JSON.stringify({ ...pod, status }) } },
        finding: { diagnosis: exampleDiagnosis, facts, capture, series: undefined },
        actor: 'U_ONCALL',
      },
    );
  }
  return (await store.openIncidents())[0]?.seen;
}

const diedAt = (at: number): Facts => aFacts({ 'gpu.oom-at': at });

it.each<[string, readonly Look[], number]>([
  ['by the instance that ended', [{ finishedAt: '03:00' }, { finishedAt: '03:00', restarts: 1 }], 1],
  ['and the next instance is another', [{ finishedAt: '03:00' }, { finishedAt: '03:05' }], 2],
  ['and another pod is another', [{ finishedAt: '03:00' }, { finishedAt: '03:00', uid: 'uid-2' }], 2],
  ['and another container is another', [{ finishedAt: '03:00' }, { finishedAt: '03:00', container: 'b' }], 2],
  ['by the pod where nothing ended', [{}, {}, { restarts: 1 }], 2],
  ['by the time in the log of a dead engine that runs on', [{ facts: diedAt(5) }, { facts: diedAt(5) }], 1],
  ['also after it was restarted', [{ facts: diedAt(5) }, { facts: diedAt(5), finishedAt: '03:00', restarts: 1 }], 1],
  ['and a second failure of one instance is another', [{ facts: diedAt(5) }, { facts: diedAt(9) }], 2],
])('looks at a death count once: %s', async (_what, looks, seen) => {
  expect(await seenAfter(looks)).toBe(seen);
});

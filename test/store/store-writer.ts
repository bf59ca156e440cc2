import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { exampleDiagnosis, exampleIncident } from '../model/examples.ts';

// Records findings without an end and prints the id of each that the store has acknowledged.
const [path = ''] = process.argv.slice(2);
const store = await createSqliteStore({ path, clock: createSystemClock(), ids: createSystemIds() });
const { key, cluster, namespace, pod, workload } = exampleIncident;
for (let i = 0; ; i += 1) {
  const id = `snap_${process.pid}_${i}`;
  const { findingId, incident } = await store.recordFinding({
    draft: { key: `${key}${i % 5}`, cluster, namespace, pod, workload, verdict: exampleDiagnosis.verdict },
    snapshot: { id, files: { 'previous.log': `${id}\n`.repeat(200) } },
    diagnosis: exampleDiagnosis,
    actor: 'U_ONCALL',
    at: Date.now(),
    windowMs: 3_600_000,
  });
  process.stdout.write(`${JSON.stringify({ findingId, incidentId: incident.id, snapshotId: id })}\n`);
}

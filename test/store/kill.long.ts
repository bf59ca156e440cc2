import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { verifyAudit } from '../../src/store/database/audit-chain.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Acknowledged = { readonly findingId: string; readonly incidentId: string; readonly snapshotId: string };

// Kills after so many acknowledged writes, at whatever the child does just then.
async function writeAndKill(path: string, count: number): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'store-writer.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: Acknowledged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(JSON.parse(line));
    if (acknowledged.length === count) child.kill('SIGKILL');
  }
  return acknowledged;
}

it('a store that is killed at any moment keeps all that it has acknowledged', async () => {
  const path = join(folder, 'oom.db');
  const acknowledged: Acknowledged[] = [];
  for (const count of [1, 2, 7, 13, 20, 31, 40, 5]) acknowledged.push(...(await writeAndKill(path, count)));

  const store = await createSqliteStore({ path, clock: createSystemClock(), ids: createSystemIds() });
  const open = await store.openIncidents();
  const findings = (await Promise.all(open.map(({ id }) => store.findings(id)))).flat();

  expect(acknowledged.length).toBeGreaterThanOrEqual(119);
  expect(open).toHaveLength(5);
  expect(acknowledged.filter(({ findingId }) => !findings.some(({ id }) => id === findingId))).toEqual([]);
  for (const { id, seen } of open) expect((await store.findings(id)).length).toBe(seen);
  for (const { snapshotId } of findings) {
    expect((await store.snapshot(snapshotId))?.files['previous.log']).toBe(`${snapshotId}\n`.repeat(200));
  }
  expect(await verifyAudit(store)).toMatchObject({ kind: 'intact', rows: findings.length });
  await store.close();
});

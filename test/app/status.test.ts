import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readStatus } from '../../src/app/status.ts';
import type { Actor, Rights } from '../../src/model/authorise.ts';
import { Incident } from '../../src/model/incident.ts';
import { statusMessage } from '../../src/report/status.ts';
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';

const VIEWER: Actor = { place: 'slack', user: 'U_ONCALL', groups: [], channel: '', externallyShared: false };
const RIGHTS: Rights = { channels: {}, defaultChannel: { clusters: ['*'], namespaces: ['llm'] }, act: [] };

/** As many open incidents; every fifth is in a namespace that the viewer may not read. The higher the number, the later seen. */
async function withIncidents(count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'oom-status-'));
  const store = await createSqliteStore({
    path: join(folder, 'oom.db'),
    clock: createFakeClock(),
    ids: createFakeIds(),
  });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const raw = new DatabaseSync(join(folder, 'oom.db'));
  raw.exec(`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})
    insert into incident (id, "key", cluster, namespace, pod, workload, plane, phase, cause, certain, cause_certain,
      state, seen, opened_at, last_seen_at)
    select 'inc_' || i, i, 'prod', iif(i % 5 = 0, 'other', 'llm'), 'vllm-' || i, 'Pod/vllm-' || i, 'gpu', 'startup',
      'gpu.startup.graph-capture', 1, 1, 'open', 1, ${START}, ${START} + i from n`);
  raw.close();
  const read = (rest: string) => readStatus({ store, acts: store, rights: RIGHTS }, VIEWER, { rest });
  const parsed = vi.spyOn(Incident, 'safeParse');
  onTestFinished(() => parsed.mockRestore());
  return { read, parsed };
}

it('of 5,000 open incidents one page is read, and all that may be seen are counted', async () => {
  const { read, parsed } = await withIncidents(5_000);

  const status = await read('');

  expect(parsed.mock.calls.length).toBe(10);
  expect(status).toMatchObject({ open: 4_000, page: 1, pages: 400 });
  expect(status.incidents.map(({ id }) => id).slice(0, 5)).toEqual(
    [4999, 4998, 4997, 4996, 4994].map((n) => `inc_${n}`),
  );
});

it.each([
  ['', 1, 10, ['2', '1']],
  ['2', 2, 10, ['1', '3', '2']],
  ['3', 3, 2, ['2', '3']],
  ['9', 3, 2, ['2', '3']],
  ['0', 1, 10, ['2', '1']],
  ['1e3', 1, 10, ['2', '1']],
  ['what', 1, 10, ['2', '1']],
])(
  'page %j of three is page %i, with buttons to those next to it and to refresh',
  async (rest, page, shown, others) => {
    const { read } = await withIncidents(28);

    const status = await read(rest);

    expect(status).toMatchObject({ page, open: 22 });
    expect(status.incidents).toHaveLength(shown);
    const { choices } = statusMessage(status, START, '/oom', { clickable: true });
    expect(choices?.map(({ asks, value }) => [asks, value])).toEqual([
      ...others.map((value) => ['status', value]),
      ['handover', 'shift'],
    ]);
  },
);

it('a single page can be refreshed where a message can be redrawn', async () => {
  const { read } = await withIncidents(10);
  const status = await read('');

  const choicesOf = (clickable: boolean) => statusMessage(status, START, '/oom', { clickable }).choices;

  expect(choicesOf(true)).toMatchObject([{ asks: 'status', label: 'Refresh' }, { asks: 'handover' }]);
  expect(choicesOf(false)).toEqual([]);
});

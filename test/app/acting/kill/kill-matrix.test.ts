import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { idOf, type KillCase, killOnce, wanted } from './kill-case.ts';
import { DEPLOYMENT, WORKSPACE } from './kill-kinds.ts';
import { openKillLab } from './kill-lab.ts';

// All kill points, on SQLite and PostgreSQL, stand in kill-matrix.long.ts.
it('a bot that is killed around a write leaves nothing undone and does nothing twice', {
  timeout: 60_000,
}, async () => {
  const cases: readonly KillCase[] = [
    { kind: DEPLOYMENT, way: 'forward', effect: 3, when: 'before' },
    { kind: DEPLOYMENT, way: 'forward', effect: 1, when: 'after' },
    { kind: WORKSPACE, way: 'forward', effect: 2, when: 'after' },
  ];
  const lab = await openKillLab();
  onTestFinished(() => lab.close());

  const outcomes = await Promise.all(
    cases.map((one) => killOnce(lab, one, { store: `sqlite:${join(lab.folder, `${idOf(one)}.db`)}` })),
  );

  expect(outcomes).toEqual(cases.map((one) => ({ ...wanted(one), absorbed: expect.any(Number) })));
});

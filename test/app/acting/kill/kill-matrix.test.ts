import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { killOnce, nameOf, wanted } from './kill-case.ts';
import { openKillLab } from './kill-lab.ts';

// All kill points, on SQLite and PostgreSQL, stand in kill-matrix.long.ts.
it('a bot that is killed around a write leaves nothing undone and does nothing twice', {
  timeout: 60_000,
}, async () => {
  const cases = [
    { way: 'forward', effect: 3, when: 'before' },
    { way: 'forward', effect: 1, when: 'after' },
  ] as const;
  const lab = await openKillLab(cases.map(nameOf));
  onTestFinished(() => lab.close());

  const outcomes = await Promise.all(
    cases.map((one) => killOnce(lab, { ...one, store: `sqlite:${join(lab.folder, `${nameOf(one)}.db`)}` })),
  );

  expect(outcomes).toEqual(cases.map((one) => ({ ...wanted(one), absorbed: expect.any(Number) })));
});

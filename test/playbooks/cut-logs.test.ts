import { expect, it } from 'vitest';
import { endsOf, falselyCertain } from './cut-logs.ts';
import { INCIDENTS } from './shipped.ts';

it('a log that is cut makes nothing certain that the whole does not', async () => {
  const found: string[] = [];
  for (const name of INCIDENTS.filter((_, i) => i % 4 === 0)) {
    found.push(...(await falselyCertain(name, (lines) => endsOf(lines, 3))));
  }

  expect(found).toEqual([]);
});

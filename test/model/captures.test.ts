import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CAPTURES } from '../../src/model/captures.ts';

it('the names of captures are those of their page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../playbooks/CAPTURES.md'), 'utf8');

  expect([...page.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name)).toEqual([...CAPTURES]);
});

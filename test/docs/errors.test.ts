import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/model/errors.ts';

it('explains every error code, and no other', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

  const explained = [...page.matchAll(/^\| `([a-z-]+)`/gm)].map((match) => match[1]);

  expect(explained.toSorted()).toEqual([...ERROR_CODES].toSorted());
});

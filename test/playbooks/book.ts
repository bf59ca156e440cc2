import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProfileBook } from '../../src/budget/profiles.ts';
import { parseProfiles } from '../../src/wire/profiles.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../playbooks/profiles.yaml'), 'utf8');

/** The shipped profiles. */
export const BOOK: ProfileBook = shipped();

function shipped(): ProfileBook {
  const parsed = parseProfiles(TEXT, 'profiles.yaml');
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.book;
}

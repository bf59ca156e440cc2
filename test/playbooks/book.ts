import type { ProfileBook } from '../../src/budget/profiles.ts';
import { readProfiles } from '../../src/wire/profiles.ts';
import { FILES } from './built-in.ts';

/** The built-in profiles. */
export const BOOK: ProfileBook = builtIn();

function builtIn(): ProfileBook {
  const parsed = readProfiles(FILES);
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.book;
}

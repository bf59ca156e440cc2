import { lintProfiles, type ProfileBook, ProfileFile } from '../budget/profiles.ts';
import { readPlaybookFiles } from '../folder/playbook-files.ts';
import { OomError } from '../model/errors.ts';
import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import { filesInForce, type PlaybookSource } from '../playbook/merge.ts';
import type { Locate, Problem } from '../playbook/problem.ts';
import { shape } from '../playbook/shape-problems.ts';
import { readYaml, type TextFile } from '../playbook/yaml-source.ts';
import { withValues } from './parsed-files.ts';

type ParsedProfiles =
  | { readonly kind: 'sound'; readonly book: ProfileBook }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

type Part = { readonly path: string; readonly value: ProfileFile; readonly locate: Locate };

/** Reads the files of the profiles into one book; what is wrong is told with its line. */
export function parseProfiles(files: readonly TextFile[]): ParsedProfiles {
  const read = files.map(readPart);
  const refused = read.flatMap((one) => (Array.isArray(one) ? one : []));
  if (refused.length > 0) return { kind: 'refused', problems: refused };
  const parts = read as readonly Part[];
  const book = {
    fractions: parts.flatMap(({ value }) => value.fractions ?? []),
    profiles: parts.flatMap(({ value }) => value.profiles),
  };
  const problems = lintProfiles(book).map(({ path: [, index, ...rest], message }): Problem => {
    const { part, at } = placeOf(parts, Number(index));
    return { file: part.path, ...part.locate(['profiles', at, ...rest]), message, severity: 'error' };
  });
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'sound', book };
}

function readPart(file: TextFile): Part | Problem[] {
  const source = readYaml(file);
  if (source.kind === 'refused') return [...source.problems];
  const shaped = shape(ProfileFile, source.value, { path: file.path, locate: source.locate });
  if (shaped.kind === 'refused') return [...shaped.problems];
  return { path: file.path, value: shaped.value, locate: source.locate };
}

/** Where the profile with this index in the book is written. */
function placeOf(parts: readonly Part[], index: number): { readonly part: Part; readonly at: number } {
  let at = index;
  for (const part of parts) {
    if (at < part.value.profiles.length) return { part, at };
    at -= part.value.profiles.length;
  }
  throw new Error(`the book has no profile ${index}`);
}

/** The profiles in force among the files of several folders. */
export function readProfiles(files: readonly PlaybookSource[]): ParsedProfiles {
  return parseProfiles(filesInForce(files, PLAYBOOK_PATHS.profiles));
}

/** The profiles in force. Throws OomError `bad-playbook` with the first problems. */
export async function loadProfiles(dirs: readonly string[]): Promise<ProfileBook> {
  const parsed = readProfiles(withValues(await readPlaybookFiles(dirs)));
  if (parsed.kind === 'sound') return parsed.book;
  const problems = parsed.problems.slice(0, 5).map((p) => `${p.file}:${p.line}: ${p.message}`);
  throw new OomError('bad-playbook', `The profiles are wrong:\n${problems.join('\n')}`, {
    next: 'Fix the file; playbooks/README.md shows its format.',
  });
}

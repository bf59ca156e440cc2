import { lintProfiles, ProfileBook } from '../budget/profiles.ts';
import { readPlaybookFiles } from '../folder/playbook-files.ts';
import { OomError } from '../model/errors.ts';
import type { Problem } from '../model/problem.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import { shape } from '../playbook/shape-problems.ts';
import { readYaml } from '../playbook/yaml-source.ts';

const FILE = 'profiles.yaml';

export type ParsedProfiles =
  | { readonly kind: 'sound'; readonly book: ProfileBook }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/** Reads profiles.yaml; what is wrong is told with its line. */
export function parseProfiles(text: string, path: string): ParsedProfiles {
  const source = readYaml({ path, text });
  if (source.kind === 'refused') return source;
  const shaped = shape(ProfileBook, source.value, { path, locate: source.locate });
  if (shaped.kind === 'refused') return shaped;
  const problems = lintProfiles(shaped.value).map((problem) => ({
    file: path,
    line: source.locate(problem.path).line,
    message: problem.message,
  }));
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'sound', book: shaped.value };
}

/** The file of the profiles among those of several folders: the last that there is. */
export function profilesAmong(files: readonly PlaybookSource[]): PlaybookSource | undefined {
  return files.findLast(({ path }) => path === FILE);
}

/** What `profilesAmong` has found, read. */
export function readProfiles(file: PlaybookSource | undefined): ParsedProfiles {
  if (file !== undefined) return parseProfiles(file.text, `${file.root}/${file.path}`);
  return { kind: 'refused', problems: [{ file: FILE, line: 1, message: 'is missing in every playbook folder' }] };
}

/** The profiles in force: of several folders the last that has the file. Throws OomError `bad-playbook` with the first problems. */
export async function loadProfiles(dirs: readonly string[]): Promise<ProfileBook> {
  const parsed = readProfiles(profilesAmong(await readPlaybookFiles(dirs)));
  if (parsed.kind === 'sound') return parsed.book;
  const problems = parsed.problems.slice(0, 5).map((p) => `${p.file}:${p.line}: ${p.message}`);
  throw new OomError('bad-playbook', `The profiles are wrong:\n${problems.join('\n')}`, {
    next: 'Mend the file; its shape is told at its top.',
  });
}

import { isReadBy } from '../model/playbook-paths.ts';
import type { Case } from './cases-format.ts';
import { type PlaybookSource, pathOf } from './merge.ts';
import type { Problem } from './problem.ts';

const MOST_LINES = 400;
const FOLDER = /^(?:oom|engines|platform)\//;

/** Files that are too long to be found one's way in, and files that nobody reads. */
export function lintFiles(sources: readonly PlaybookSource[]): readonly Problem[] {
  return sources.flatMap((source): Problem[] => {
    const { path, text } = source;
    const lines = text.trimEnd().split('\n').length;
    const at = (line: number, message: string): Problem => ({
      file: pathOf(source),
      line,
      column: 1,
      message,
      severity: 'error',
    });
    return [
      ...(lines > MOST_LINES ? [at(MOST_LINES + 1, `${lines} lines: split the file, the limit is ${MOST_LINES}`)] : []),
      ...(FOLDER.test(path) && !isReadBy(path)
        ? [at(1, 'files of this name are not read: see playbooks/README.md')]
        : []),
    ];
  });
}

const KINDS = ['on the line: ', 'near miss: ', 'evidence gone: '];

/** Cases that vary an incident and do not say of what kind they are. */
export function lintCases(cases: readonly Case[]): readonly Problem[] {
  return cases
    .filter(({ name, change }) => change.length > 0 && !KINDS.some((kind) => name.startsWith(kind)))
    .map(({ file, place }) => ({
      file,
      ...place(),
      message: `the name of a case with \`change\` begins with ${KINDS.map((kind) => `"${kind.trim()}"`).join(', ')}`,
      severity: 'error',
    }));
}

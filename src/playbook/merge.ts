import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import type { Problem } from './problem.ts';
import type { TextFile } from './yaml-source.ts';

/** A file of a playbook directory: `root` as it was given, `path` below it with forward slashes. */
export type PlaybookSource = TextFile & { readonly root: string };

const HEAD = 'oom/playbook.yaml';

/** The files in force for one playbook. Paths are complete, so that messages and folders lead to the right directory. */
export type PlaybookFiles = {
  /** The file with the head first, then by path. */
  readonly parts: readonly TextFile[];
  readonly cases: readonly TextFile[];
  /** The incidents folders, the one that wins first. */
  readonly incidents: readonly string[];
};

export type Merged =
  | { readonly kind: 'merged'; readonly files: PlaybookFiles }
  | { readonly kind: 'missing'; readonly problems: readonly Problem[] };

/**
 * Lays directories over each other: of files with the same path below their directory the last one counts. A
 * playbook.yaml that holds questions is a whole playbook: no other part of an earlier
 * directory goes with it. It is held against the built-in cases all the same, until files with the same path replace them.
 */
export function mergePlaybookFiles(sources: readonly PlaybookSource[]): Merged {
  const inForce = new Map(sources.map((source) => [source.path, source]));
  const playbook = inForce.get(HEAD);
  if (playbook === undefined) return { kind: 'missing', problems: [missing(sources)] };
  const roots = [...new Set(sources.map(({ root }) => root))];
  const from = isWhole(playbook) ? roots.indexOf(playbook.root) : 0;
  const later = sources.filter(({ root }) => roots.indexOf(root) >= from);
  const others = filesInForce(later, PLAYBOOK_PATHS.playbook, [HEAD]);
  return {
    kind: 'merged',
    files: {
      parts: [asText(playbook), ...others],
      cases: filesInForce(sources, PLAYBOOK_PATHS.cases),
      incidents: roots.toReversed().map((root) => join(root, 'oom/incidents')),
    },
  };
}

/** The files in force whose path fits, by path. The first directory is the shipped one. */
export function filesInForce(
  sources: readonly PlaybookSource[],
  fits: RegExp,
  except: readonly string[] = [],
): readonly TextFile[] {
  const fitting = sources.filter(({ path }) => fits.test(path) && !except.includes(path));
  const inForce = new Map(fitting.map((source) => [source.path, source]));
  const isOwn = ({ root }: PlaybookSource): boolean => root !== sources[0]?.root;
  const shipped = new Map(fitting.filter((source) => !isOwn(source)).map((source) => [source.path, source]));
  return [...inForce.values()]
    .toSorted((a, b) => a.path.localeCompare(b.path, 'en'))
    .map((source) =>
      isOwn(source) ? { ...asText(source), own: { shipped: shipped.get(source.path) } } : asText(source),
    );
}

function isWhole({ text }: TextFile): boolean {
  return /^questions:/m.test(text);
}

function missing(sources: readonly PlaybookSource[]): Problem {
  const file = sources[0] === undefined ? HEAD : join(sources[0].root, HEAD);
  return { file, line: 1, column: 1, message: 'there is no such file in any playbook directory', severity: 'error' };
}

/** Where a file is, with the folder it was read from. */
export function pathOf({ root, path }: PlaybookSource): string {
  return join(root, path);
}

function asText({ root, path, text, value, isChecked }: PlaybookSource): TextFile {
  return { path: join(root, path), text, value, isChecked };
}

function join(root: string, path: string): string {
  return root === '' ? path : `${root.replace(/\/+$/, '')}/${path}`;
}

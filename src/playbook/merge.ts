import type { Problem } from './problem.ts';
import type { TextFile } from './yaml-source.ts';

/** A file of a playbook directory: `root` as it was given, `path` below it with forward slashes. */
export type PlaybookSource = TextFile & { readonly root: string };

/** The files in force for one playbook. Paths are complete, so that messages and folders lead to the right directory. */
export type PlaybookFiles = {
  readonly playbook: TextFile;
  readonly cases: readonly TextFile[];
  /** The incidents folders, the one that wins first. */
  readonly incidents: readonly string[];
};

export type Merged =
  | { readonly kind: 'merged'; readonly files: PlaybookFiles }
  | { readonly kind: 'missing'; readonly problems: readonly Problem[] };

/**
 * Lays directories over each other: of files with the same path below their directory the last one counts. `name` is
 * the folder of the playbook. A playbook that replaces the shipped one is held against the shipped cases as well,
 * until a file of cases with the same name replaces those.
 */
export function mergePlaybookFiles(sources: readonly PlaybookSource[], name = 'oom'): Merged {
  const inForce = new Map(sources.map((source) => [source.path, source]));
  const playbook = inForce.get(`${name}/playbook.yaml`);
  if (playbook === undefined) return { kind: 'missing', problems: [missing(sources, name)] };
  const cases = [...inForce.values()].filter(({ path }) => isCase(path, name));
  const roots = [...new Set(sources.map(({ root }) => root))].toReversed();
  return {
    kind: 'merged',
    files: {
      playbook: asText(playbook),
      cases: cases.map(asText).toSorted((a, b) => a.path.localeCompare(b.path, 'en')),
      incidents: roots.map((root) => join(root, `${name}/incidents`)),
    },
  };
}

function isCase(path: string, name: string): boolean {
  return path.startsWith(`${name}/cases/`) && /\.ya?ml$/.test(path);
}

function missing(sources: readonly PlaybookSource[], name: string): Problem {
  const file = sources[0] === undefined ? `${name}/playbook.yaml` : join(sources[0].root, `${name}/playbook.yaml`);
  return { file, line: 1, column: 1, message: 'there is no such file in any playbook directory', severity: 'error' };
}

function asText({ root, path, text, value }: PlaybookSource): TextFile {
  return { path: join(root, path), text, value };
}

function join(root: string, path: string): string {
  return root === '' ? path : `${root.replace(/\/+$/, '')}/${path}`;
}

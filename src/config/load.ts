import type { Config } from './schema.ts';

/** What is wrong in the configuration. `where` is `file:line`, or the name of an environment variable. */
export type ConfigProblem = { readonly where: string; readonly key: string; readonly message: string };

export type ConfigOutcome =
  /** `sources`: the files and variables that were read, in the order in which the later ones win. */
  | { readonly kind: 'ok'; readonly config: Config; readonly sources: readonly string[] }
  | { readonly kind: 'bad'; readonly problems: readonly ConfigProblem[] };

export type LoadInput = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file, or undefined where there is none. */
  readonly readFile: (path: string) => string | undefined;
  /** The file that was asked for; it must exist. */
  readonly file?: string;
};

/** Configuration from a YAML file and the environment; all that is wrong with it at once. Never throws. */
export function loadConfig(_input: LoadInput): ConfigOutcome {
  throw new Error('not built yet');
}

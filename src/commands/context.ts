import type { Config } from '../config.ts';
import type { Knowledge } from '../wire/knowledge.ts';
import { playbookDirs } from '../wire/playbook-dirs.ts';
import type { Terminal } from './terminal.ts';

/** What every command is built with. `config` throws OomError `bad-config` with all problems; `exit` keeps the worst code. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly config: () => Config;
  /** What the playbooks of these folders say; by default of those of the configuration. */
  readonly knowledge: (dirs?: readonly string[]) => Promise<Knowledge>;
  readonly exit: (code: number) => void;
};

/** The shipped playbook folder, those of the configuration, and one that `--dir` names. */
export function dirsOf({ config }: Pick<CommandContext, 'config'>, dir?: string): readonly string[] {
  return playbookDirs([...config().playbooks.dirs, ...(dir === undefined ? [] : [dir])]);
}

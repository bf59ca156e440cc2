import type { Config } from '../config.ts';
import type { Terminal } from './terminal.ts';

/** What every command is built with. `config` throws OomError `bad-config` with all problems; `exit` keeps the worst code. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly config: () => Config;
  readonly exit: (code: number) => void;
};

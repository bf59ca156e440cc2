import type { DurableStore } from '../wire/open-store.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** `oom migrate`: says what the opening of the store has added to it. */
export function migrateCommand(terminal: Terminal, { added }: Pick<DurableStore, 'added'>): number {
  for (const { version, name } of added) terminal.out(`added  ${version}  ${name}`);
  if (added.length === 0) terminal.out('up to date: nothing to add');
  return EXIT.ok;
}

import type { Clock, Log } from '../app/ports.ts';
import { watchPlaybookFiles } from '../folder/playbook-files.ts';
import type { Knowledge } from './knowledge.ts';

/** Takes changed playbook files as long as they are sound; else the last good ones stay. */
export function startReloading(
  dirs: readonly string[],
  { knowledge, clock, log }: { readonly knowledge: Knowledge; readonly clock: Clock; readonly log: Log },
): { stop(): void } {
  return watchPlaybookFiles(
    dirs,
    () => reload(knowledge, log),
    clock,
    (error) => log.error('playbook folder not watched', { error }),
  );
}

async function reload(knowledge: Knowledge, log: Log): Promise<void> {
  const outcome = await knowledge.reload();
  if (outcome.kind === 'refused')
    log.error('changed playbook rejected; the last good one stays active', { problems: outcome.problems });
  else if (outcome.kind === 'taken') log.info('playbook reloaded', { version: outcome.version });
}

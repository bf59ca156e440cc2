import type { Command } from 'commander';
import { OomError } from '../model/errors.ts';
import type { AuditVerdict } from '../store/database/audit-chain.ts';
import type { CommandContext } from './context.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** Commands on the store itself. Its parts are loaded when they run. */
export function addStoreCommands(program: Command, { terminal, config, exit }: CommandContext): void {
  program
    .command('audit')
    .description('Check the audit log')
    .command('verify')
    .description('Verify the hash chain and name the first broken row')
    .action(async () => {
      const { verifyAudit } = await import('../store/database/audit-chain.ts');
      const { withStore } = await import('./with-store.ts');
      exit(
        await withStore(
          config().store,
          async (store) => tellAudit(terminal, await verifyAudit(store)),
          (path) => {
            throw noStoreToVerify(path);
          },
        ),
      );
    });
  program
    .command('migrate')
    .description('Upgrade the database to this release; `oom serve` does it too')
    .action(async () => {
      const { migrateEngine } = await import('../steps/open-backend.ts');
      const { withStore } = await import('./with-store.ts');
      const { url } = config().store;
      const alsoMigrate = () => migrateEngine(url);
      exit(
        await withStore({ url, alsoMigrate }, async ({ added }) => {
          for (const { version, name } of added) terminal.out(`added  ${version}  ${name}`);
          if (added.length === 0) terminal.out('up to date');
          return EXIT.ok;
        }),
      );
    });
}

function tellAudit({ out, err, paint }: Terminal, verdict: AuditVerdict): number {
  if (verdict.kind === 'intact') {
    const rows = verdict.rows === 1 ? '1 row' : `${verdict.rows} rows`;
    out(`${paint.green('intact')}  ${rows}, head ${verdict.head}`);
    return EXIT.ok;
  }
  out(`${paint.red('broken')}  at row ${verdict.seq}: ${verdict.why}`);
  err('The rows before it are intact. Copy the database before anything else writes to it.');
  return EXIT.failed;
}

function noStoreToVerify(path: string): OomError {
  return new OomError('not-found', `No database at ${path}, so nothing was verified.`, {
    next: 'Set `store.url` or DATABASE_URL to the database of the bot.',
  });
}

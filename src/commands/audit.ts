import type { AuditSource } from '../store/database/audit-chain.ts';
import { verifyAudit } from '../store/database/audit-chain.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** `oom audit verify`: walks the whole audit and says how many rows there are and what the last hash is, or which row is the first that is wrong. */
export async function auditVerifyCommand(terminal: Terminal, store: AuditSource): Promise<number> {
  const verdict = await verifyAudit(store);
  const { green, red } = terminal.paint;
  if (verdict.kind === 'intact') {
    const rows = verdict.rows === 1 ? '1 row' : `${verdict.rows} rows`;
    terminal.out(`${green('intact')}  ${rows}, head ${verdict.head}`);
    return EXIT.ok;
  }
  terminal.out(`${red('broken')}  at row ${verdict.seq}: ${verdict.why}`);
  terminal.err('What stands before that row is sound. Keep a copy of the store before anything else is written to it.');
  return EXIT.failed;
}

import { createHash } from 'node:crypto';

/** One row of the audit. `data` is JSON; `at` epoch ms; `hash` covers all other fields and the hash before. */
export type AuditRow = {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly data: string;
  readonly prevHash: string;
  readonly hash: string;
};

export type AuditEntry = Pick<AuditRow, 'at' | 'actor' | 'action' | 'subject' | 'data'>;
type AuditHead = { readonly seq: number; readonly hash: string };

/** What a store must offer so that its audit can be verified. Rows come in the order of `seq`. */
export type AuditSource = {
  auditHead(): Promise<AuditHead>;
  auditRows(fromSeq: number, limit: number): Promise<readonly AuditRow[]>;
};

export type AuditVerdict =
  | { readonly kind: 'intact'; readonly rows: number; readonly head: string }
  | { readonly kind: 'broken'; readonly seq: number; readonly why: string };

export const FIRST_HASH = '0'.repeat(64);

/** The next row after `head`. */
export function chainOn(head: AuditHead, entry: AuditEntry): AuditRow {
  const row = { ...entry, seq: head.seq + 1, prevHash: head.hash };
  return { ...row, hash: hashOf(row) };
}

function hashOf(row: Omit<AuditRow, 'hash'>): string {
  const parts = [row.seq, row.at, row.actor, row.action, row.subject, row.data, row.prevHash].map(String);
  // Length-prefixed, so that text cannot be moved from one field to the next.
  return createHash('sha256')
    .update(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''))
    .digest('hex');
}

const PAGE = 500;

/**
 * Reads the whole audit and tells the first row that was changed, taken out or added. What it cannot tell: an audit
 * that somebody with write access has rebuilt from the first row on; keep the head elsewhere for that.
 */
export async function verifyAudit(source: AuditSource): Promise<AuditVerdict> {
  let last: AuditHead = { seq: 0, hash: FIRST_HASH };
  for (;;) {
    const rows = await source.auditRows(last.seq + 1, PAGE);
    for (const row of rows) {
      const why = faultOf(row, last);
      if (why !== undefined) return { kind: 'broken', seq: row.seq, why };
      last = row;
    }
    if (rows.length === PAGE) continue;
    const head = await source.auditHead();
    // A bot that serves meanwhile has added to it since the last page.
    if (head.seq > last.seq && (await source.auditRows(last.seq + 1, 1)).length > 0) continue;
    if (head.seq === last.seq && head.hash === last.hash) return { kind: 'intact', rows: last.seq, head: last.hash };
    return { kind: 'broken', seq: last.seq + 1, why: headFault(head, last) };
  }
}

function headFault(head: AuditHead, last: AuditHead): string {
  if (head.seq === last.seq) return 'the head is not that of the last row';
  return `the head says ${head.seq} rows, there are ${last.seq}`;
}

function faultOf(row: AuditRow, before: AuditHead): string | undefined {
  if (row.seq !== before.seq + 1) return `row ${before.seq + 1} is missing`;
  if (row.prevHash !== before.hash) return 'the row does not follow the one before';
  return hashOf(row) === row.hash ? undefined : 'the row was changed';
}

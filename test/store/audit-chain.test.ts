import { describe, expect, it } from 'vitest';
import {
  type AuditRow,
  type AuditSource,
  chainOn,
  FIRST_HASH,
  verifyAudit,
} from '../../src/store/database/audit-chain.ts';

const entry = (subject: string) => ({ at: 1, actor: 'U_ONCALL', action: 'paused', subject, data: '{}' });

function chain(subjects: readonly string[], from = { seq: 0, hash: FIRST_HASH }): AuditRow[] {
  const rows: AuditRow[] = [];
  for (const subject of subjects) rows.push(chainOn(rows.at(-1) ?? from, entry(subject)));
  return rows;
}

const sourceOf = (
  rows: readonly AuditRow[],
  head: { seq: number; hash: string } | undefined = rows.at(-1),
): AuditSource => ({
  auditHead: async () => head ?? { seq: 0, hash: FIRST_HASH },
  auditRows: async (from, limit) => rows.filter(({ seq }) => seq >= from).slice(0, limit),
});

const [a, b, c] = chain(['a', 'b', 'c']) as [AuditRow, AuditRow, AuditRow];
const [again] = chain(['z']) as [AuditRow];
const other = chain(['x', 'y']) as [AuditRow, AuditRow];

describe('an audit', () => {
  it('is intact where each row follows the one before, up to the head', async () => {
    const rows = chain(Array.from({ length: 1100 }, (_, i) => `row ${i}`));

    expect(await verifyAudit(sourceOf(rows))).toEqual({ kind: 'intact', rows: 1100, head: rows.at(-1)?.hash });
    expect(await verifyAudit(sourceOf([]))).toEqual({ kind: 'intact', rows: 0, head: FIRST_HASH });
  });

  it.each<[string, readonly AuditRow[], { seq: number; hash: string } | undefined, number]>([
    [
      'a row was taken out and the rest chained anew',
      [a, { ...chainOn({ seq: 2, hash: a.hash }, entry('c')) }],
      undefined,
      3,
    ],
    ['a row of another audit was put in', [a, other[1], chainOn(other[1], entry('c'))], undefined, 2],
    ['two rows changed places', [a, c, b], c, 3],
    ['two rows changed places and numbers', [a, { ...c, seq: 2 }, { ...b, seq: 3 }], c, 2],
    ['the first row is missing', [b, c], undefined, 2],
    ['a row comes twice', [a, a, b], b, 1],
    ['a row was changed', [a, { ...b, subject: 'z' }, c], undefined, 2],
    [
      'the first row was written anew and the second tied to it',
      [again, { ...b, prevHash: again.hash }, c],
      undefined,
      2,
    ],
    ['the last row is missing', [a, b], c, 3],
    ['all rows are missing', [], c, 1],
    ['the head is of another row', [a, b, c], { seq: 3, hash: b.hash }, 4],
    ['the head was set back', [a, b, c], b, 4],
  ])('is broken where %s', async (_what, rows, head, seq) => {
    expect(await verifyAudit(sourceOf(rows, head))).toMatchObject({ kind: 'broken', seq });
  });
});

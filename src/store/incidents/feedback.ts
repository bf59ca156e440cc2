import type { PlacedFeedback } from '../../app/incident-ports.ts';
import { Feedback } from '../../model/feedback.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { parseRow } from '../database/rows.ts';

/** Keeps what a person says of a finding, in the place of an earlier answer; the audit has both. */
export async function saveFeedback(trx: Transaction, feedback: Feedback): Promise<void> {
  const { incidentId, finding, right, actual, note, by, at } = feedback;
  const row = { ...feedback, right: Number(right) };
  await trx
    .insertInto('feedback')
    .values(row)
    .onConflict((conflict) => conflict.columns(['incidentId', 'finding']).doUpdateSet(row))
    .execute();
  await addEvent(trx, { kind: 'feedback-given', at, incidentId, actor: by, finding, right, actual });
  const data = { finding, right, actual, note };
  await addAudit(trx, { at, actor: by, action: 'feedback-given', subject: incidentId, data });
}

/** Every answer that counts. */
export async function allFeedback(db: Transaction): Promise<readonly PlacedFeedback[]> {
  const rows = await db
    .selectFrom('feedback')
    .innerJoin('incident', 'incident.id', 'feedback.incidentId')
    .selectAll('feedback')
    .select(['incident.cluster', 'incident.namespace'])
    .orderBy('feedback.at')
    .orderBy('feedback.incidentId')
    .execute();
  return rows.map(({ cluster, namespace, ...row }) => ({
    ...parseRow(Feedback, { ...row, right: row.right === 1 }, 'feedback'),
    cluster,
    namespace,
  }));
}

import type { IncidentAlert, RecentTriage, UntoldAlert } from '../../app/alert-ports.ts';
import { TakenAlert } from '../../model/alert.ts';
import type { TriageRun } from '../../model/incident.ts';
import type { AutomaticUser } from '../../model/started-by.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { parseRow } from '../database/rows.ts';
import { startTriage } from './triages.ts';

const ACTOR: AutomaticUser = 'oombot/alert';

/** Of two replicas that get the same alerts one stores them and starts their triages. */
export async function takeAlerts(
  trx: Transaction,
  alerts: readonly TakenAlert[],
  runs: readonly TriageRun[],
  by: AutomaticUser,
): Promise<readonly string[]> {
  const taken: TakenAlert[] = [];
  for (const alert of alerts) {
    const row = await trx
      .insertInto('alert')
      .values(alert)
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key')
      .executeTakeFirst();
    if (row !== undefined) taken.push(alert);
    else await trx.updateTable('alert').set({ seenAt: alert.seenAt }).where('key', '=', alert.key).execute();
  }
  const needed = new Set(taken.map(({ triageId }) => triageId));
  for (const run of runs) if (needed.has(run.id)) await startTriage(trx, run);
  for (const [triageId, own] of Map.groupBy(taken, (alert) => alert.triageId)) {
    const data = { alerts: [...new Set(own.map(({ name }) => name))], count: own.length };
    await addAudit(trx, { at: own[0]?.seenAt ?? 0, actor: by, action: 'alerts-taken', subject: triageId, data });
  }
  return taken.map(({ key }) => key);
}

type Place = Pick<TakenAlert, 'cluster' | 'namespace' | 'workload' | 'conversation'>;

export async function recentTriages(
  db: Transaction,
  { cluster, namespace, workload, conversation }: Place,
  sinceMs: number,
): Promise<readonly RecentTriage[]> {
  const rows = await db
    .selectFrom('alert')
    .innerJoin('triage', 'triage.id', 'alert.triageId')
    .select(['triage.id as id', 'asker', 'startedAt'])
    .distinct()
    .where('alert.cluster', '=', cluster)
    .where('namespace', '=', namespace)
    .where('workload', '=', workload)
    .where('alert.conversation', '=', conversation)
    .where('startedAt', '>=', sinceMs)
    .orderBy('startedAt', 'desc')
    .execute();
  return rows.map(({ id, asker, startedAt }) => ({ id, asker, startedAt: Number(startedAt) }));
}

export async function resolveAlerts(trx: Transaction, keys: readonly string[], at: number): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const rows = await trx
    .updateTable('alert')
    .set({ resolvedAt: at })
    .where('key', 'in', keys)
    .where('resolvedAt', 'is', null)
    .returning(['key', 'triageId'])
    .execute();
  for (const [triageId, own] of Map.groupBy(rows, (row) => row.triageId)) {
    await addAudit(trx, {
      at,
      actor: ACTOR,
      action: 'alerts-resolved',
      subject: triageId,
      data: { count: own.length },
    });
  }
  return rows.map(({ key }) => key);
}

export async function untoldAlerts(db: Transaction): Promise<readonly UntoldAlert[]> {
  const rows = await db
    .selectFrom('alert')
    .leftJoin('triage', 'triage.id', 'alert.triageId')
    .selectAll('alert')
    .select(['triage.incidentId as incidentId', 'triage.state as state'])
    .where('resolvedAt', 'is not', null)
    .where('toldAt', 'is', null)
    .orderBy('key')
    .execute();
  return rows.map(({ incidentId, state, ...row }) => ({
    alert: parseRow(TakenAlert, row, 'alert'),
    incidentId,
    triage: state ?? 'gone',
  }));
}

export async function tellAlerts(trx: Transaction, keys: readonly string[], at: number): Promise<void> {
  if (keys.length === 0) return;
  await trx.updateTable('alert').set({ toldAt: at }).where('key', 'in', keys).execute();
  await addAudit(trx, { at, actor: ACTOR, action: 'alerts-told', subject: 'alerts', data: { count: keys.length } });
}

export async function incidentAlerts(db: Transaction): Promise<readonly IncidentAlert[]> {
  const rows = await db
    .selectFrom('alert')
    .innerJoin('triage', 'triage.id', 'alert.triageId')
    .innerJoin('incident', 'incident.id', 'triage.incidentId')
    .select(['incident.id as incidentId', 'seenAt', 'resolvedAt'])
    .where('incident.state', '=', 'open')
    // A death is over when it happens.
    .where(({ eb, or, ref }) => or([eb('resolvedAt', 'is', null), eb('resolvedAt', '<>', ref('firedAt'))]))
    .execute();
  return rows.map(({ incidentId, seenAt, resolvedAt }) => ({
    incidentId,
    seenAt: Number(seenAt),
    resolvedAt: resolvedAt === null ? null : Number(resolvedAt),
  }));
}

import type { IncidentAlert, OfferAnswer, OfferedAlert, UntoldAlert } from '../../app/alert-ports.ts';
import { TakenAlert } from '../../model/alert.ts';
import { joinedTriage, LOOK_BACK_MS, type RecentTriage } from '../../model/join-triage.ts';
import { type AutomaticUser, QUIET_USER } from '../../model/started-by.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { parseRow } from '../database/rows.ts';
import { startTriage } from './triages.ts';

const ACTOR: AutomaticUser = 'oombot/alert';

type Taking = { readonly by: AutomaticUser; readonly holder: string };

/** What it reads stays true until it ends, so two replicas never start two triages for what is one. */
export async function takeAlerts(
  trx: Transaction,
  offered: readonly OfferedAlert[],
  { by, holder }: Taking,
): Promise<readonly OfferAnswer[]> {
  const answers: OfferAnswer[] = [];
  const taken: TakenAlert[] = [];
  const recent = new Map<string, readonly RecentTriage[]>();
  for (const { alert, run } of offered) {
    const resolvedAt = await takeEarlyEnd(trx, alert);
    if (resolvedAt === undefined && (await seeAgain(trx, alert))) {
      answers.push('seen');
      continue;
    }
    const place = [alert.cluster, alert.namespace, alert.workload, alert.conversation].join('\n');
    const known = recent.get(place) ?? (await recentTriages(trx, alert, alert.seenAt - LOOK_BACK_MS));
    const joined = joinedTriage(known, alert.seenAt, run.asker === QUIET_USER);
    if (joined === undefined) await startTriage(trx, run, { holder });
    recent.set(place, joined === undefined ? [run, ...known] : known);
    const stored = { ...alert, triageId: joined ?? run.id, resolvedAt: resolvedAt ?? alert.resolvedAt };
    await trx.insertInto('alert').values(stored).execute();
    taken.push(stored);
    answers.push(joined === undefined ? 'started' : 'joined');
  }
  for (const [triageId, own] of Map.groupBy(taken, (alert) => alert.triageId)) {
    const data = { alerts: [...new Set(own.map(({ name }) => name))], count: own.length };
    await addAudit(trx, { at: own[0]?.seenAt ?? 0, actor: by, action: 'alerts-taken', subject: triageId, data });
  }
  return answers;
}

// When it was resolved, where that was told before the alert itself.
async function takeEarlyEnd(trx: Transaction, { key }: TakenAlert): Promise<number | undefined> {
  const row = await trx
    .deleteFrom('alert')
    .where('key', '=', key)
    .where('triageId', '=', '')
    .returning('resolvedAt')
    .executeTakeFirst();
  return row?.resolvedAt === undefined ? undefined : Number(row.resolvedAt);
}

async function seeAgain(trx: Transaction, { key, seenAt }: TakenAlert): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('alert')
    .set({ seenAt })
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0;
}

type Place = Pick<TakenAlert, 'cluster' | 'namespace' | 'workload' | 'conversation'>;

async function recentTriages(
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

type Resolved = Pick<TakenAlert, 'key' | 'name'>;

// What a resolved alert is kept as that came before the alert itself: it has no triage.
const EARLY = { cluster: '', namespace: '', subject: '', workload: '', conversation: '', triageId: '' };

export async function resolveAlerts(
  trx: Transaction,
  alerts: readonly Resolved[],
  at: number,
): Promise<readonly string[]> {
  if (alerts.length === 0) return [];
  const keys = alerts.map(({ key }) => key);
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
  await keepEarly(trx, alerts, at);
  return rows.map(({ key }) => key);
}

async function keepEarly(trx: Transaction, alerts: readonly Resolved[], at: number): Promise<void> {
  const keys = alerts.map(({ key }) => key);
  const rows = await trx.selectFrom('alert').select('key').where('key', 'in', keys).execute();
  const known = new Set(rows.map(({ key }) => key));
  const times = { firedAt: at, seenAt: at, resolvedAt: at, toldAt: at };
  const early = [...new Map(alerts.map((one) => [one.key, one])).values()].filter(({ key }) => !known.has(key));
  if (early.length === 0) return;
  await trx
    .insertInto('alert')
    .values(early.map(({ key, name }) => ({ ...EARLY, ...times, key, name })))
    .execute();
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

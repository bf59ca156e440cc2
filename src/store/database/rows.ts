import type { Selectable } from 'kysely';
import { z } from 'zod';
import { OomError } from '../../model/errors.ts';
import { DomainEvent } from '../../model/events.ts';
import { Incident, TriageRun } from '../../model/incident.ts';
import { Diagnosis } from '../../model/verdict.ts';
import type { AuditRow } from './audit-chain.ts';
import type { Tables } from './tables.ts';

// Some drivers give bigint columns as text.
const whole = z.coerce.number();

/** What is stored under `what` does not fit its schema: written by another release, or by hand. */
export function parseRow<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new OomError('store-failed', `A stored ${what} cannot be read.`, {
    next: 'It was written by another release or by hand; `oom audit verify` tells whether the audit is intact.',
    cause: parsed.error,
  });
}

export function parseJson<T extends z.ZodType>(schema: T, text: string, what: string): z.output<T> {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    raw = undefined;
  }
  return parseRow(schema, raw, what);
}

export function readIncident(row: Selectable<Tables['incident']>): Incident {
  const { opened_at, last_seen_at, closed_at, certain, cause_certain, ...rest } = row;
  const incident = {
    ...rest,
    certain: Boolean(certain),
    causeCertain: Boolean(cause_certain),
    seen: whole.parse(rest.seen),
    openedAt: whole.parse(opened_at),
    lastSeenAt: whole.parse(last_seen_at),
    closedAt: closed_at === null ? null : whole.parse(closed_at),
  };
  return parseRow(Incident, incident, 'incident');
}

export function writeIncident(incident: Incident): Tables['incident'] {
  const { openedAt, lastSeenAt, closedAt, certain, causeCertain, ...rest } = incident;
  const sure = { certain: certain ? 1 : 0, cause_certain: causeCertain ? 1 : 0 };
  return { ...rest, ...sure, opened_at: openedAt, last_seen_at: lastSeenAt, closed_at: closedAt };
}

export function readTriage(row: Selectable<Tables['triage']>): TriageRun {
  const { incident_id, externally_shared, started_at, ended_at, ...rest } = row;
  const run = {
    ...rest,
    incidentId: incident_id,
    externallyShared: whole.parse(externally_shared) === 1,
    startedAt: whole.parse(started_at),
    endedAt: ended_at === null ? null : whole.parse(ended_at),
  };
  return parseRow(TriageRun, run, 'triage');
}

export function writeTriage(run: TriageRun): Tables['triage'] {
  const { incidentId, externallyShared, startedAt, endedAt, ...rest } = run;
  const shared = externallyShared ? 1 : 0;
  return { ...rest, incident_id: incidentId, externally_shared: shared, started_at: startedAt, ended_at: endedAt };
}

export function readDiagnosis(text: string): Diagnosis {
  return parseJson(Diagnosis, text, 'finding');
}

export function readEvent(text: string): DomainEvent {
  return parseJson(DomainEvent, text, 'event');
}

export function readAuditRow(row: Selectable<Tables['audit']>): AuditRow {
  const { prev_hash, ...rest } = row;
  return { ...rest, seq: whole.parse(row.seq), at: whole.parse(row.at), prevHash: prev_hash };
}

export { whole };

import type { Insertable, Selectable } from 'kysely';
import type { z } from 'zod';
import { OomError } from '../../model/errors.ts';
import { Incident, TriageRun } from '../../model/incident.ts';
import { parseJson as parse } from '../../model/json-file.ts';
import type { Tables } from './tables.ts';

/** What is stored under `what` does not fit its schema: written by another release, or by hand. */
export function parseRow<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new OomError('store-failed', `Cannot read a stored ${what}.`, {
    next: 'Another release wrote it, or someone edited it. `oom audit verify` checks the audit log.',
    cause: parsed.error,
  });
}

export function parseJson<T extends z.ZodType>(schema: T, text: string, what: string): z.output<T> {
  return parseRow(schema, parse(text), what);
}

export function readIncident(row: Selectable<Tables['incident']>): Incident {
  const { certain, causeCertain } = row;
  return parseRow(Incident, { ...row, certain: Boolean(certain), causeCertain: Boolean(causeCertain) }, 'incident');
}

export function writeIncident(incident: Incident): Tables['incident'] {
  return { ...incident, certain: Number(incident.certain), causeCertain: Number(incident.causeCertain) };
}

export function readTriage({ holder: _holder, ...row }: Selectable<Tables['triage']>): TriageRun {
  return parseRow(TriageRun, { ...row, externallyShared: row.externallyShared === 1 }, 'triage');
}

export function writeTriage(run: TriageRun): Insertable<Tables['triage']> {
  return { ...run, externallyShared: Number(run.externallyShared) };
}

import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { parseJsonFile } from '../../model/json-file.ts';
import { FIRST_HASH } from './audit-chain.ts';
import { AUDIT_TRIGGERS } from './audit-triggers.ts';

type AnyDatabase = Kysely<unknown>;
export type DialectName = 'sqlite' | 'postgres';
type Migration = {
  readonly name: string;
  readonly up: (db: AnyDatabase, dialect: DialectName) => Promise<void>;
};

const run = async (db: AnyDatabase, ...statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await sql.raw(statement).execute(db);
};

/** In order; the place in the list, from 1, is the version. A released one is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'incidents, their evidence and messages', up: createIncidents },
  { name: 'audit', up: createAudit },
  { name: 'plans and approvals', up: createPlans },
  { name: 'runs, their steps, and the pause', up: createRuns },
  { name: 'what runs are measured against', up: createBaselines },
  { name: 'which memory is proven, separate from the cause', up: splitCertain },
  { name: 'the death that a finding is about', up: addDeath },
  { name: 'messages before they are posted, and requests before they are answered', up: createOutbox },
  { name: 'who is on an incident, how it was closed, and feedback', up: addLifecycle },
  { name: 'temporary changes', up: createLedger },
  { name: 'silences, and messages that belong to no incident', up: addShifts },
  { name: 'alerts', up: createAlerts },
  { name: 'starts that memory estimates were compared with', up: addMeasuredStarts },
  { name: 'which replica is at what', up: addHolders },
];

async function createIncidents(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table incident (id text primary key, "key" text not null, cluster text not null, namespace text not null,
      pod text not null, workload text not null, plane text not null, phase text not null, cause text not null,
      certain integer not null, state text not null check (state in ('open', 'closed')), seen integer not null,
      opened_at bigint not null, last_seen_at bigint not null, closed_at bigint)`,
    `create unique index one_open on incident ("key") where state = 'open'`,
    'create index incident_of_workload on incident (cluster, namespace, workload)',
    `create table snapshot (id text primary key, incident_id text not null references incident (id) on delete cascade,
      at bigint not null, hash text not null)`,
    'create index snapshot_of_incident on snapshot (incident_id)',
    `create table snapshot_file (snapshot_id text not null references snapshot (id) on delete cascade,
      name text not null, encoding text not null, body text not null, primary key (snapshot_id, name))`,
    // No reference to snapshot: evidence is deleted earlier than what was concluded from it.
    `create table finding (id text primary key, incident_id text not null references incident (id) on delete cascade,
      snapshot_id text not null, n integer not null, at bigint not null, diagnosis text not null,
      unique (incident_id, n))`,
    `create table message (incident_id text not null references incident (id) on delete cascade, kind text not null,
      conversation text not null, ts text not null, n integer not null, primary key (incident_id, kind, conversation, ts))`,
    `create table event (incident_id text not null references incident (id) on delete cascade, n integer not null,
      at bigint not null, kind text not null, body text not null, primary key (incident_id, n))`,
    `create table triage (id text primary key, incident_id text references incident (id) on delete set null,
      query text not null, cluster text, asker text not null,
      externally_shared integer not null, conversation text, ts text,
      state text not null check (state in ('running', 'done', 'failed', 'interrupted')), outcome text,
      started_at bigint not null, ended_at bigint)`,
    'create index triage_by_state on triage (state)',
  );
}

async function createAudit(db: AnyDatabase, dialect: DialectName): Promise<void> {
  await run(
    db,
    `create table audit (seq bigint primary key, at bigint not null, actor text not null, action text not null,
      subject text not null, data text not null, prev_hash text not null unique, hash text not null)`,
    'create table audit_head (id integer primary key check (id = 1), seq bigint not null, hash text not null)',
    `insert into audit_head (id, seq, hash) values (1, 0, '${FIRST_HASH}')`,
    ...AUDIT_TRIGGERS[dialect],
  );
}

async function createPlans(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table plan (id text primary key, incident_id text not null references incident (id) on delete cascade,
      workload text not null, action text not null,
      state text not null check (state in ('proposed', 'rejected', 'expired', 'used', 'replaced')),
      proposed_at bigint not null, version integer not null, body text not null)`,
    'create index plan_of_incident on plan (incident_id)',
    `create unique index one_open_plan on plan (incident_id, action) where state = 'proposed'`,
    // The key makes one person count once.
    `create table approval (plan_id text not null references plan (id) on delete cascade, who text not null,
      decision text not null check (decision in ('approve', 'reject')), hash text not null, break_glass text,
      at bigint not null, primary key (plan_id, who))`,
  );
}

async function createRuns(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table run (id text primary key, plan_id text not null unique references plan (id) on delete cascade,
      incident_id text not null references incident (id) on delete cascade, workload text not null,
      target text not null, state text not null check (state in
        ('queued', 'running', 'compensating', 'done', 'failed', 'rolled-back', 'aborted')),
      execution_id text unique,
      command text not null check (command in ('none', 'abort', 'abandon', 'roll-back', 'keep')), command_by text,
      checks text not null, outcome text, started_by text not null, started_at bigint not null,
      updated_at bigint not null)`,
    'create index run_of_incident on run (incident_id)',
    `create unique index one_active_run on run (workload) where state in ('queued', 'running', 'compensating')`,
    `create table step (run_id text not null references run (id) on delete cascade, n integer not null,
      phase text not null check (phase in ('pending', 'running', 'done', 'failed', 'undone', 'not-run')),
      attempts integer not null, started_at bigint, ended_at bigint, message text not null, primary key (run_id, n))`,
    `create table pause (id integer primary key check (id = 1), paused_by text not null, at bigint not null,
      reason text not null)`,
  );
}

async function createBaselines(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table baseline (run_id text primary key references run (id) on delete cascade, at bigint not null,
      body text not null)`,
  );
}

// What was kept as `certain` was that of the cause; that of the memory stands in the newest finding of the incident.
async function splitCertain(db: AnyDatabase): Promise<void> {
  await run(
    db,
    'alter table incident rename column certain to cause_certain',
    'alter table incident add column certain integer not null default 0',
    'update incident set certain = cause_certain',
  );
  const open = await sql<{ id: string; diagnosis: string }>`select f.incident_id as id, f.diagnosis as diagnosis
    from finding f join incident i on i.id = f.incident_id where i.certain = 0 order by f.n`.execute(db);
  const newest = new Map(open.rows.map(({ id, diagnosis }) => [id, diagnosis]));
  for (const [id, diagnosis] of newest) {
    if (isMemoryProved(diagnosis)) await sql`update incident set certain = 1 where id = ${id}`.execute(db);
  }
}

async function addDeath(db: AnyDatabase): Promise<void> {
  await run(db, 'alter table finding add column death text');
}

async function createOutbox(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table outbox (id text primary key, incident_id text not null references incident (id) on delete cascade,
      kind text not null, conversation text not null, thread text, ts text, body text, superseded_by text,
      n integer not null)`,
    'create unique index one_copy on outbox (incident_id, kind, conversation, ts)',
    `insert into outbox (id, incident_id, kind, conversation, ts, n)
      select incident_id || '/' || kind || '/' || conversation || '/' || ts, incident_id, kind, conversation, ts, n
      from message`,
    'drop table message',
    `create table request (id text primary key, at bigint not null, is_retried integer not null, body text not null)`,
  );
}

async function addLifecycle(db: AnyDatabase): Promise<void> {
  const columns = ['closed_by text', 'closed_why text', 'reopened_at bigint', 'ack_by text', 'ack_at bigint'];
  await run(
    db,
    ...columns.map((column) => `alter table incident add column ${column}`),
    'create index incident_by_key on incident ("key", closed_at)',
    `create table feedback (incident_id text not null references incident (id) on delete cascade, finding text not null,
      "right" integer not null, actual text, note text, "by" text not null, at bigint not null,
      primary key (incident_id, finding))`,
  );
}

async function createLedger(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table ledger (id text primary key, run_id text not null unique references run (id) on delete cascade,
      incident_id text not null references incident (id) on delete cascade, state text not null check (state in
        ('temporary', 'reverted', 'changed', 'gone', 'permanent', 'rolled-back', 'closed')),
      state_by text, why text, state_at bigint not null, expires_at bigint not null, next_check_at bigint not null,
      checked_at bigint, check_fault text, body text not null)`,
    'create index ledger_by_state on ledger (state, expires_at)',
  );
}

// A shift handover belongs to a channel: its messages refer to no incident.
async function addShifts(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table sent (id text primary key, incident_id text not null, kind text not null, conversation text not null,
      thread text, ts text, body text, superseded_by text, n integer not null)`,
    'insert into sent select * from outbox',
    'drop table outbox',
    'alter table sent rename to outbox',
    'create unique index one_copy on outbox (incident_id, kind, conversation, ts)',
    `create table silence (id text primary key, cluster text not null, namespace text not null, workload text not null,
      until bigint not null, "by" text not null, reason text not null, at bigint not null)`,
    'create index silence_until on silence (until)',
  );
}

async function addMeasuredStarts(db: AnyDatabase): Promise<void> {
  await run(
    db,
    `create table measured_start (id text primary key, cluster text not null, engine text not null, version text,
      product text, model text, error_bytes double precision not null, at bigint not null)`,
    'create index measured_start_of on measured_start (cluster, engine, at)',
  );
}

async function createAlerts(db: AnyDatabase): Promise<void> {
  await run(
    db,
    // No reference to triage: an alert that still fires may outlive it.
    `create table alert ("key" text primary key, name text not null, cluster text not null, namespace text not null,
      subject text not null, workload text not null, conversation text not null, triage_id text not null,
      fired_at bigint not null, seen_at bigint not null, resolved_at bigint, told_at bigint)`,
    'create index alert_of_workload on alert (cluster, namespace, workload)',
    'create index alert_of_triage on alert (triage_id)',
    'create index alert_untold on alert (resolved_at) where told_at is null',
  );
}

async function addHolders(db: AnyDatabase): Promise<void> {
  const holders = ['outbox', 'request', 'triage'];
  await run(
    db,
    'create table replica (id text primary key, seen_at bigint not null)',
    ...holders.map((table) => `alter table ${table} add column holder text not null default ''`),
  );
}

const Proved = z.object({ verdict: z.object({ certain: z.literal(true) }) });

function isMemoryProved(diagnosis: string): boolean {
  return parseJsonFile(Proved, diagnosis).kind === 'value';
}

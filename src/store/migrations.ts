import { type Kysely, sql } from 'kysely';
import { FIRST_HASH } from './audit-chain.ts';

type AnyDatabase = Kysely<unknown>;
export type Migration = { readonly name: string; readonly up: (db: AnyDatabase) => Promise<void> };

const run = async (db: AnyDatabase, ...statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await sql.raw(statement).execute(db);
};

/** In order; the place in the list, from 1, is the version. A released one is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'incidents, their evidence and messages', up: createIncidents },
  { name: 'audit', up: createAudit },
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

async function createAudit(db: AnyDatabase): Promise<void> {
  const refuse = (name: string, when: string, why: string) =>
    `create trigger ${name} before ${when} begin select raise(abort, '${why}'); end`;
  await run(
    db,
    `create table audit (seq bigint primary key, at bigint not null, actor text not null, action text not null,
      subject text not null, data text not null, prev_hash text not null unique, hash text not null)`,
    'create table audit_head (id integer primary key check (id = 1), seq bigint not null, hash text not null)',
    `insert into audit_head (id, seq, hash) values (1, 0, '${FIRST_HASH}')`,
    refuse('audit_keeps_rows', 'update on audit', 'audit is append-only'),
    refuse('audit_keeps_all_rows', 'delete on audit', 'audit is append-only'),
    // `insert or replace` deletes without asking the triggers above.
    refuse(
      'audit_goes_on',
      'insert on audit when new.seq <> (select coalesce(max(seq), 0) + 1 from audit)',
      'audit is append-only',
    ),
    refuse('audit_head_stays', 'delete on audit_head', 'the head of the audit stays'),
    refuse(
      'audit_head_goes_on',
      'update on audit_head when new.seq not in (old.seq, old.seq + 1)',
      'the head of the audit only goes on',
    ),
  );
}

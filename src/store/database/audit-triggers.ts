// What makes the audit append-only in the database itself, whoever holds a connection to it. One who may change the
// tables can take triggers away; the chain of hashes shows what was done then.

const refuse = (name: string, when: string, why: string): string =>
  `create trigger ${name} before ${when} begin select raise(abort, '${why}'); end`;

const SQLITE: readonly string[] = [
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
];

const POSTGRES: readonly string[] = [
  `create function oom_refuse() returns trigger language plpgsql as $$
    begin raise exception '%', tg_argv[0] using errcode = 'restrict_violation'; end $$`,
  // By its own oid, so that no search_path leads it to another table.
  `create function oom_audit_goes_on() returns trigger language plpgsql as $$
    declare last bigint;
    begin
      execute format('select coalesce(max(seq), 0) from %s', tg_relid::regclass) into last;
      if new.seq <> last + 1 then
        raise exception 'audit is append-only' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`,
  `create trigger audit_keeps_rows before update or delete or truncate on audit
    for each statement execute function oom_refuse('audit is append-only')`,
  'create trigger audit_goes_on before insert on audit for each row execute function oom_audit_goes_on()',
  `create trigger audit_head_stays before delete or truncate on audit_head
    for each statement execute function oom_refuse('the head of the audit stays')`,
  `create trigger audit_head_goes_on before update on audit_head
    for each row when (new.seq <> old.seq and new.seq <> old.seq + 1)
    execute function oom_refuse('the head of the audit only goes on')`,
];

export const AUDIT_TRIGGERS = { sqlite: SQLITE, postgres: POSTGRES } as const;

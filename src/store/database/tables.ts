/**
 * The tables, for both dialects: ids are text, times bigint epoch ms, JSON is text that a schema parses on the way out.
 * Written by hand, since a second dialect must find the same names.
 */
export type Tables = {
  incident: IncidentTable;
  snapshot: { id: string; incident_id: string; at: number; hash: string };
  snapshot_file: { snapshot_id: string; name: string; encoding: 'text' | 'json' | 'gzip-base64'; body: string };
  finding: {
    id: string;
    incident_id: string;
    snapshot_id: string;
    n: number;
    at: number;
    diagnosis: string;
    death: string | null;
  };
  message: { incident_id: string; kind: string; conversation: string; ts: string; n: number };
  triage: TriageTable;
  event: { incident_id: string; n: number; at: number; kind: string; body: string };
  audit: AuditTable;
  audit_head: { id: number; seq: number; hash: string };
  plan: PlanTable;
  approval: ApprovalTable;
  run: RunTable;
  step: StepTable;
  baseline: { run_id: string; at: number; body: string };
  pause: { id: number; paused_by: string; at: number; reason: string };
};

type IncidentTable = {
  id: string;
  key: string;
  cluster: string;
  namespace: string;
  pod: string;
  workload: string;
  plane: string;
  phase: string;
  cause: string;
  certain: number;
  cause_certain: number;
  state: string;
  seen: number;
  opened_at: number;
  last_seen_at: number;
  closed_at: number | null;
};

type TriageTable = {
  id: string;
  incident_id: string | null;
  query: string;
  cluster: string | null;
  asker: string;
  externally_shared: number;
  conversation: string | null;
  ts: string | null;
  state: string;
  outcome: string | null;
  started_at: number;
  ended_at: number | null;
};

type AuditTable = {
  seq: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  data: string;
  prev_hash: string;
  hash: string;
};

/** `body` is the whole plan as it was made; its state stands in `state` alone. */
export type PlanTable = {
  id: string;
  incident_id: string;
  workload: string;
  action: string;
  state: string;
  proposed_at: number;
  version: number;
  body: string;
};

type ApprovalTable = {
  plan_id: string;
  who: string;
  decision: string;
  hash: string;
  break_glass: string | null;
  at: number;
};

export type RunTable = {
  id: string;
  plan_id: string;
  incident_id: string;
  workload: string;
  target: string;
  state: string;
  execution_id: string | null;
  command: string;
  command_by: string | null;
  checks: string;
  outcome: string | null;
  started_by: string;
  started_at: number;
  updated_at: number;
};

export type StepTable = {
  run_id: string;
  n: number;
  phase: string;
  attempts: number;
  started_at: number | null;
  ended_at: number | null;
  message: string;
};

/**
 * The tables, for both dialects: ids are text, times bigint epoch ms, JSON is text that a schema parses on the way out.
 * Written by hand, since a second dialect must find the same names.
 */
export type Tables = {
  incident: IncidentTable;
  snapshot: { id: string; incident_id: string; at: number; hash: string };
  snapshot_file: { snapshot_id: string; name: string; encoding: 'text' | 'json' | 'gzip-base64'; body: string };
  finding: { id: string; incident_id: string; snapshot_id: string; n: number; at: number; diagnosis: string };
  message: { incident_id: string; kind: string; conversation: string; ts: string; n: number };
  triage: TriageTable;
  event: { incident_id: string; n: number; at: number; kind: string; body: string };
  audit: AuditTable;
  audit_head: { id: number; seq: number; hash: string };
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

export type AuditTable = {
  seq: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  data: string;
  prev_hash: string;
  hash: string;
};

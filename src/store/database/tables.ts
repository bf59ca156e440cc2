import type { Generated } from 'kysely';
import type { TakenAlert } from '../../model/alert.ts';
import type { Feedback } from '../../model/feedback.ts';
import type { Incident, TriageRun } from '../../model/incident.ts';
import type { MeasuredStart } from '../../model/measured-start.ts';
import type { Plan, Run, StepRecord } from '../../model/plan.ts';
import type { Silence } from '../../model/silence.ts';
import type { ChangeDraft, TemporaryChange } from '../../model/temporary-change.ts';
import type { AuditRow } from './audit-chain.ts';

/** Yes and no as 1 and 0: of booleans each dialect has its own. */
type Numbered<T, Key extends keyof T> = Omit<T, Key> & Record<Key, number>;

/** The process that is at it; '' in rows of a release that named none. */
type Holder = Generated<string>;

type PlanFields = Pick<Plan, 'id' | 'incidentId' | 'action' | 'state' | 'proposedAt'>;
type RunFields = Omit<Run, 'target' | 'steps' | 'checks'>;

/**
 * The tables, for both dialects: ids are text, times bigint epoch ms, JSON is text that a schema parses on the way out.
 * In the database their names have underscores: `incidentId` is the column `incident_id`.
 */
export type Tables = {
  incident: Numbered<Incident, 'certain' | 'causeCertain'>;
  snapshot: { id: string; incidentId: string; at: number; hash: string };
  snapshotFile: { snapshotId: string; name: string; encoding: 'text' | 'json' | 'gzip-base64'; body: string };
  finding: {
    id: string;
    incidentId: string;
    snapshotId: string;
    n: number;
    at: number;
    diagnosis: string;
    death: string | null;
  };
  /** A message is to be sent where it has a `body`, and is shown where it has a `ts`; both only where nothing supersedes it. */
  outbox: {
    id: string;
    incidentId: string;
    kind: string;
    conversation: string;
    thread: string | null;
    ts: string | null;
    body: string | null;
    supersededBy: string | null;
    n: number;
    holder: Holder;
  };
  /** The newest answer about each finding of an incident. */
  feedback: Numbered<Feedback, 'right'>;
  request: { id: string; at: number; isRetried: number; body: string; holder: Holder };
  triage: Numbered<TriageRun, 'externallyShared'> & { holder: Holder };
  /** Processes that serve on this database, and when they were seen last. */
  replica: { id: string; seenAt: number };
  event: { incidentId: string; n: number; at: number; kind: string; body: string };
  audit: AuditRow;
  auditHead: { id: number; seq: number; hash: string };
  /** `body` is the whole plan as it was made; its state stands in `state` alone. */
  plan: PlanFields & { workload: string; version: number; body: string };
  approval: {
    planId: string;
    who: string;
    decision: 'approve' | 'reject';
    hash: string;
    breakGlass: string | null;
    at: number;
  };
  run: RunFields & { workload: string; target: string; checks: string; executionId: string | null };
  step: StepRecord & { runId: string };
  baseline: { runId: string; at: number; body: string };
  /** `body` is the draft as it was entered; what may change since then stands in the other columns. */
  ledger: Omit<TemporaryChange, Exclude<keyof ChangeDraft, 'id' | 'runId' | 'incidentId' | 'expiresAt'>> & {
    body: string;
  };
  silence: Silence;
  measuredStart: MeasuredStart;
  alert: TakenAlert;
  pause: { id: number; pausedBy: string; at: number; reason: string };
};

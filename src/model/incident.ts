import { z } from 'zod';
import { Cause, Phase, Plane } from './taxonomy.ts';

/** Where a message stands: `conversation` and `ts` together are the key. */
export const MessageRef = z.strictObject({ conversation: z.string(), ts: z.string() });
export type MessageRef = z.infer<typeof MessageRef>;

/** One failure of one workload. Times are epoch ms. */
export const Incident = z.strictObject({
  id: z.string(),
  key: z.string(),
  cluster: z.string(),
  namespace: z.string(),
  pod: z.string(),
  workload: z.string(),
  plane: Plane,
  phase: Phase,
  cause: Cause,
  /** Whether it is proven which memory failed, and whether at startup or while serving. */
  certain: z.boolean(),
  causeCertain: z.boolean(),
  state: z.enum(['open', 'closed']),
  seen: z.int().min(1),
  openedAt: z.number(),
  lastSeenAt: z.number(),
  closedAt: z.number().nullable(),
  /** A person, or `oombot`; both null while it is open. */
  closedBy: z.string().nullable(),
  closedWhy: z.string().nullable(),
  reopenedAt: z.number().nullable(),
  /** Who is on it, and since when. */
  ackBy: z.string().nullable(),
  ackAt: z.number().nullable(),
});
export type Incident = z.infer<typeof Incident>;

/** A look at a pod in which nothing had failed: kept, and never open. */
export function isHealthyReading({ plane, openedAt, closedAt }: Incident): boolean {
  return plane === 'none' && closedAt === openedAt;
}

/** One request for a triage, written before any work starts, so that one cut off by a restart is finished or closed at boot. */
export const TriageRun = z.strictObject({
  id: z.string(),
  incidentId: z.string().nullable(),
  query: z.string(),
  cluster: z.string().nullable(),
  asker: z.string(),
  /** Asked from a channel shared with another organisation: a reading done again must not show more than the first. */
  externallyShared: z.boolean(),
  conversation: z.string().nullable(),
  ts: z.string().nullable(),
  state: z.enum(['running', 'done', 'failed', 'interrupted']),
  outcome: z.string().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type TriageRun = z.infer<typeof TriageRun>;

/** The outcome of a triage under way that a restart has cut off once. */
export const RETRIED = 'retried';

/** What a message of an incident shows: its card, the thread below it, one plan and the run that follows from it, details and reminder of that plan, why it was decided, how that run has ended, that a message about it was refused, what becomes of its change, that the incident is closed, that its alerts are resolved, or a handover. Of a channel: a shift handover, that acting is paused, that it is resumed. */
export type MessageKind = 'card' | `${MessageTopic}/${string}`;
type MessageTopic =
  | 'alert'
  | 'plan'
  | 'details'
  | 'remind'
  | 'refused'
  | 'report'
  | 'decided'
  | 'thread'
  | 'closed'
  | 'change'
  | 'handover'
  | 'timeline'
  | 'pause'
  | 'resume'
  | 'shift';

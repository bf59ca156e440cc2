import type { TriageRun } from './incident.ts';
import { QUIET_USER } from './started-by.ts';

export type RecentTriage = Pick<TriageRun, 'id' | 'asker' | 'startedAt'>;

// Replicas that die of one cause die within minutes, and each sends alerts of several kinds.
const JOIN_MS = 10 * 60_000;
// A crash loop restarts every five minutes for days: after some triages of a day the next ones say the same.
const MANY = 3;
const LOOP_JOIN_MS = 60 * 60_000;
/** How far back triages of a workload matter. */
export const LOOK_BACK_MS = 24 * 60 * 60_000;

/**
 * Which triage of the workload a new alert or death belongs to, of those since `LOOK_BACK_MS`, the last first. What has to
 * be posted joins none that is quiet.
 */
export function joinedTriage(recent: readonly RecentTriage[], now: number, isQuiet: boolean): string | undefined {
  const fitting = recent.filter(({ asker }) => isQuiet || asker !== QUIET_USER);
  // A clock that was set back leaves triages in the future, and those of replicas differ by a little.
  const joinMs = fitting.length >= MANY ? LOOP_JOIN_MS : JOIN_MS;
  return fitting.find(({ startedAt }) => Math.abs(now - startedAt) <= joinMs)?.id;
}

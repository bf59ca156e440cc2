import { z } from 'zod';

/** How bad an open incident is now: no ready replica, some replicas lost, crash-looping but covered, or a warning. */
export const Severity = z.enum(['critical', 'high', 'medium', 'low']);
export type Severity = z.infer<typeof Severity>;

/** A replica now; times in epoch ms, `restartedAt` undefined where no container was restarted. */
export type Replica = { readonly ready: boolean; readonly createdAt: number; readonly restartedAt: number | undefined };

// A crash loop backs off for at most five minutes, so one that goes on restarts within this time.
const LOOP_MS = 30 * 60_000;

/**
 * Severity of a workload by its replicas; the order of the incidents in a handover. Crash-looping replicas are covered
 * while at least half of all are ready; a replica that is down without restarting is lost.
 */
export function severityOf(replicas: readonly Replica[], now: number): Severity {
  const down = replicas.filter(({ ready }) => !ready);
  const loops = ({ restartedAt }: Replica): boolean => restartedAt !== undefined && now - restartedAt < LOOP_MS;
  if (down.length === replicas.length) return 'critical';
  if (down.length * 2 > replicas.length || down.some((replica) => !loops(replica))) return 'high';
  return replicas.some(loops) ? 'medium' : 'low';
}

/** The most severe first. */
export function bySeverity(a: Severity, b: Severity): number {
  return Severity.options.indexOf(a) - Severity.options.indexOf(b);
}

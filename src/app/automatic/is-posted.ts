import { isInQuietHours, type QuietHours } from '../../model/quiet-hours.ts';
import { bySeverity, type Severity } from '../../model/severity.ts';

/** When the watch of a namespace posts what it finds; all else is found quietly. */
export type PostRule = {
  readonly mode: 'on' | 'quiet';
  readonly minSeverity: Severity;
  readonly quietHours?: QuietHours | undefined;
};

/** Whether a finding of this severity is posted at `at`, epoch ms. Quiet hours hold back all but critical ones. */
export function isPosted({ mode, minSeverity, quietHours }: PostRule, severity: Severity, at: number): boolean {
  if (mode === 'quiet' || bySeverity(severity, minSeverity) > 0) return false;
  return severity === 'critical' || quietHours === undefined || !isInQuietHours(quietHours, at);
}

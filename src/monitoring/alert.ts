import type { PanelId } from './panels.ts';

/**
 * One alert. `of` is what its labels name: a pod, a workload, or the bot itself. `expr` is true while something is wrong,
 * so that the alert resolves without help.
 */
export type Alert = {
  readonly alert: string;
  readonly of: 'pod' | 'workload' | 'bot';
  readonly expr: string;
  /** How long it has to be true. */
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly why: string;
  readonly panel: PanelId;
};

import type { Stage } from './frame-line.ts';

const STARTING: ReadonlySet<Stage> = new Set(['device', 'load', 'profile', 'buffers', 'kv-cache', 'graph-capture']);

/** Whether a stage belongs to the start of an engine. */
export function isStarting(stage: Stage): boolean {
  return STARTING.has(stage);
}

import { readRollbackNote } from '../run/rollback-note.ts';
import type { Scalable, Work } from './plan-context.ts';

/** How many replicas there were before a stop: by the store's record, else by the note on the object; undefined where neither tells. */
export function recordedCount({ input }: Work, scale: Scalable): number | undefined {
  const note = readRollbackNote(scale.object);
  const noted = scale.kind === 'count' ? note?.before?.[scale.path] : undefined;
  // The value before may be the zero, or the one replica, that a way up has found.
  const count = input.recordedReplicas ?? note?.replicas ?? noted;
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : undefined;
}

import { readRollbackNote } from '../run/rollback-note.ts';
import type { Scalable, Work } from './work.ts';

/** How many replicas there were before a stop: by the store's record, else by the note on the object; undefined where neither tells. */
export function recordedCount({ input }: Work, scale: Scalable): number | undefined {
  const note = readRollbackNote(scale.object);
  const noted = scale.kind === 'count' ? note?.before?.[scale.path] : undefined;
  const count = input.recordedReplicas ?? noted ?? note?.replicas;
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : undefined;
}

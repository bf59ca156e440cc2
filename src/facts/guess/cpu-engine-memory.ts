import { type Evidence, isOfProcessor } from '../evidence/evidence.ts';
import type { Read } from './family.ts';

/** On a CPU engine a memory that nobody names is RAM. */
export function inOwnMemory(evidence: Evidence, read: readonly Read[]): readonly Read[] {
  return isOfProcessor(evidence) ? read.map(inRam) : read;
}

function inRam(read: Read): Read {
  const { plane } = read.family;
  return plane === 'gpu'
    ? { ...read, family: { plane: 'host', starting: 'host.startup.limit', serving: 'host.startup.limit' } }
    : read;
}

import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { readAccountOf } from './told/account.ts';

// A kill for want of memory by name of who does it: what is killed by somebody else, or at a bound, is told otherwise.

// What was another before: its image, its version, what rolls it out.

// How a growth ended, in the words of who watched it.

/** Kills by the kernel that people noted beside the log, that memory ran out, and the change that they noted before the failure. */
export function deriveToldKills(evidence: Evidence): Group {
  const { prose, rows } = readAccountOf(evidence);
  return {};
}

import type { Fact } from '../../../model/fact.ts';
import { parseSize } from '../../../model/quantity.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { tailLines } from '../weigh/tail-lines.ts';

// The shell counts in KiB (bash ulimit.def, -l), and the kernel, soft and hard limit in a row, in bytes (/proc/PID/limits).
const NOTED =
  /\b(?:ulimit -l|max locked memory)\b[^\n\d]{0,40}(\d{1,20})(?: +(?:\d{1,20}|unlimited)(?= +bytes))?(?: *([KMG]i?B|bytes|kbytes)\b)?/i;

/** How much RAM a process may lock, as somebody noted it beside the log. */
export function readLockLimit(evidence: Pick<Evidence, 'readings' | 'log'>): Fact | undefined {
  const notes = evidence.log.notes.flatMap(tailLines).map((from) => ({ text: from.text, from }));
  for (const { text, from } of [...remarkLines(evidence), ...notes]) {
    const [, amount, unit = 'KiB'] = NOTED.exec(text) ?? [];
    const bytes = /^bytes$/i.test(unit) ? Number(amount) : parseSize(`${amount} ${unit.replace(/^kbytes$/i, 'KiB')}`);
    if (amount !== undefined && bytes !== undefined) return fact(bytes, [from]);
  }
  return undefined;
}

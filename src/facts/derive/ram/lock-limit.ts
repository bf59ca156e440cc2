import type { Fact } from '../../../model/fact.ts';
import { parseSize } from '../../../model/quantity.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { citeHit } from '../weigh/weigh.ts';

// The shell counts in KiB (bash ulimit.def, -l), and the kernel, soft and hard limit in a row, in bytes (/proc/PID/limits).
const NOTED =
  /\b(?:ulimit -l|max locked memory)\b[^\n\d]{0,40}(\d{1,20})(?: +(?:\d{1,20}|unlimited)(?= +bytes))?(?: *([KMG]i?B|bytes|kbytes)\b)?/i;

// Lines in which a card of a network, or what drives it, is refused memory that has to be locked.
const REFUSED: ReadonlySet<string> = new Set(['rdma.locked-memory', 'rdma.pin-limit']);

/** Whether memory was refused to a network card; known only where it was. */
export function readLockRefused({ weighing }: Pick<Evidence, 'weighing'>): Fact | undefined {
  const line = weighing.all.find(({ phrase }) => REFUSED.has(phrase.id));
  return line && fact(true, [citeHit(line)]);
}

/** How much RAM a process may lock, as the line that was refused has it, or somebody noted it beside the log. */
export function readLockLimit(evidence: Pick<Evidence, 'readings' | 'log' | 'weighing'>): Fact | undefined {
  const refused = evidence.weighing.all.filter(({ phrase }) => REFUSED.has(phrase.id)).map(citeHit);
  const lines = [...refused, ...evidence.log.notes.flatMap(tailLines)].map((from) => ({ text: from.text, from }));
  for (const { text, from } of [...remarkLines(evidence), ...lines]) {
    const [, amount, unit = 'KiB'] = NOTED.exec(text) ?? [];
    const bytes = /^bytes$/i.test(unit) ? Number(amount) : parseSize(`${amount} ${unit.replace(/^kbytes$/i, 'KiB')}`);
    if (amount !== undefined && bytes !== undefined) return fact(bytes, [from]);
  }
  return undefined;
}

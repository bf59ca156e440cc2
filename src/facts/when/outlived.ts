import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';

// Lines of one report.
// What stands between the lines around it that have a time.

/** Failures of memory before the end that is looked at, below which the same engine is seen at work: the last of them, and how many. */
export function deriveOutlived(evidence: Evidence): Group {
  const { main } = evidence.log;
  const proofs = main?.outlived ?? [];
  const last = proofs.at(-1);
  const memory = last && evidence.readings.phrases.byId.get(last.id)?.plane;
  if (main === undefined || last === undefined || (memory !== 'gpu' && memory !== 'host')) return {};
  const from = [{ kind: 'line' as const, file: main.file, line: last.line, text: last.text }];
  return {};
}

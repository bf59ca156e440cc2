import type { Hit } from '../../../model/log-reading.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import type { Moment } from './moment.ts';
import { runOfLog } from './run-of-log.ts';

// Lines of one report.
const BESIDE_LINES = 12;
// What stands between the lines around it that have a time.
const NEAR_MS = 300_000;

/** Failures of memory before the end that is looked at, below which the same engine is seen at work: the last of them, and how many. */
export function deriveOutlived(evidence: Evidence): Group {
  const { main } = evidence.log;
  const proofs = main?.outlived ?? [];
  const last = proofs.at(-1);
  const memory = last && evidence.readings.phrases.byId.get(last.id)?.plane;
  if (main === undefined || last === undefined || (memory !== 'gpu' && memory !== 'host')) return {};
  const from = [{ kind: 'line' as const, file: main.file, line: last.line, text: last.text }];
  const at = last.at ?? timeOf(runOfLog(evidence, main).moment(last.line));
  return {
    'outlived.memory': fact(memory, from),
    'outlived.at': fact(at, from),
    'outlived.times': fact(reportsIn(proofs), from),
  };
}

function timeOf({ from, to }: Moment): number | undefined {
  return to - from <= NEAR_MS ? from : undefined;
}

function reportsIn(proofs: readonly Hit[]): number {
  return proofs.filter(({ line }, i) => line - (proofs[i - 1]?.line ?? Number.NEGATIVE_INFINITY) > BESIDE_LINES).length;
}

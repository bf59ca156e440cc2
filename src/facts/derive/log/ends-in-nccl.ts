import type { Citation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';

// NCCL_DEBUG=INFO; `Init COMPLETE` means that it was done. The engines' own line comes right before the first rank asks for its
// communicator; what they print next comes after it, for all groups of ranks (vLLM and SGLang pynccl.py; vLLM
// parallel_state.py, "rank 0 in world size 2 is assigned").
const SETS_UP = /\bNCCL (?:INFO|WARN) (?!.*Init COMPLETE)|\b(?:vLLM|sglang) is using nccl==/;

/** Whether a log ends while its ranks connect: in its last line, or in the last above an error. */
export function readEndsInNccl({ log }: Pick<Evidence, 'log'>, error: Citation | undefined): Fact | undefined {
  const last = lastLine(log.main);
  if (last === undefined || log.main === undefined || SETS_UP.test(last.text)) return last && known(true, last);
  const at = error?.kind === 'line' && error.file === last.file ? error.line : undefined;
  const above = tailLines(log.main).findLast(({ line }) => line < (at ?? 0));
  return above !== undefined && SETS_UP.test(above.text) ? known(true, above) : known(false, last);
}

import type { LineCitation } from '../../model/citation.ts';
import type { Evidence } from './evidence.ts';
import { firstException } from './exception.ts';
import { tailLines } from './tail-lines.ts';
import { citeHit, type Weighed } from './weigh.ts';

// Blocks that a decode node did not fetch in time are given back, and the node works on (vLLM
// distributed/kv_transfer/kv_connector/v1/nixl_connector.py).
const EXPIRED = 'vllm.nixl.expired';
const COMPLAINS = 'kv-transfer.failed';

// What hands KV blocks between nodes, and the scheduler's own books of it (vLLM v1/core/sched/scheduler.py): a request whose
// blocks were given back is reported as sent once more.
const FRAME = /\bdistributed\/kv_transfer\/|\bin _update_(?:from_kv_xfer_finished|waiting_for_remote_kv)\b/;
const TRACEBACK_LINES = 80;

/** The error in the transfer of KV blocks below the line that decides, where that line only says that blocks had expired. */
export function brokenTransfer(
  { weighing, log }: Pick<Evidence, 'weighing' | 'log'>,
  { phrase, hit, file }: Weighed,
): LineCitation | undefined {
  if (phrase.id !== EXPIRED || log.main === undefined || file !== log.main.file) return undefined;
  const complaint = weighing.all.find((one) => one.phrase.id === COMPLAINS && one.hit.line > hit.line);
  if (complaint !== undefined) return citeHit(complaint);
  const from = firstException({ log })?.from;
  if (from?.kind !== 'line' || from.line <= hit.line) return undefined;
  const above = tailLines(log.main).filter(({ line }) => line < from.line && from.line - line <= TRACEBACK_LINES);
  return above.some(({ line, text }) => line > hit.line && FRAME.test(text)) ? from : undefined;
}

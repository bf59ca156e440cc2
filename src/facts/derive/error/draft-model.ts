import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { lineOfFailure } from '../weigh/weigh.ts';

// SGLang sets up the worker of the draft model last, when the main model, its pool and its graphs are on the cards
// (sglang srt/managers/scheduler.py, srt/speculative/eagle_worker.py).
const DRAFT = /\bself\.draft_worker = |\/speculative\/\w{0,40}worker\w{0,10}\.py", line \d{1,7}, in __init__/;
const TRACEBACK_LINES = 150;

/** Whether the frames of the failure set up the draft model of speculative decoding. */
export function readDraftModel({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Fact | undefined {
  const last = lastLine(log.main);
  if (log.main === undefined || last === undefined) return undefined;
  const end = lineOfFailure(weighing, log.main) ?? last.line;
  const near = tailLines(log.main).filter(({ line }) => line <= end && end - line <= TRACEBACK_LINES);
  const frame = near.find(({ text }) => DRAFT.test(text));
  return frame === undefined ? fact(false, [last]) : fact(true, [frame]);
}

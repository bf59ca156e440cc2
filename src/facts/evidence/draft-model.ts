import type { Fact } from '../../model/fact.ts';
import { fact } from '../log/draft.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import type { Evidence } from './evidence.ts';
import { lineOfFailure } from './weigh.ts';

// SGLang sets up the worker of the draft model last, when the main model, its pool and its graphs are on the GPUs
// (sglang srt/managers/scheduler.py, srt/speculative/eagle_worker.py); vLLM loads it right behind the main model
// (vllm/v1/worker/gpu_model_runner.py, load_model; vllm/v1/spec_decode/eagle.py).
const DRAFT =
  /\bself\.draft_worker = |\/speculative\/\w{0,40}worker\w{0,10}\.py", line \d{1,7}, in __init__|\bself\.drafter\.load_model\(|\/spec_decode\/\w{1,40}\.py", line \d{1,7}, in load_model/;
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

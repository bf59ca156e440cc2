import type { Citation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import { isDeath } from '../error/raised.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';

// The bar of LLM.generate, encode and their kind; each call draws one of its own from 0 % on (vLLM entrypoints/llm.py,
// entrypoints/common/offline.py, entrypoints/pooling/offline.py).
const PROGRESS = /\b(Processed prompts|Adding requests): {1,8}(\d{1,3})%/g;
// Signal 15 is what a parent that ends sends its workers, and what they die of by themselves in no case (vLLM V0,
// executor/multiproc_worker_utils.py, WorkerMonitor).
const TOLD_TO_END = /\bWorker \S{1,60} pid \d{1,20} died, exit code: -15\b/;
// Whoever still asks gets the death as an error.
const ASKED = /\bTraceback \(most recent|\bEngineDeadError\b/;

/** Whether the last batch of a program had been answered in full before it saw its engine gone, and nobody asked again. */
export function readWorkDone({ log }: Pick<Evidence, 'log'>, error: Citation | undefined): Fact | undefined {
  const last = lastLine(log.main);
  if (last === undefined || log.main === undefined) return undefined;
  const lines = tailLines(log.main);
  const drawn = lines.findLast(({ text }) => text.search(PROGRESS) >= 0);
  const [, what, percent] = [...(drawn?.text ?? '').matchAll(PROGRESS)].at(-1) ?? [];
  const done = what === 'Processed prompts' && percent === '100';
  if (drawn === undefined || !done || error?.kind !== 'line' || error.line < drawn.line) return known(false, last);
  return (isDeath(error.text) || TOLD_TO_END.test(error.text)) && !lines.some(({ text }) => ASKED.test(text))
    ? known(true, drawn, error)
    : known(false, last);
}

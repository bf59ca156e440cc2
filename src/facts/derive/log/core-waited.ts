import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { citeHit } from '../weigh/weigh.ts';
import { speaksOfMemory } from './timed-out.ts';

// The worker was gone, and its core did not wait any longer (vllm/v1/executor/multiproc_executor.py, monitor_workers).
const GONE = /\bdied unexpectedly\b|\bRuntimeError: cancelled\b/;

/** Whether the log breaks off within the wait of vLLM's core for a worker that does not answer. */
export function readCoreWaited(evidence: Pick<Evidence, 'weighing' | 'log' | 'readings'>): Fact | undefined {
  const { weighing, log } = evidence;
  const waited = weighing.all.find(({ phrase, file }) => phrase.id === WAITED && file === log.main?.file);
  if (waited === undefined || log.main === undefined) return undefined;
  const gone = tailLines(log.main).some(({ text }) => GONE.test(text));
  return fact(!gone && !speaksOfMemory(evidence), [citeHit(waited)]);
}

const WAITED = 'vllm.die.waited-frame';

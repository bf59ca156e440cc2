import type { Cited } from '../../model/engine-reader.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, lineOfFailure } from '../evidence/weigh.ts';
import { factOf } from '../log/draft.ts';

/** The step in which the engine died. */
export const STEP = defineFacts(
  {
    'step.scheduled-tokens': {
      unit: 'tokens',
      says: 'tokens in the step that failed',
      needs: 'the scheduler dump that the engine prints when it dies',
    },
  },
  (evidence) => ({ 'step.scheduled-tokens': factOf(dumped(evidence) ?? prefilled(evidence)) }),
);

// vLLM V1 prints the step that failed: vllm/logging_utils/dump_input.py, anon_repr of vllm/v1/core/sched/output.py.
// Several signatures stand on the one line of the dump, each with the part of it that is kept around it.
function dumped({ weighing }: Evidence): Cited<number> | undefined {
  const dumps = weighing.all.filter(({ signature }) => hasRole(signature, 'step-dump'));
  const last = dumps.at(-1)?.hit.line;
  const of = dumps.find(({ hit }) => hit.line === last && hit.captures.tokens !== undefined);
  const value = Number(of?.hit.captures.tokens ?? Number.NaN);
  return of !== undefined && Number.isFinite(value) ? { value, from: citeHit(of) } : undefined;
}

// SGLang prints each prefill before it runs it, so the last line of a batch above the failure tells its step.
function prefilled({ weighing, log }: Evidence): Cited<number> | undefined {
  const failed = lineOfFailure(weighing, log.main);
  if (failed === undefined) return undefined;
  const last = weighing.all.findLast(({ signature, hit }) => hasRole(signature, 'batch') && hit.line <= failed);
  const tokens = last?.hit.captures.newToken;
  return last && tokens !== undefined ? { value: Number(tokens), from: citeHit(last) } : undefined;
}

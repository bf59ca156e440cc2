import type { LineCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { factOf, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, lineOfFailure, type Weighed } from '../evidence/weigh.ts';

// vLLM V1 prints the step that failed: vllm/logging_utils/dump_input.py, anon_repr of vllm/v1/core/sched/output.py.
const DUMPS: ReadonlySet<string> = new Set([
  'vllm.run.dump-scheduler',
  'vllm.run.dump-new-request',
  'vllm.run.dump-tokens',
]);

/** The step in which the engine died, as its dump tells: prompts as lengths, requests by their ids. */
export function deriveStep(evidence: Evidence): Group {
  const lines = dumpedIn(evidence);
  return {
    'step.scheduled-tokens': scheduled(lines) ?? prefilled(evidence),
  };
}

type Dumped = { readonly weighed: Weighed; readonly from: LineCitation };

// Several phrases stand on the one line of the dump, each with the part of it that is kept around it.
function dumpedIn({ weighing }: Evidence): readonly Dumped[] {
  const dumps = weighing.all.filter(({ phrase }) => DUMPS.has(phrase.id));
  const last = dumps.at(-1)?.hit.line;
  return dumps.filter(({ hit }) => hit.line === last).map((weighed) => ({ weighed, from: citeHit(weighed) }));
}

function scheduled(lines: readonly Dumped[]) {
  const of = lines.find(({ weighed }) => weighed.hit.captures.tokens !== undefined);
  const value = Number(of?.weighed.hit.captures.tokens ?? Number.NaN);
  return of !== undefined && Number.isFinite(value) ? factOf({ value, from: of.from }) : undefined;
}

// vllm/sampling_params.py; vllm/v1/core/sched/output.py, NewRequestData and SchedulerOutput.

// Of the requests that are new in the step, the first that wants the probabilities of its prompt's own tokens.

// SGLang prints each prefill before it runs it, so the last line of a batch above the failure tells its step.
function prefilled({ weighing, log }: Evidence) {
  const failed = lineOfFailure(weighing, log.main);
  if (failed === undefined) return undefined;
  const last = weighing.all.findLast(({ phrase, hit }) => BATCHES.has(phrase.id) && hit.line <= failed);
  const tokens = last?.hit.captures.newToken;
  return last === undefined || tokens === undefined
    ? undefined
    : factOf({ value: Number(tokens), from: citeHit(last) });
}

const BATCHES: ReadonlySet<string> = new Set(['sglang.num.prefill-batch', 'sglang.num.decode-batch']);

/** 95 % of what 20 and more lines of a gateway say, of the last ones before the failure that were kept. */
export function gatewayLength({ readings }: Evidence, side: 'input' | 'output'): Cited<number> | undefined {
  const lengths = readings.logs.flatMap(({ file, hits }) =>
    hits.flatMap((hit) => {
      const tokens = Number(hit.id === 'gateway.tokens' ? (hit.captures[side] ?? Number.NaN) : Number.NaN);
      const from = { kind: 'line', file, line: hit.line, text: hit.text } as const;
      return Number.isFinite(tokens) ? [{ value: tokens, from }] : [];
    }),
  );
  if (lengths.length < FEWEST) return undefined;
  const sorted = lengths.toSorted((a, b) => a.value - b.value);
  return sorted[Math.ceil(sorted.length * 0.95) - 1];
}

// Of fewer a 95th percentile is their longest.
const FEWEST = 20;

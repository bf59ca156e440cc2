import type { LineCitation } from '../../../model/citation.ts';
import type { Cited } from '../../../model/engine-reader.ts';
import { computed, fact, factOf, type Group, ratio } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { citeHit, lineOfFailure, type Weighed } from '../weigh/weigh.ts';

// vLLM V1 prints the step that failed: vllm/logging_utils/dump_input.py, anon_repr of vllm/v1/core/sched/output.py.
const DUMPS: ReadonlySet<string> = new Set([
  'vllm.run.dump-scheduler',
  'vllm.run.dump-new-request',
  'vllm.run.dump-tokens',
]);
const NEW_REQUEST = /NewRequestData\(req_id=([\w.:@-]{1,100}),\s?prompt_token_ids_len=(\d{1,9})\b/g;
const SCHEDULED = /num_scheduled_tokens=\{([^{}]{0,1900})\}/;

/** The step in which the engine died, as its dump tells: prompts as lengths, requests by their ids. */
export function deriveStep(evidence: Evidence, usual: Cited<number> | undefined): Group {
  const lines = dumpedIn(evidence);
  const longest = longestOf(lines);
  return {
    'step.scheduled-tokens': scheduled(lines) ?? prefilled(evidence),
    'step.requests': requestsIn(lines),
    'step.pool-share': poolShare(evidence),
    'step.asks-more': asksMore(lines),
    'step.prompt-logprobs': promptLogprobs(lines),
    'step.longest-prompt': longest && fact(longest.tokens, [longest.from]),
    'step.longest-request': longest && fact(longest.id, [longest.from]),
    'step.against-usual': computed([longest && { value: longest.tokens, from: longest.from }, usual], ratio),
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
const ASKS_MORE =
  /\bprompt_logprobs=\d|\bscheduled_encoder_inputs=\{[^}]|\bmm_(?:inputs|features|hashes|positions)=\[[^\]]/;

function asksMore(lines: readonly Dumped[]) {
  const [first] = lines;
  const more = lines.find(({ from }) => ASKS_MORE.test(from.text));
  return first && fact(more !== undefined, [(more ?? first).from]);
}

// Of the requests that are new in the step, the first that wants the probabilities of its prompt's own tokens.
const PROMPT_LOGPROBS =
  /NewRequestData\(req_id=([\w.:@-]{1,100}),(?:(?!NewRequestData\()[^\n]){0,1900}?\bprompt_logprobs=\d/;

function promptLogprobs(lines: readonly Dumped[]) {
  for (const { weighed, from } of lines) {
    const id = PROMPT_LOGPROBS.exec(weighed.hit.text)?.[1];
    if (id !== undefined) return fact(id, [from]);
  }
  return undefined;
}

function poolShare({ weighing }: Evidence) {
  const last = weighing.all.findLast(({ phrase }) => phrase.id === 'vllm.run.dump-stats');
  const share = Number(last?.hit.captures.share ?? Number.NaN);
  return last !== undefined && Number.isFinite(share) ? factOf({ value: share, from: citeHit(last) }) : undefined;
}

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

function requestsIn(lines: readonly Dumped[]) {
  for (const { weighed, from } of lines) {
    const inside = SCHEDULED.exec(weighed.hit.text)?.[1];
    if (inside !== undefined) return fact(inside.trim() === '' ? 0 : inside.split(',').length, [from]);
  }
  return undefined;
}

type Asked = { readonly id: string; readonly tokens: number; readonly from: LineCitation };

function longestOf(lines: readonly Dumped[]): Asked | undefined {
  const asked = lines.flatMap(({ weighed, from }) =>
    [...weighed.hit.text.matchAll(NEW_REQUEST)].map(([, id = '', length]) => ({ id, tokens: Number(length), from })),
  );
  return asked.toSorted((a, b) => b.tokens - a.tokens)[0];
}

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

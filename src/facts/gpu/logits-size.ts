import type { Cited, EngineArgument } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { vocabularyOf } from '../../model/model-table.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { effectiveArgument, modelArgument } from '../../read/engine/arguments.ts';
import { unknown } from '../../read/reading.ts';
import { defineFacts, type Told } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tensorRanksOf } from '../evidence/ranks.ts';
import { citeHit } from '../evidence/weigh.ts';
import { citedNumber, fact, uniqueProof } from '../log/draft.ts';
import { OOM_LINE } from '../log/needs.ts';
import { fitLogits } from './fit-logits.ts';

/** Of what the rows of logits are: one for each sequence that samples, or one for each token whose probability is asked for. */
const LOGITS_OF = ['step-tokens', 'sequences', 'batched-tokens', 'nothing'] as const;

type Rows = {
  readonly of: (typeof LOGITS_OF)[number];
  readonly rows: Cited<number>;
  readonly bytes: readonly number[];
};

/** Whether the request that failed is as large as logits over the model's vocabulary, for a number of rows that this incident names. */
export const GPU_LOGITS = defineFacts(
  {
    'gpu.logits-of': {
      unit: 'choice',
      values: [...LOGITS_OF],
      says: 'the failed allocation has the size of the logits of',
      needs: `${OOM_LINE}, the name of a known model, and the limits of a step or its dump`,
    },
  },
  ({ account, args, weighing }, told) => ({
    'gpu.logits-of': measured({
      want: account?.want,
      vocabulary: wordsPrinted(weighing) ?? wordsOf(args),
      rows: rowsIn(told, warmedUpWith(weighing)),
      ranks: tensorRanksOf(args),
    }),
  }),
);

// A draft or an encoder has words of its own: of several numbers none is known to be the model's.
function wordsPrinted({ all }: Evidence['weighing']): Cited<number> | undefined {
  const printed = all.filter(({ hit }) => hit.captures.words !== undefined);
  const [words, ...more] = new Set(printed.map(({ hit }) => Number(hit.captures.words)));
  const from = printed[0] && citeHit(printed[0]);
  return words === undefined || more.length > 0 || from === undefined ? undefined : { value: words, from };
}

// A path says nothing, and then the name under which the model is served may.
function wordsOf(args: readonly EngineArgument[]): Cited<number> | undefined {
  return [modelArgument(args), effectiveArgument(args, '--served-model-name')]
    .flatMap((named) => {
      const words = named?.value == null ? undefined : vocabularyOf(named.value);
      return named === undefined || words === undefined ? [] : [{ value: words, from: named.from }];
    })
    .at(0);
}

// Logits as the last layer gives them, then in 32 bits; a sort for top-k and top-p keeps 64-bit indices next to them
// (vllm/v1/sample/sampler.py, ops/topk_topp_sampler.py; python/sglang/srt/layers/logits_processor.py).
const SAMPLED = [4, 2, 8];
const SCORED = [4, 2];

// The dump of a step tells what ran; without it the bounds of a step stand for a full one. How many run by a line of
// figures counts for nothing: it is another step's.
function rowsIn(told: Told, dummies: Cited<number> | undefined): readonly Rows[] {
  const of = (id: string) => citedNumber(told[id]);
  const step = rows('step-tokens', of('step.scheduled-tokens'), SCORED);
  if (step.length > 0) return step;
  const batched = of('engine.max-batched-tokens');
  return [
    ...rows('sequences', dummies ?? atMost(of('engine.max-num-seqs'), batched), SAMPLED),
    ...rows('batched-tokens', batched, SCORED),
  ];
}

function rows(of: Rows['of'], count: Cited<number> | undefined, bytes: readonly number[]): readonly Rows[] {
  return count === undefined || count.value < 1 ? [] : [{ of, rows: count, bytes }];
}

// The sampler is warmed up with as many sequences as a step may hold tokens (gpu_worker.py, compile_or_warm_up_model).
function atMost(count: Cited<number> | undefined, most: Cited<number> | undefined): Cited<number> | undefined {
  return count !== undefined && most !== undefined && most.value < count.value ? most : count;
}

// vLLM says with how many requests it warmed the sampler up where that failed.
function warmedUpWith({ all }: Evidence['weighing']): Cited<number> | undefined {
  const failed = all.find(({ signature }) => hasRole(signature, 'sampler-warmup'));
  return failed && { value: Number(failed.hit.captures.seqs), from: citeHit(failed) };
}

type Measure = {
  readonly want: Cited<number> | undefined;
  readonly vocabulary: Cited<number> | undefined;
  readonly rows: readonly Rows[];
  readonly ranks: number;
};

function measured({ want, vocabulary, rows, ranks }: Measure): Fact | undefined {
  if (want === undefined || vocabulary === undefined || rows.length === 0) return undefined;
  const fit = fitLogits({
    want: want.value,
    words: vocabulary.value,
    ranks,
    rows: rows.map((row) => ({ row, count: row.rows.value, bytes: row.bytes })),
  });
  const seen = [want.from, vocabulary.from];
  switch (fit.kind) {
    case 'vague':
      return unknown('empty', fit.why);
    case 'none':
      return fact<string>('nothing', uniqueProof([...seen, ...rows.map((row) => row.rows.from)]));
    case 'fits': {
      const { row } = fit.rows;
      return fact<string>(row.of, uniqueProof([...seen, row.rows.from]));
    }
  }
}

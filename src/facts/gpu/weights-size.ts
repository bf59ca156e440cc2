import type { Cited } from '../../model/engine-reader.ts';
import { bytesPerParameter, formatOf } from '../../model/weight-format.ts';
import { effectiveArgument, modelArgument } from '../../read/engine/arguments.ts';
import { checkpointShare } from '../evidence/checkpoint.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { ranksOf } from '../evidence/ranks.ts';
import { computed, ratio } from '../log/draft.ts';
import { ARGS, OOM_LINE } from '../log/needs.ts';
import { gpuTotal } from './gpu-total.ts';

/** The weights of one GPU against its memory: as the engine prints them, else by the name of the model. */
export const GPU_WEIGHTS = defineFacts(
  {
    'gpu.weights-share': {
      unit: 'ratio',
      says: 'weights per GPU as a share of its memory (as printed, or by the name of the model)',
      needs: 'a line with the size of the weights, or the arguments and the memory of the GPU',
    },
    'gpu.allocated-per-weights': {
      unit: 'ratio',
      says: 'allocated by PyTorch against the weights of one rank, where there are several',
      needs: `${OOM_LINE}, and ${ARGS}`,
    },
  },
  (evidence) => {
    const weights = printed(evidence) ?? checkpointShare(evidence) ?? named(evidence);
    const isSplit = ranksOf(evidence.args) > 1;
    return {
      'gpu.weights-share': computed([weights, gpuTotal(evidence)], ratio),
      'gpu.allocated-per-weights': isSplit ? computed([evidence.account?.allocated, weights], ratio) : undefined,
    };
  },
);

/** All weights by the name of the model, in the format that the GPU holds them in. */
export function namedWeights(args: Evidence['args']): Cited<number> | undefined {
  const model = readModel(args);
  return model && { value: model.parameters * model.bytes, from: model.from };
}

type Model = Pick<Cited<number>, 'from'> & { readonly parameters: number; readonly bytes: number };

// What the name of the model says of its size and of its format.
function readModel(args: Evidence['args']): Model | undefined {
  const named = modelArgument(args);
  const billions = named && billionsIn(named.value);
  if (named === undefined || billions === undefined) return undefined;
  const told = (flag: string) => effectiveArgument(args, flag)?.value ?? null;
  const format = formatOf(named.value, { quantization: told('--quantization'), dtype: told('--dtype') });
  return { parameters: billions * 1e9, bytes: bytesPerParameter(format), from: named.from };
}

function printed({ engine, incident }: Evidence): Cited<number> | undefined {
  const { weightsBytes } = engine.figures;
  // Ollama prints the whole model, and leaves in RAM what does not fit.
  if (weightsBytes === undefined || engine.engine === 'ollama') return undefined;
  if (engine.engine !== 'llama.cpp') return weightsBytes;
  // llama.cpp prints a buffer for each device, which the ledger sums.
  const count = incident?.gpu?.count;
  return count == null ? undefined : { ...weightsBytes, value: weightsBytes.value / count };
}

// Engines that put 1/ranks of a model on each GPU, whatever else is in the machine.
const SHARDS_BY_RANKS: ReadonlySet<string> = new Set(['vllm', 'sglang']);

function named({ engine, args }: Evidence): Cited<number> | undefined {
  if (!SHARDS_BY_RANKS.has(engine.engine) || args.some(({ flag }) => flag.startsWith('--cpu-offload')))
    return undefined;
  const model = readModel(args);
  return model && { value: (model.parameters * model.bytes) / ranksOf(args), from: model.from };
}

// `Qwen3-30B-A3B` has 30 (what is active counts for nothing here), `Mixtral-8x7B` 47: experts share the attention.
const EXPERTS = /(?:^|[-_/. ])(\d{1,3})x(\d{1,4}(?:\.\d{1,3})?)b(?=[-_. /]|$)/i;
const DENSE = /(?:^|[-_/. ])(\d{1,4}(?:\.\d{1,3})?)b(?=[-_. /]|$)/i;
// `opt-125m`, `gemma-3-270m`: a length of context (`-1M`) has fewer figures.
const MILLIONS = /(?:^|[-_/. ])(\d{2,3})m(?=[-_. /]|$)/i;
const SHARED_BY_EXPERTS = 0.8;

// `Llama-4-Scout-17B-16E`: what one token uses, and of how many experts; the whole is not in the name.
const ACTIVE = /(?:^|[-_/. ])\d{1,3}b-\d{1,3}e(?=[-_. /]|$)/i;

// Billions of parameters that a name tells.
function billionsIn(name: string): number | undefined {
  if (ACTIVE.test(name)) return undefined;
  const experts = EXPERTS.exec(name);
  if (experts !== null) return Number(experts[1]) * Number(experts[2]) * SHARED_BY_EXPERTS;
  const dense = DENSE.exec(name);
  if (dense !== null) return Number(dense[1]);
  const millions = MILLIONS.exec(name);
  return millions === null ? undefined : Number(millions[1]) / 1000;
}

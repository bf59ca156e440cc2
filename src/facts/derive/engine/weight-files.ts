import type { Fact } from '../../../model/fact.ts';
import { effectiveArgument } from '../../arguments.ts';
import { known } from '../../pod/finding.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { readWhole } from '../ram/read-whole.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { citeHit } from '../weigh/weigh.ts';

/** In what files the weights are, and whether they are mapped. */
export function deriveWeightFiles(evidence: Evidence): Group {
  return { 'engine.safetensors': readSafetensors(evidence), 'engine.lazy-weights': lazyWeights(evidence) };
}

// What loaders of vLLM and SGLang print of their progress (model_loader/weight_utils.py), and the files that errors name.
const PICKLED =
  /Loading pt checkpoint shards|\bpytorch_model[\w-]{0,40}\.bin\b|Converting PyTorch weights to safetensors/i;
const SAFE = /\bsafetensors (?:checkpoint )?shards|Loading safetensors using|\.safetensors\b/i;
const ABSENT = /\b(?:no|not|cannot|missing|without)\b/i;
// Formats of `--load-format` that read nothing else (vllm/model_executor/model_loader).
const FORMATS = /^(?:safetensors|fastsafetensors|instanttensor|runai_streamer|sharded_state|runai_streamer_sharded)$/;
const PICKLED_FORMATS = /^(?:pt|npcache)$/;

function readSafetensors({ args, log, weighing }: Evidence): Fact | undefined {
  const told = effectiveArgument(args, '--load-format');
  if (told?.value != null && FORMATS.test(told.value)) return known(true, told.from);
  if (told?.value != null && PICKLED_FORMATS.test(told.value)) return known(false, told.from);
  const lines = [...weighing.all.map(citeHit), ...(log.main === undefined ? [] : tailLines(log.main))];
  const pickled = lines.find(({ text }) => PICKLED.test(text));
  const line = pickled ?? lines.find(({ text }) => SAFE.test(text) && !ABSENT.test(text));
  return line && fact(pickled === undefined, [line]);
}

function lazyWeights(evidence: Evidence): Fact | undefined {
  const whole = readWhole(evidence);
  if (whole !== undefined) return known(false, whole);
  const { weighing } = evidence;
  const shards = weighing.all.find(({ hit }) => /safetensors (?:checkpoint )?shards(?! \(eager\))/i.test(hit.clean));
  if (shards !== undefined) return fact(true, [citeHit(shards)]);
  const eager = weighing.all.find(({ hit }) =>
    /(?:pt checkpoint shards|shards \(eager\)|pytorch_model.*\.bin)/i.test(hit.clean),
  );
  return eager && fact(false, [citeHit(eager)]);
}

import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/reading.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { readWhole } from '../ram/safetensors-in-ram.ts';

/** In what files the weights are, and whether they are mapped. */
export function deriveWeightFiles(evidence: Evidence): Group {
  return {};
}

// What loaders of vLLM and SGLang print of their progress (model_loader/weight_utils.py), and the files that errors name.
// Formats of `--load-format` that read nothing else (vllm/model_executor/model_loader).

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

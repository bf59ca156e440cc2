import type { Fact } from '../../../model/fact.ts';
import { effectiveArgument, parseSwitch } from '../../arguments.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { citeHit } from '../weigh/weigh.ts';

// vLLM, SGLang, and the PyTorch backend of LMDeploy.
const FLAGS = ['--enforce-eager', '--disable-cuda-graph', '--eager-mode'];

/** Whether the engine captures no CUDA graphs; known only where it is so. */
export function readWithoutGraphs({ args, weighing }: Evidence): Fact | undefined {
  const told = FLAGS.map((flag) => effectiveArgument(args, flag)).find(
    (argument) => argument !== undefined && parseSwitch(argument.value) === true,
  );
  if (told !== undefined) return fact(true, [told.from]);
  const config = weighing.all.find(({ phrase, hit }) => phrase.id === CONFIG && isOlder(hit.captures.config ?? ''));
  return config && fact(true, [citeHit(config)]);
}

const CONFIG = 'vllm.cfg.engine-config';

// vLLM before 0.2.6 has no graphs, and its line of the configuration, whole to the seed at its end, has no word for them.
function isOlder(config: string): boolean {
  return /\bseed=\d+\)?\s*$/.test(config) && !config.includes('enforce_eager');
}

import type { Fact } from '../../model/fact.ts';
import type { SetBy } from '../../model/knob-spelling.ts';
import { effectiveArgument } from '../../read/engine/arguments.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

// Printed by the C++ runtime with an engine that was built before.
const OF_BUILT: ReadonlySet<string> = new Set([
  'trtllm.cfg.engine-version',
  'trtllm.num.model',
  'trtllm.num.engine-size',
]);
const REPOSITORY = /(?:^|\/)(?:tritonserver|launch_triton_server\.py)$/;
const SERVE = /(?:^|\/)trtllm-serve$/;
// Both names are of one option, and its file overrides the command line (tensorrt_llm/commands/serve.py).
const FILES = ['--config', '--extra-llm-api-options'];

/** Where TensorRT-LLM has its limits from; nothing for any other engine. */
export function readSetBy({ engine, program, args, weighing }: Evidence): Fact | undefined {
  if (engine.engine !== 'tensorrt-llm') return undefined;
  const of = (value: SetBy, from: Parameters<typeof fact>[1][number]) => fact(value, [from]);
  const built = weighing.all.find(({ phrase }) => OF_BUILT.has(phrase.id));
  if (built !== undefined) return of('build', citeHit(built));
  const backend = effectiveArgument(args, '--backend');
  if (backend?.value === 'tensorrt' || backend?.value === 'trt') return of('build', backend.from);
  const repository = program.words.find(({ value }) => REPOSITORY.test(value));
  if (repository !== undefined) return of('repository', repository.from);
  const serve = program.words.find(({ value }) => SERVE.test(value));
  if (serve === undefined) return undefined;
  const file = FILES.map((flag) => effectiveArgument(args, flag)).find((one) => one !== undefined);
  return file === undefined ? of('command-line', serve.from) : of('file', file.from);
}

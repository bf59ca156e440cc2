import type { Cited, EngineArgument } from '../../../model/engine-reader.ts';
import { modelFamily } from '../../../model/model-table.ts';
import { bytesPerParameter, formatOnDisk } from '../../../model/weight-format.ts';
import { effectiveArgument, modelArgument } from '../../arguments.ts';
import type { Evidence } from '../evidence.ts';
import { billionsIn } from '../gpu/weights-size.ts';

/** Size of all files of weights by the name of the model: as published, before anything is quantised on load. */
export function namedFiles({ args }: Evidence): Cited<number> | undefined {
  const model = modelArgument(args);
  const billions = model && (modelFamily(model.value)?.parametersBillions ?? billionsIn(model.value));
  if (model === undefined || billions === undefined) return undefined;
  const { format } = formatOnDisk(model.value, quantization(args));
  return { value: Math.round(billions * 1e9 * bytesPerParameter(format)), from: model.from };
}

/** Whether that is all that can be read: no draft model beside it, and no files whose format the name leaves open. */
export function isAllNamed({ args }: Evidence): boolean {
  const model = modelArgument(args);
  if (model === undefined || args.some(isDraft)) return false;
  return !formatOnDisk(model.value, quantization(args)).isOpen;
}

function quantization(args: readonly EngineArgument[]): string | null {
  const told = [effectiveArgument(args, '--quantization'), effectiveArgument(args, '--torchao-config')];
  return told.find((argument) => argument?.value)?.value ?? null;
}

// vLLM takes a dictionary (before 0.8.2 a flag), SGLang a path; n-grams of the prompt are no model
// (vllm-project/vllm vllm/config/speculative.py, sgl-project/sglang python/sglang/srt/server_args.py).
const DRAFT_FLAG = /^--speculative-(?:model|draft-model-path|draft|config\.model)$/;
const DRAFT_IN_CONFIG = /\bmodel['"]?\s*[:=]\s*['"]?(?!\[?ngram\b|none\b|null\b)[\w./~-]/i;

function isDraft({ flag, value }: EngineArgument): boolean {
  if (value === null || value === undefined) return false;
  if (DRAFT_FLAG.test(flag)) return !/^\[?ngram\]?$/.test(value);
  return flag === '--speculative-config' && DRAFT_IN_CONFIG.test(value);
}

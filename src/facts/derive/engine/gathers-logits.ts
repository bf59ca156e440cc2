import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';

// Flags with which an engine is built to hand out logits of the whole prompt (NVIDIA/TensorRT-LLM
// tensorrt_llm/commands/build.py).
const FLAG = /^--gather-(?:context|all-token)-logits$/;
const NOTED = /--gather[_-](?:context|all[_-]token)[_-]logits\b(?![= ](?:false|disable|0)\b)/i;

/** Whether the engine was built to keep the logits of every token of a prompt, by its arguments or by a remark that quotes them. */
export function readGathersLogits(evidence: Pick<Evidence, 'args' | 'readings'>): Fact | undefined {
  const flag = evidence.args.findLast(({ flag: name }) => FLAG.test(name));
  if (flag !== undefined) return fact(!/^(?:false|disable|0)$/i.test(flag.value ?? ''), [flag.from]);
  const noted = remarkLines(evidence).find(({ text }) => NOTED.test(text));
  return noted && fact(true, [noted.from]);
}

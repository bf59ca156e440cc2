import type { Citation } from '../../../model/citation.ts';
import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { effectiveArgument, modelAsGiven } from '../../arguments.ts';
import { cited, evidenceLines } from '../../text/lines.ts';
import { citedNumber, fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { ranksOf } from '../ram/ranks.ts';

// These use one GPU unless they are told to use more; others take all that they see.
const ONE_UNLESS_TOLD: ReadonlySet<string> = new Set(['vllm', 'sglang', 'lmdeploy']);
const DEVICES = ['CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'ASCEND_RT_VISIBLE_DEVICES'];
const LIST = /^\d+(?:,\d+)*$/;
// Ranks that are spoken of in a spelling that no reader knows: in a file, in a variable, in code.
const SPREAD =
  /tensor[-_ ]?parallel|pipeline[-_ ]?parallel|data[-_ ]?parallel|\b(?:tp|dp|pp)\b|num[-_]shard|world[-_]size|--config\b/i;
// One is one in every spelling.
const TOLD_ONE =
  /(?<!\S)--?(?:(?:tensor|pipeline|data)[-_]parallel[-_]size|(?:tp|pp|dp)(?:[-_]size)?)["']?[=,\s]+["']?1(?![\d.])/g;
const COPIES = ['--data-parallel-size', '--dp', '--dp-size'];

/** GPUs that the container was given and that the engine was not told to use; undefined where either is not seen. */
export function readIdleGpus(evidence: Evidence): Fact | undefined {
  const granted = grantedGpus(evidence);
  const used = usedGpus(evidence);
  if (granted === undefined || used === undefined) return undefined;
  return fact(Math.max(0, granted.value - used.value), [granted.from, used.from]);
}

/** GPUs that the engine was told to use, 1 where its whole command says nothing; undefined where it is not seen. */
export function usedGpus({ args, engine, spec, readings }: Evidence): Cited<number> | undefined {
  const model = modelAsGiven(args);
  if (model === undefined || !ONE_UNLESS_TOLD.has(engine.engine)) return undefined;
  const copies = COPIES.reduce((most, flag) => Math.max(most, Number(effectiveArgument(args, flag)?.value ?? 1)), 1);
  const used = ranksOf(args) * copies;
  const said = [readings.texts.get('args.txt') ?? '', ...spec.words.map(({ value }) => value)].join('\n');
  return used > 1 || !SPREAD.test(said.replaceAll(TOLD_ONE, ' ')) ? { value: used, from: model.from } : undefined;
}

// One process for all the GPUs that they use.
const WITHOUT_RANKS: ReadonlySet<string> = new Set(['llama.cpp', 'ollama']);

/** What shows that the engine runs as one rank, so that no other of its launch can be on its card; undefined where that is not seen. */
export function onlyRank(evidence: Evidence): Citation | undefined {
  const used = usedGpus(evidence);
  if (used !== undefined) return used.value === 1 ? used.from : undefined;
  const { engine, program } = evidence;
  if (!WITHOUT_RANKS.has(engine.engine)) return undefined;
  return (engine.version ?? program.image ?? program.words[0] ?? engine.milestones[0])?.from;
}

// The manifest or the command that starts the container, pasted with the arguments. A slice of a card has another name.
const RESOURCE = /\b(?:nvidia|amd)\.com\/gpu["']?\s{0,4}[:=]\s{0,4}["']?(\d{1,3})\b/;
const DEVICES_OF_RUN = /--gpus[ =]["'\\]{0,4}device=(\d{1,3}(?:,\d{1,3}){0,15})\b/;
const COUNT_OF_RUN = /--gpus[ =]["']?(\d{1,3})\b/;

function grantedGpus({ args, spec, readings }: Evidence): Cited<number> | undefined {
  // The slices of a card can not be used together.
  if (!/mig/i.test(spec.gpuResource ?? '')) {
    const asked = citedNumber(spec.gpuCount) ?? pastedGpus(readings.texts.get('args.txt') ?? '');
    if (asked !== undefined) return asked;
  }
  const seen = DEVICES.map((name) => effectiveArgument(args, name)).find((found) => LIST.test(found?.value ?? ''));
  return seen?.value == null ? undefined : { value: seen.value.split(',').length, from: seen.from };
}

// Where several are pasted and differ, nothing tells which is the engine's.
function pastedGpus(text: string): Cited<number> | undefined {
  const told = evidenceLines(text).flatMap((line) => {
    const count = RESOURCE.exec(line.text)?.[1] ?? COUNT_OF_RUN.exec(line.text)?.[1];
    const value = count === undefined ? DEVICES_OF_RUN.exec(line.text)?.[1]?.split(',').length : Number(count);
    return value === undefined ? [] : [cited(value, 'args.txt', line)];
  });
  return new Set(told.map(({ value }) => value)).size === 1 ? told[0] : undefined;
}

import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { MIB } from '../../model/quantity.ts';
import { effectiveArgument } from '../arguments.ts';
import { fact } from './draft.ts';
import type { Evidence } from './evidence.ts';
import { lastLine } from './tail-lines.ts';
import { citeHit, type Weighed } from './weigh.ts';

/**
 * Whether the prompt cache of llama.cpp took more host memory than its bound: it saves a whole state before it evicts, so
 * one long prompt can overshoot (tools/server/server-task.cpp, server_prompt_cache).
 */
export function readOvershoot(evidence: Evidence): Fact | undefined {
  const { weighing, log } = evidence;
  const states = weighing.all.filter(({ phrase }) => phrase.id.startsWith('llamacpp.host.prompt-'));
  const over = states.find((state) => {
    const bound = megabytes(state, 'limit') ?? boundOf(evidence);
    return bound !== undefined && (megabytes(state, 'size') ?? 0) > bound;
  });
  const last = lastLine(log.main);
  return over === undefined ? last && fact(false, [last]) : fact(true, [citeHit(over)]);
}

/** What the prompt cache may take, as the log or the arguments of llama.cpp say it, in bytes. */
export function readPromptCache(evidence: Evidence): Cited<number> | undefined {
  const line = evidence.weighing.all.find(
    ({ hit }) => hit.captures.limit !== undefined && hit.id.startsWith('llamacpp.host.prompt-'),
  );
  const limit = line && megabytes(line, 'limit');
  if (line !== undefined && limit !== undefined) return { value: limit * MIB, from: citeHit(line) };
  const argument = effectiveArgument(evidence.args, '--cache-ram');
  const value = Number(argument?.value ?? Number.NaN);
  return argument !== undefined && value > 0 ? { value: value * MIB, from: argument.from } : undefined;
}

function boundOf({ args }: Evidence): number | undefined {
  const value = Number(effectiveArgument(args, '--cache-ram')?.value ?? Number.NaN);
  return value > 0 ? value : undefined;
}

function megabytes({ hit }: Weighed, name: string): number | undefined {
  const value = Number(hit.captures[name] ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { MIB } from '../../model/quantity.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { effectiveArgument } from '../../read/engine/arguments.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';
import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';

/** Caches of prompts or KV blocks in host memory, as the log shows them. */
export const RAM_CACHES = defineFacts(
  {
    'ram.cache-kept': {
      unit: 'yes-no',
      says: 'a cache of prompts or KV blocks in host memory is active',
      needs: LOG,
    },
    'ram.prompt-cache-presses': {
      unit: 'yes-no',
      says: 'the prompt cache in host memory is nearly full, unlimited, or was saving one more',
      needs: LOG,
    },
  },
  (evidence) => ({
    'ram.cache-kept': readCacheKept(evidence),
    'ram.prompt-cache-presses': readPromptCachePresses(evidence),
  }),
);

// Lines that only an engine with such a cache prints: LMCache keeps blocks in RAM unless told otherwise
// (lmcache/v1/config.py), the server of llama.cpp keeps prompts there by default. That it is there does not make it large.
function readCacheKept({ weighing, log }: Evidence): Fact | undefined {
  const lines = weighing.all.filter(({ signature }) => hasRole(signature, 'keeps-cache'));
  const last = lastLine(log.main);
  return lines.length > 0 ? fact(true, lines.slice(0, 3).map(citeHit)) : last && fact(false, [last]);
}

/** What the prompt cache may take, as the log or the arguments of llama.cpp say it, in bytes; without a bound what it held. */
export function readPromptCache(evidence: Evidence): Cited<number> | undefined {
  const line = cacheLines(evidence).find((one) => boundIn(one) !== undefined);
  const limit = line && boundIn(line);
  if (line !== undefined && limit !== undefined) return { value: limit * MIB, from: citeHit(line) };
  const argument = effectiveArgument(evidence.args, '--cache-ram');
  const value = Number(argument?.value ?? Number.NaN);
  if (argument !== undefined && value > 0) return { value: value * MIB, from: argument.from };
  return cacheLines(evidence)
    .map((one) => ({ value: (megabytes(one, 'size') ?? Number.NaN) * MIB, from: citeHit(one) }))
    .filter((one) => one.value > 0)
    .toSorted((a, b) => b.value - a.value)[0];
}

// RAM for one more prompt was refused, the cache is at work and has no bound, the log ends while a prompt is saved, it holds
// nearly all that it may and more than the rest of such a process takes, or one saved prompt, or the checkpoints of one slot,
// alone are that much.
function readPromptCachePresses(evidence: Evidence): Fact | undefined {
  const { all } = evidence.weighing;
  const refused = all.find(({ signature }) => hasRole(signature, 'prompt-refused'));
  if (refused !== undefined) return fact(true, [citeHit(refused)]);
  const free = noBound(evidence);
  const atWork = all.find(({ signature }) => hasRole(signature, 'prompt-cache'));
  if (free !== undefined && atWork !== undefined) return fact(true, [free, citeHit(atWork)]);
  const pressing =
    unfinishedSave(evidence) ??
    cacheLines(evidence).findLast(isGrown) ??
    all.find(isLargeState) ??
    all.findLast(isManyCheckpoints);
  if (pressing !== undefined) return fact(true, [citeHit(pressing)]);
  const last = lastLine(evidence.log.main);
  return last && fact(false, [last]);
}

// With its weights on the GPU a server takes some hundreds of MiB of RAM, and one or two GiB with a projector and buffers.
const MOST_OF_PROCESS_MIB = 4096;
// From here on each further prompt drives out others. More than the bound is of one prompt that went over it.
const NEARLY_FULL = 0.8;

function isGrown(state: Weighed): boolean {
  const held = megabytes(state, 'size') ?? 0;
  const bound = boundIn(state) ?? 0;
  return held >= MOST_OF_PROCESS_MIB && held <= bound && held >= bound * NEARLY_FULL;
}

// A state is copied whole before older ones are evicted.
function isLargeState(state: Weighed): boolean {
  return hasRole(state.signature, 'prompt-save') && (megabytes(state, 'size') ?? 0) >= MOST_OF_PROCESS_MIB;
}

// Of models with a sliding window or recurrent layers a slot keeps states of earlier positions next to the cache.
function isManyCheckpoints(state: Weighed): boolean {
  return Number(state.hit.captures.count ?? 0) * (megabytes(state, 'size') ?? 0) >= MOST_OF_PROCESS_MIB;
}

// `srv   prompt_save: `, `slot prompt_clear: id  3 | ` (tools/server/server-common.h, SRV_INF and SLT_INF).
const OF_SERVER = /\b(?:srv|slot) {1,14}\w{1,12}: /;

// The lines of a save come before the state is allocated and filled, and nothing else is written until that is done
// (tools/server/server-context.cpp, get_available_slot and prompt_save).
function unfinishedSave({ weighing, log }: Evidence): Weighed | undefined {
  const save = weighing.all.findLast(({ signature }) => hasRole(signature, 'prompt-save'));
  if (save === undefined || log.main === undefined || save.file !== log.main.file) return undefined;
  return tailLines(log.main).some(({ line, text }) => line > save.hit.line && OF_SERVER.test(text)) ? undefined : save;
}

// Without a limit the argument is -1, and llama.cpp prints 0.000 MiB. With the cache off (0) it prints nothing.
function noBound(evidence: Evidence): Citation | undefined {
  const printed = cacheLines(evidence).find((one) => megabytes(one, 'limit') === 0);
  if (printed !== undefined) return citeHit(printed);
  const argument = effectiveArgument(evidence.args, '--cache-ram');
  return Number(argument?.value ?? Number.NaN) < 0 ? argument?.from : undefined;
}

// A note may quote the line too.
function cacheLines({ weighing: { all, noted } }: Evidence): readonly Weighed[] {
  return [...noted, ...all].filter(
    ({ signature, hit }) => hasRole(signature, 'prompt-cache') && hit.captures.limit !== undefined,
  );
}

function boundIn(state: Weighed): number | undefined {
  const limit = megabytes(state, 'limit');
  return limit !== undefined && limit > 0 ? limit : undefined;
}

function megabytes({ hit }: Weighed, name: string): number | undefined {
  const value = Number(hit.captures[name] ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

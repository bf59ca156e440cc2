import type { Citation } from '../../../model/citation.ts';
import { defaultOf } from '../../../model/default-table.ts';
import type { Cited } from '../../../model/engine-reader.ts';
import { GIB } from '../../../model/quantity.ts';
import { effectiveArgument, parseSwitch } from '../../arguments.ts';
import { type Group, uniqueProof } from '../draft.ts';
import { isMultimodal } from '../engine/multimodal.ts';
import type { Evidence } from '../evidence.ts';

const SIZE = '--mm-processor-cache-gb';
const OFF = '--disable-mm-preprocessor-cache';
const TYPE = '--mm-processor-cache-type';
const SERVERS = '--api-server-count';

/**
 * What vLLM may keep in RAM of the pictures that it has read: a cache in each API server and in the core of each engine
 * (vllm/config/multimodal.py: mm_processor_cache_gb * (api_server_count + data_parallel_size)). Full it is after hours.
 */
export function deriveMediaCache(evidence: Evidence): Group {
  const takes = isMultimodal(evidence);
  const each = sizeOfEach(evidence);
  if (each === undefined || takes?.kind !== 'known' || takes.value !== true) return {};
  const servers = effectiveArgument(evidence.args, SERVERS);
  // As many servers as engines where nobody says how many (vllm/entrypoints/cli/serve.py).
  const from = uniqueProof([...(servers ? [servers.from] : []), each.from, ...takes.from]);
  const [first] = from;
  return {};
}

function sizeOfEach({ engine, args }: Evidence): Cited<number> | undefined {
  const off = effectiveArgument(args, OFF);
  // One that is shared lies in /dev/shm and is bounded there.
  const isShared = effectiveArgument(args, TYPE)?.value === 'shm';
  if (engine.engine !== 'vllm' || isShared || (off !== undefined && parseSwitch(off.value) === true)) return undefined;
  const told = effectiveArgument(args, SIZE);
  const { version } = engine;
  const unasked = version && defaultOf('vllm', SIZE, { version: version.value })?.value;
  const gib = Number(told === undefined ? (unasked ?? Number.NaN) : told.value);
  const from: Citation | undefined = told?.from ?? version?.from;
  return gib > 0 && from !== undefined ? { value: gib * GIB, from } : undefined;
}

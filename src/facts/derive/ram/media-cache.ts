import type { Citation } from '../../../model/citation.ts';
import { defaultOf } from '../../../model/default-table.ts';
import type { Cited } from '../../../model/engine-reader.ts';
import { GIB } from '../../../model/quantity.ts';
import { effectiveArgument, parseCount, parseSwitch } from '../../arguments.ts';
import { computed, fact, type Group, ratio, uniqueProof } from '../draft.ts';
import { isMultimodal } from '../engine/multimodal.ts';
import type { Evidence } from '../evidence.ts';
import { enginesOfNode } from './ranks.ts';

const SIZE = '--mm-processor-cache-gb';
const OFF = '--disable-mm-preprocessor-cache';
const TYPE = '--mm-processor-cache-type';
const SERVERS = '--api-server-count';

/**
 * What vLLM may keep in RAM of the pictures that it has read: a cache in each API server and in the core of each engine
 * (vllm/config/multimodal.py: mm_processor_cache_gb * (api_server_count + data_parallel_size)). Full it is after hours.
 */
export function deriveMediaCache(evidence: Evidence, limit: Cited<number> | undefined): Group {
  const takes = isMultimodal(evidence);
  const each = sizeOfEach(evidence);
  if (each === undefined || takes?.kind !== 'known' || takes.value !== true) return {};
  const engines = enginesOfNode(evidence.args);
  const servers = effectiveArgument(evidence.args, SERVERS);
  // As many servers as engines where nobody says how many (vllm/entrypoints/cli/serve.py).
  const processes = (parseCount(servers?.value ?? null) ?? engines) + engines;
  const from = uniqueProof([...(servers ? [servers.from] : []), each.from, ...takes.from]);
  const [first] = from;
  const all = first && { value: processes * each.value, from: first };
  return {
    'ram.media-cache-each': fact(each.value, [each.from]),
    'ram.media-cache-processes': fact(processes, from),
    'ram.media-cache': all && fact(all.value, from),
    'ram.media-cache-share': computed([all, limit], ratio),
  };
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

import { anyOf, beside } from '../../read/text/patterns.ts';
import { FAILS, type Family, family, HINTS, once } from './family.ts';

// Memory that is locked for the device, beside a complaint: alone it names a part.
const PINNED =
  '(?:(?:cuda|hip)Host(?:Alloc|Register)|(?:cuda|hip)MallocHost|(?<!\\bfree )\\bpin(?:ned)?[ _-](?:\\w+ )?(?:host |cpu |system )?(?:memory|buffer|pool)|\\bmlock\\b|page[- ]locked)(?! (?:is )?only supported|\\) support\\b)';
const REFUSAL =
  "(?:fail|unable|cannot|can't|could not|error|refus|invalid|out of|short of|exceed|not enough|insufficient|\\blimit|null|denied|not permitted|too (?:large|big|much))";

/** What says that a certain memory is short, or a certain part of it. */
export const SHORT_MEMORY: readonly Family[] = [
  // What tracemalloc prints of two snapshots (CPython Lib/tracemalloc.py, StatisticDiff).
  family(
    'host',
    ['host.startup.weight-staging', 'host.chronic.leak'],
    /\bsize=[\d.]{1,8} [MG]iB \(\+[\d.]{1,8} [MG]iB\), count=\d{1,12} \(\+\d/,
    FAILS,
  ),
  family(
    'host',
    ['host.startup.weight-staging', 'host.burst.payload'],
    /\b(?:exit|return)(?:ed|s)?(?: with)?[ -]?(?:code|status)?:? ?-9\b/i,
    FAILS,
  ),
  family(
    'host',
    ['host.offload', 'host.offload'],
    new RegExp(`${REFUSAL}[^\\n]{0,120}${PINNED}|${PINNED}[^\\n]{0,160}${REFUSAL}`, 'i'),
    HINTS,
  ),
  // Pages are locked through the runtime, whose error for them is that of the device.
  family(
    'host',
    once('host.offload'),
    /(?:\bpin_memory\(|\bcudaHost(?:Alloc|Register)\b|\bcudaMallocHost\b)[^\n]{0,60}\b(?:out of memory|OOM)\b/i,
    FAILS,
  ),
  family(
    'host',
    once('host.shm'),
    anyOf(
      'i',
      /\bbus error\b|(?<!\bSIGSEGV or )\bSIGBUS\b|\bsignal 7\b/,
      /shared memory segment(?![^\n]{0,60}\bnot found)|\bshared[- ]memory allocation (?:errors?|fail\w*)/,
      /\/dev\/shm\b[^\n]{0,24}\b64 ?Mi?B?\b|\b(?:insufficient|not enough) (?:space in )?\/dev\/shm/,
    ),
    FAILS,
  ),
  // A node, and no limit of a container: Ray and the kubelet say so.
  family(
    'host',
    once('host.node-pressure'),
    /\bnode\b[^\n]{0,16}\b(?:running |is |was )?low on memory\b|\blow on resource: \[?(?:memory|MemoryPressure)\b/i,
    FAILS,
  ),
  // A download comes before the card is touched; the agents and init containers that do it have small limits (kserve/kserve
  // config/configmap/inferenceservice.yaml, storageInitializer; huggingface/huggingface_hub with hf_xet).
  family(
    'host',
    once('host.startup.limit'),
    beside(
      String.raw`(?<!\bafter )\b(?:download(?:s|ing|ed)?|pull(?:s|ing) (?:the |a )?model|storage-?initiali[sz]er|init[- ]?container|agent (?:container|sidecar))\b`,
      String.raw`\b(?:OOM(?:s|ed|-?[Kk]ill\w*)?|out[- ]of[- ]memory)\b`,
      60,
    ),
    FAILS,
  ),
  // NCCL, or what a chart sets for it: shared memory of a chip is no container's.
  family(
    'host',
    once('host.shm'),
    /\b(?:containers?|docker|pods?)\b[^\n]{0,24}\b(?:out of|short of|not enough|insufficient) shared memory\b/i,
    FAILS,
  ),
  // A pool that is full, and nothing moves any more.
  family(
    'gpu',
    ['gpu.startup.kv-room', 'gpu.burst.concurrency'],
    /\bKV[ _-]?cache\b[^\n]{0,24}\b(?:9[5-9]|100)(?:\.\d{1,2})? ?%[^\n]{0,60}(?:\b(?:stuck|hangs?|hung|frozen|freezes|freezing|deadlock\w*|stops? (?:all )?(?:processing|generating|answering|working))\b|卡住|卡死)/i,
    HINTS,
  ),
  // What is left of a context is its cache and its work space (ggml-org/llama.cpp common/common.cpp, common_init_from_params).
  family('gpu', ['gpu.startup.kv-room', 'gpu.startup.kv-room'], /\bfailed to create context with model\b/, HINTS),
  family(
    'gpu',
    ['gpu.startup.weights', 'gpu.burst.long-context'],
    anyOf(
      'i',
      /(?:larger|greater|bigger) than (?:the )?(?:\w+ ){0,2}max\w*\b[^\n]{0,40}\b(?:buffer|alloc)/,
      /(?<!\b(?:count|length|number|index|offset) )exceed\w* (?:the )?(?:[\w']+ ){0,3}(?:buffer|allocation|working set) (?:size|limit)/,
      /\bmax(?:imum)? (?:buffer|allocation) size\b|maxBufferLength|maxStorageBufferRange|MAX_MEM_ALLOC_SIZE/,
    ),
    HINTS,
  ),
  // The engine's own check before it loads anything (vllm/v1/worker/utils.py, request_memory).
  family(
    'gpu',
    ['gpu.startup.utilization', 'gpu.startup.utilization'],
    /\bstart(?:-?up)? memory check\b|\brequest_memory\(|\bfree memory (?:is |was )?(?:less|lower|smaller) than\b[^\n]{0,40}(?:utili[sz]ation|fraction)/i,
    HINTS,
  ),
  // Servers on Metal hold one bound for all (jundot/omlx; ml-explore/mlx-lm, iogpu.wired_limit_mb).
  family(
    'gpu',
    ['gpu.startup.weights', 'gpu.burst.long-context'],
    /\bmemory [\d.]{1,8} ?[KMG]i?B exceeds (?:the )?(?:\w+ )?(?:ceiling|limit|budget)\b/i,
    HINTS,
  ),
  family(
    'gpu',
    ['gpu.startup.kv-room', 'gpu.burst.concurrency'],
    anyOf(
      'i',
      /available\w{0,10}(?:\(\))? ?[=:]? ?[\d.]{1,20} ?< ?(?:need|requir|want)/,
      /\d ?[KMG]i?B\b[^\n]{0,20}\bkv[ _-]?cache\b[^\n]{0,20}\b(?:need|requir)[^\n]{0,60}\bavailable\b/,
      /\bkv[ _-]?cache\b[^\n]{0,40}\b(?:need|requir)\w*[^\n]{0,20}\d ?[KMG]i?B\b[^\n]{0,60}\b(?:only|available|left|free)\b/,
      /\black of (?:CPU )?swap space\b|\bTry to allocate \d{1,12} tokens\./,
      /(?:not enough|insufficient|out of|no(?= free| available)) (?:free |available )?(?:kv |cache )?(?:blocks|slots|pages)\b(?! to (?:search|read|show|fetch))/,
      /\bno (?:kv |cache )?(?:blocks|slots|pages) (?:are |is )?(?:left|available|free)\b/,
      /\bKV[ _-]?cache\b[^.;\n]{0,24}\bexhausted\b[^.;\n]{0,48}\b(?:crash\w*|exit\w*|dies|died|ends?|ended|fails?|failed|asserts?)\b/,
      /\bno (?:available |free )?memory (?:is |was )?(?:left |available )?for (?:the )?(?:kv[ _-]?)?cache\b/,
      /\bmax[\w ]{0,8}(?:seq|model)[ _-]?len\w*\b[^\n]{0,60}\b(?:larger|greater|longer|more|exceed\w*)\b[^\n]{0,60}\bkv[ _-]?cache\b/,
      /\bmax_total_num_tokens\b[^\n]{0,30}(?:negative|<= ?0|-\d)|negative [^\n]{0,40}\bmax_total_num_tokens/,
    ),
    HINTS,
  ),
];

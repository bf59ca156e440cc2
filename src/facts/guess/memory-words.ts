import { FAILS, family, HINTS, PART, type WordFamily } from './word-family.ts';

const PINNED =
  '(?:(?:cuda|hip)Host(?:Alloc|Register)|(?:cuda|hip)MallocHost|(?<!\\bfree )\\bpin(?:ned)?[ _-](?:\\w+ )?(?:host |cpu |system )?(?:memory|buffer|pool)|\\bmlock\\b|page[- ]locked)(?! (?:is )?only supported|\\) support\\b)';
const REFUSAL =
  "(?:fail|unable|cannot|can't|could not|error|refus|invalid|out of|short of|exceed|not enough|insufficient|\\blimit|null|denied|not permitted|too (?:large|big|much))";

// What says that a certain memory is short, or a certain part of it.
const SHORTAGES: readonly WordFamily[] = [
  family(
    ['host.startup.weight-staging', 'host.burst.payload'],
    FAILS,
    /\b(?:exit|return)(?:ed|s)?(?: with)?[ -]?(?:code|status)?:? ?-9\b/i,
  ),
  // Page-locked memory next to a complaint: alone it names a part.
  family('host.offload', HINTS, new RegExp(`${REFUSAL}[^\\n]{0,120}${PINNED}|${PINNED}[^\\n]{0,160}${REFUSAL}`, 'i')),
  family(
    'host.shm',
    FAILS,
    /\bbus error\b|(?<!\bSIGSEGV or )\bSIGBUS\b|\bsignal 7\b|\bshared[- ]memory allocation (?:errors?|fail\w*)/i,
    /shared memory segment(?![^\n]{0,60}\bnot found)|\b(?:insufficient|not enough) (?:space in )?\/dev\/shm/i,
  ),
  family(
    'host.node-pressure',
    FAILS,
    /\bnode\b[^\n]{0,16}\b(?:running |is |was )?low on memory\b|\blow on resource: \[?(?:memory|MemoryPressure)\b/i,
  ),
  // What a context holds beyond the weights is its cache (ggml-org/llama.cpp common/common.cpp, common_init_from_params).
  family('gpu.startup.kv-room', HINTS, /\bfailed to create context with model\b/),
  family(
    ['gpu.startup.weights', 'gpu.burst.long-context'],
    HINTS,
    /(?:larger|greater|bigger) than (?:the )?(?:\w+ ){0,2}max\w*\b[^\n]{0,40}\b(?:buffer|alloc)|\bmax(?:imum)? (?:buffer|allocation) size\b/i,
    /maxBufferLength|maxStorageBufferRange|MAX_MEM_ALLOC_SIZE|\bmemory [\d.]{1,8} ?[KMG]i?B exceeds (?:the )?(?:\w+ )?(?:ceiling|limit|budget)\b/i,
  ),
  // The engine's own check before it loads anything (vllm/v1/worker/utils.py, request_memory).
  family(
    'gpu.startup.utilization',
    HINTS,
    /\brequest_memory\(|\bfree memory (?:is |was )?(?:less|lower|smaller) than\b[^\n]{0,40}(?:utili[sz]ation|fraction)/i,
  ),
  family(
    ['gpu.startup.kv-room', 'gpu.burst.concurrency'],
    HINTS,
    /\bkv[ _-]?cache\b[^\n]{0,40}\b(?:need|requir)\w*[^\n]{0,20}\d ?[KMG]i?B\b[^\n]{0,60}\b(?:only|available|left|free)\b/i,
    /(?:not enough|insufficient|out of|no(?= free| available)) (?:free |available )?(?:kv |cache )?(?:blocks|slots|pages)\b(?! to (?:search|read|show|fetch))/i,
    /\bno (?:kv |cache )?(?:blocks|slots|pages) (?:are |is )?(?:left|available|free)\b|\bTry to allocate \d{1,12} tokens\./i,
    /\bno (?:available |free )?memory (?:is |was )?(?:left |available )?for (?:the )?(?:kv[ _-]?)?cache\b/i,
    /\bmax[\w ]{0,8}(?:seq|model)[ _-]?len\w*\b[^\n]{0,60}\b(?:larger|greater|longer|more|exceed\w*)\b[^\n]{0,60}\bkv[ _-]?cache\b/i,
  ),
];

// Parts of an engine and what it was doing: no failure.
const PARTS: readonly WordFamily[] = [
  family(
    ['gpu.startup.profiling', 'gpu.burst.multimodal'],
    PART,
    /vision|visual|\bimages?\b|\bvideos?\b|pixel_values|multi-?modal|\bmm_(?!\w{1,16}=\[\])|siglip|\bVi[tT]\b/,
  ),
  family(
    ['gpu.startup.profiling', 'gpu.burst.logits'],
    PART,
    /(?:\b|(?:\b|_)(?:context|generation|prompt)_)logits\b(?! = [\w.]{0,40}mqa_logits)|log_?probs?\b|\bsampler\b|\btop_[kp]\b|\bsoftmax\b|\bargmax\b|\bloglikelihood\b|\bvocab(?!ulary, make sure the associated)/i,
  ),
  family(
    ['gpu.startup.profiling', 'gpu.burst.batched-tokens'],
    PART,
    /profile_run|dummy_run|warm[-_ ]?up\b(?! graph)|profiling run|determine_(?:num_)?available/i,
    /batch(?:ed)?[- ]prefill|prefill batch|fused_moe|fused_experts|status code returned while running \w{1,40} node/i,
  ),
  family(
    ['gpu.startup.graph-capture', 'gpu.burst.headroom'],
    PART,
    /cuda[-_ ]?graphs?|graph[-_ ](?:capture|compil)|captur(?:e|ing) |inductor|torch\.compile\b|triton_autotun/i,
  ),
  family(
    ['gpu.startup.kv-room', 'gpu.burst.long-context'],
    PART,
    /model and (?:the )?(?:kv )?cache|n_ctx(?!_slot)|ctx[-_ ]size|context (?:size|window|length)|max[-_]?(?:seq|model)[-_]?len/i,
    /(?:initiali[sz]e|create) (?:the |llama |a )?context\b|long (?:prompt|context)|kv[-_ ]?cache(?! rm\b)|llama_kv/i,
  ),
  // SGLang takes requests back for want of pages (sgl-project/sglang srt/managers/scheduler.py, update_running_batch).
  family(['gpu.startup.kv-room', 'gpu.burst.concurrency'], PART, /\b[Dd]ecode out of memory happened\b/),
  family(
    ['gpu.startup.weights', 'gpu.chronic.fragmentation'],
    PART,
    /\bfragment(?:s|ed|ation)\b|\breserved (?:by PyTorch )?but (?:unallocated|not allocated|unused)\b/i,
  ),
  // vLLM's workers load before they take calls: one that fails in a call has its weights, and then takes its pool.
  family(['gpu.startup.utilization', 'gpu.burst.headroom'], PART, /\bWorker failed with error '/),
  family(
    ['gpu.startup.weights', 'gpu.burst.headroom'],
    PART,
    /load_weights|weight_loader|load(?:ing)? (?:the )?(?:model|weights|checkpoint|shard)|checkpoint shards|from_pretrained|safetensors|dequant/i,
  ),
  family(
    'host.startup.workers',
    FAILS,
    /\b(?:cicc|nvcc|ptxas|cc1plus|ninja|JIT (?:build|compil\w+))\b[^.\n]{0,60}\b(?:OOM\w*|killed|137)\b/i,
  ),
  family(
    ['host.startup.workers', 'host.burst.payload'],
    PART,
    /\bgunicorn\b[^\n]{0,80}workers?|--workers?[ =](?:[2-9]|\d{2})\b|\bWorker \(pid:\d{1,9}\)/,
  ),
  family(
    'host.offload',
    PART,
    /cpu[-_ ]offload|offload_to_cpu|kv[-_ ]offload|swap[-_ ]space|\bhicache\b|host[-_ ](?:kv|cache|pool)/i,
  ),
];

// The bare words for a shortage: they suggest the memory, and of the cause no more than is usual.
const BARE_WORDS: readonly WordFamily[] = [
  // The call that ggml names below its error: its pool grows with what it computes (ggml-cuda.cu, ggml_cuda_pool_vmm).
  {
    ...family(
      ['gpu.startup.profiling', 'gpu.burst.headroom'],
      FAILS,
      /\bin function (?:alloc|ggml_cuda_pool_malloc\w{0,12}|ggml_cuda_device_malloc)\b|\bggml_cuda_pool_(?:vmm|leg)::alloc\b/,
      /^\s*(?:cuMemCreate|cuMemSetAccess|cuMemAddressReserve|ggml_cuda_device_malloc)\(&?\w/,
    ),
    unless: /\b(?:CUDA|HIP|MUSA|ROCm) error: (?!out of memory)\w/,
  },
  {
    ...family(
      ['host.startup.weight-staging', 'host.burst.payload'],
      HINTS,
      /DefaultCPUAllocator|\bbad[_ ]alloc(?:ation)?\b|(?<!OutOf)MemoryError\b|\bjava\.lang\.OutOfMemoryError|\bruntime: out of memory/i,
      /\binsufficient system resources exist|\bnot enough quota\b|\bENOMEM\b|cannot allocate memory|\bmemory (?:issue|quota)/i,
      /\bkilled\b(?! by|[^\n]{0,30}\b(?:orphan|leftover|new instance))|signal:? ?9\b/i,
      /(?<!\b(?:sending|survived) )\bSIGKILL\b(?! (?:orphan|leftover)|[^\n]{0,8}\bnew instance)/i,
      /\bkilled by (?:the )?(?:kubernetes|k8s|kubelet|kernel|system|OS)\b|\b(?:systemd-)?oomd\b|\banon-rss\b|\bNV_ERR_NO_MEMORY\b/i,
      /\bOOM[- _]?(?:kill|prevention)|\bmemory monitor (?:kill(?:s|ed)|ended)\b|\boom=true\b|\bpag(?:e|ing) ?file\b/i,
      /\b(?:host|node|machine|system|server)(?: (?:runs?|ran|running|is|was))? out of (?:memory|RAM)\b/i,
      /\blow on (?:memory|RAM)\b|\bmemory pressure\b|\bjetsam\b|\bswap is (?:low|full)\b/i,
    ),
    // By hand, and by a program that ends another and waits for it.
    unless:
      /\bSIGKILL\b[^\n]{0,6}\(`?(?:kill|pkill) -9|\b(?:still alive|not reaped|not exit)\b[^\n]{0,40}\b(?:SIGKILL|being killed)\b/,
  },
  // Nothing says whose memory: an inference engine means its GPU.
  family(
    ['gpu.startup.weights', 'gpu.burst.headroom'],
    HINTS,
    /\b(?:CUDA|GPU|HIP) ?malloc\w{0,8} (?:errors?|fail\w*)\b|\bOutOfMemoryError\b|\bOOM(?:s|ed)?\b/i,
    /\bout[- ]of[- ](?:cuda[- ]|gpu[- ]|video[- ]|graphics[- ]|device[- ])?memory\b|\bmemory (?:is |was )exhausted\b/i,
    /(?<!\bcorrect(?:ed|able) )\b(?:CUDA|GPU) memory errors?\b(?![^\n]{0,40}\b(?:ECC|correct\w*|Xid)\b)/i,
    /(?:not enough|insufficient|\bshort of) (?:(?:free|available|GPU|device|video) ){0,2}(?:memory|VRAM)\b/i,
  ),
];

/** Words of memory, the particular before the general. */
export const MEMORY_WORDS: readonly WordFamily[] = [...SHORTAGES, ...PARTS, ...BARE_WORDS];

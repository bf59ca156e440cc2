import { BESIDE_MEMORY } from './beside-memory.ts';
import { FAILS, type Family, family, HINTS, once } from './family.ts';
import { beside } from './no-memory/speech.ts';
import { PARTS } from './parts.ts';

const OUTSIDE: readonly Family[] = [
  family(
    'none',
    once('none.gpu-fault'),
    /\bXid\b|\bECC\b|\buncorrect(?:ed|able) (?:GPU |HBM |DRAM |SRAM )?(?:memory )?errors?\b|illegal memory access|an illegal instruction was encountered|device-side assert(?!ion)|fell off the bus|GPU is lost|misaligned address|unspecified launch|\b(?:Indexing|IndexKernel|ScatterGatherKernel|NLLLoss2d|TensorCompare|MultinomialKernel)\.cu\b[^\n]{0,200}\bassert|\bGPU (?:hang|hung|reset|lockup|recovery)|device[ _](?:was )?(?:lost|removed|hung)\b|DeviceLost|\bring [\w.]{1,40} timeout|(?:error code(?: is|:)|runtime result =) ?507(?!033)[0-8]\d{2}\b|(?:vector|AI) ?core [\w ]{0,20}(?:timed? ?out|exception|abnormal)/i,
    FAILS,
  ),
  // vLLM's own all-reduce, whose error is cut off (vllm-project/vllm csrc/custom_all_reduce.cuh, CUDACHECK).
  family('none', once('none.gpu-fault'), /\bFailed: Cuda error \S{0,80}custom_all_red/, HINTS),
  // PyTorch adds this to every error of the device but its allocator's own refusal; the error itself may be cut off.
  {
    ...family('none', once('none.gpu-fault'), /(?:CUDA|HIP) kernel errors might be asynchronously reported/, HINTS),
    unless: /\b(?:CUDA|HIP) (?:driver |runtime )?error: /,
  },
  family(
    'none',
    once('none.driver'),
    /no kernel image|\b(?:libvgpu|HAMI[- ]?core)\b(?![^\n]{0,200}\bOOM\b)[^\n]{0,160}\b(?:illegal|segfault\w*|segmentation fault|crash\w*|hangs?|fail\w*)\b|\b(?:crash\w*|segfault\w*)\b[^\n]{0,60}\blibvgpu\b|driver version|\bforward compatibility\b|CUDA driver|libcuda\b|\bNVML\b|nvidia-container|invalid device ordinal|unsupported PTX|not compiled with|libnvidia-ml|libamdhip|driver\/library version|failed to initiali[sz]e (?:CUDA|NVML|ROCm|HIP|Vulkan|Metal|SYCL)|invalid device function|invalid device symbol|no (?:CUDA|GPU|HIP|ROCm)[\w -]{0,30}(?:found|detected|available|visible)|\bno adapters were found\b|symbol lookup for cu[A-Z]\w{1,40} failed|cannot find -lcuda\b|\bNvRm\w{0,24} (?:failed|error)|\b(?:hip|cuda|cu|musa)MemGetInfo\b[^\n]{0,12}\berror\b(?![^\n]{0,20}memory)|(?:fail\w*|unable|cannot|could not|doesn't support)[\w ]{0,20} (?:get|query|querying)(?: the)?(?: available| free| total| device){0,3} memory|\bUVA is not available|incompatible kernel and userspace|\bno devices found|not linked with support for|\bCUDA setup\b[^\n]{0,12}(?:fail|:)|\bNVML (?:Shared )?Library Not Found/i,
    FAILS,
  ),
  // The runtime itself can not be set up: 2 alone is want of memory. A library that is tried in vain before another is none
  // (Ollama discover/gpu_info_cudart.c, gpu_info_nvcuda.c).
  {
    ...family(
      'none',
      once('none.driver'),
      /\bcu(?:daSetDevice|Init) err: (?!2\b)\d|\b(?:cudart|cuda driver library) init failure: (?!2\b)\d/,
      HINTS,
    ),
    unless: /\binference compute\b[^\n]{0,200}\blibrary=(?:CUDA|ROCm)/i,
  },
  family(
    'none',
    once('none.scheduling'),
    /FailedScheduling|unschedulable|\b\d{1,5}\/\d{1,5} nodes (?:are )?available\b|\b(?:is|was|be) not scheduled\b|insufficient (?:nvidia|amd|(?:cpu|gpu)(?! memory))|untolerated taint|exceeds (?:the (?:total )?number of )?available (?:GPU|device)|(?:waiting for|no) (?:creating a )?placement group|no nodes? (?:is |are )?available|no available node types|\bno suitable workers\b|\bno workers meet the resource requirements\b/i,
    FAILS,
  ),
  family(
    'none',
    once('none.probe-kill'),
    /(?:liveness|readiness|startup)(?: probes?|[\w ]{0,24} fail)|grace period|\bSIGTERM\b|signal 15\b|exit(?:ed)?(?: with)?(?: code)?:? ?143\b/i,
    FAILS,
  ),
  family(
    'none',
    once('none.comm'),
    /[NRH]CCL|\bgloo\b|TCPStore|rendezvous|process group|(?<!\bcustom[ _]|_custom_)all_?reduce|broken pipe|connection (?:reset|refused|closed|aborted|lost)|\bRPC\b(?!\[)|actor (?:died|is dead)|heartbeat|ECONNRESET|ECONNREFUSED|peer closed|unreachable|\betcd\w*: |(?:server|host|broker) disconnected|(?:fail\w*|unable|could not|cannot) (?:to )?connect\b|\bhandshake\b[^\n]{0,60}\bfail|failed to bind\b|timeout waiting for (?:a )?(?:response|channel|peer|rank)|\bwatchdog\b[^\n]{0,120}\b(?:SeqNum|OpType|collective|broadcast|all_?gather|reduce_?scatter)\b|\bread timed out\b|context deadline exceeded/i,
    HINTS,
  ),
  family(
    'none',
    ['none.config', 'none.request-rejected'],
    /\b(?:400|413|422) Bad|\b(?:code|HTTP|status) (?:400|413|422)\b|bad request|(?:prompt|input|request)[\w ]{0,30} (?:too long|too large|longer than)|(?<!\b(?:buffer size|dimensions?|offset|count|string length|value length) \d{1,20} )exceeds? (?:the )?(?:model's )?(?:max\w*|context)|maximum context length|queue is full|(?:input|prompt) length\b[^\n]{0,80}(?:must be|exceed|greater|larger|longer)/i,
    HINTS,
  ),
  // A request measured in tokens against what the model takes, and a setting of a request that may not be so.
  family(
    'none',
    ['none.config', 'none.request-rejected'],
    /^(?![^\n]{0,600}(?:memory|[KMG]i?B\b|cache|alloc|batched))[^\n]{0,400}?(?:\b(?:prompt|input|request|message|sequence)s?\b[^\n]{0,40}\b\d{1,9} (?:\w+ )?tokens\b[^\n]{0,40}\b(?:but|longer|larger|greater|more|exceed\w*|limit|max\w*)\b|\b(?:prompt|input|total|requested?) (?:tokens?|length)\b[^\n]{0,60}(?:exceed|longer|larger|greater|more than|>|must be (?:less|at most|<))|\b(?:context|sequence) length\b[^\n]{0,12}\bexceed|`?\b(?:max_(?:new_|completion_)?tokens|inputs|truncate|best_of|temperature|top_[kp]|logprobs)\b`?[^\n]{0,20} (?:must|should|can ?not) be\b)|\bBadRequestError\b|\bdoes not support (?:tools?|thinking|chat|generate|completions?|embeddings?)\b/i,
    HINTS,
  ),
  // A command line is read before anything runs.
  family('none', once('none.config'), /unrecognized argument|unknown (?:option|flag|argument)/i, HINTS),
  family(
    'none',
    ['none.config', 'none.other'],
    /unknown (?:model|arch\w*)|(?<!error: )invalid (?:value|choice|argument|config\w*)|\bunsupported\b|not supported|\bnot (?:divisible by|a multiple of)\b|no such file|does not exist|no module named|cannot import|unexpected keyword|permission denied|\b40[134] (?:Client|Unauthorized|Forbidden|Not Found)|gated repo|size mismatch|\bwrong (?:size|shape|type)\b|undefined symbol|GLIBC(?:XX)?_[\d.]{1,10}'? not found|DLL load failed|\bcorrupt(?:ed)?\b|not a valid|is not valid|failed to open|cannot (?:open|find)|could not (?:open|find)|(?:file|model|module|library)(?: '[^'\n]{1,120}'| version)? not found|failed to parse|missing (?:key|required|argument|tensor|weights)|is not installed|unable to (?:read|locate|parse)\b|invalid magic|\bcorrupted or incomplete|version tag does not match|incompatible device|does not match the checkpoint|environment variable is not set|\b0xC000(?:0135|0139|007B)\b|-10737(?:41515|41511|41701)\b|access to (?:model|dataset|repo\w*) \S{1,120} is restricted|\bdownload\b[^\n]{0,60}\b40[134]\b|\battention heads\b[^\n]{0,24}\bdivisible\b|must (?:have access|be (?:authenticated|logged in))/i,
    HINTS,
  ),
  // What the interpreter says where a wrapper repeats it without its type.
  family(
    'none',
    ['none.config', 'none.other'],
    /\b(?:division|modulo) by zero|(?:list|tuple|string) index out of range|'[\w.]{1,60}' object (?:has no attribute|is not (?:callable|iterable|subscriptable))|object of type '\w{1,60}' has no len|unsupported operand type|missing \d{1,3} required (?:positional|keyword)|takes \d{1,3} positional argument|(?:not enough|too many) values to unpack|name '\w{1,60}' is not defined|Expecting value: line \d|invalid literal for int\(\)|could not convert string to float|maximum recursion depth exceeded/,
    HINTS,
  ),
  // What a limit of processes refuses is EAGAIN: without memory fork says ENOMEM (kernel/cgroup/pids.c, kernel/fork.c).
  family(
    'none',
    once('none.other'),
    /\bfork: (?:retry: )?Resource temporarily unavailable|\bfork rejected by pids controller\b|\bpids?[- ](?:cgroup )?limit (?:was |is )?(?:reached|hit|exceeded)\b|segmentation fault|segfault|illegal instruction|access violation|stack overflow|double free|heap corruption|EXC_BAD_ACCESS|\b(?:inf|nan) or (?:inf|nan)\b|either `?inf`?, `?nan|\bprobability tensor|\bwatchdog\b|\blivelock|\b(?:pool|memory) leak detected|\bexited with (?:code|status) 0\b|\bSIG(?:SEGV|ABRT|ILL|FPE)\b|core dumped|\bsignal \(?(?:4|6|8|11)\b|assertion[\w .]{0,20} failed|\bdeadlock|\bGGML_ASSERT|\bassertion error \(|\b0xC0000005\b|\b0xC000001D\b|\b0xC0000374\b|\b0xC0000094\b|\b0xC00000FD\b|-10737(?:41819|41795|40940|41676|41571)\b|\b32212(?:25477|25501|26356|25620|25725)\b|build stopped: |failed building wheel|error sending request for url|\b50[0234] (?:Server Error|Bad Gateway)\b|\bGateway Time-?out\b|(?:could not|failed to|failure in) (?:resolve|name resolution)|Name or service not known/i,
    HINTS,
  ),
];

// Memory that is locked for the device, beside a complaint: alone it names a part.
const PINNED =
  '(?:(?:cuda|hip)Host(?:Alloc|Register)|(?:cuda|hip)MallocHost|(?<!\\bfree )\\bpin(?:ned)?[ _-](?:\\w+ )?(?:host |cpu |system )?(?:memory|buffer|pool)|\\bmlock\\b|page[- ]locked)(?! (?:is )?only supported|\\) support\\b)';
const REFUSAL =
  "(?:fail|unable|cannot|can't|could not|error|refus|invalid|out of|short of|exceed|not enough|insufficient|\\blimit|null|denied|not permitted|too (?:large|big|much))";

const SHORT: readonly Family[] = [
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
    /\bbus error\b|(?<!\bSIGSEGV or )\bSIGBUS\b|\bsignal 7\b|shared memory segment(?![^\n]{0,60}\bnot found)|\bshared[- ]memory allocation (?:errors?|fail\w*)|\/dev\/shm\b[^\n]{0,24}\b64 ?Mi?B?\b|\b(?:insufficient|not enough) (?:space in )?\/dev\/shm/i,
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
    /(?:larger|greater|bigger) than (?:the )?(?:\w+ ){0,2}max\w*\b[^\n]{0,40}\b(?:buffer|alloc)|(?<!\b(?:count|length|number|index|offset) )exceed\w* (?:the )?(?:[\w']+ ){0,3}(?:buffer|allocation|working set) (?:size|limit)|\bmax(?:imum)? (?:buffer|allocation) size\b|maxBufferLength|maxStorageBufferRange|MAX_MEM_ALLOC_SIZE/i,
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
    /available\w{0,10}(?:\(\))? ?[=:]? ?[\d.]{1,20} ?< ?(?:need|requir|want)|\d ?[KMG]i?B\b[^\n]{0,20}\bkv[ _-]?cache\b[^\n]{0,20}\b(?:need|requir)[^\n]{0,60}\bavailable\b|\bkv[ _-]?cache\b[^\n]{0,40}\b(?:need|requir)\w*[^\n]{0,20}\d ?[KMG]i?B\b[^\n]{0,60}\b(?:only|available|left|free)\b|\black of (?:CPU )?swap space\b|\bTry to allocate \d{1,12} tokens\.|(?:not enough|insufficient|out of|no(?= free| available)) (?:free |available )?(?:kv |cache )?(?:blocks|slots|pages)\b(?! to (?:search|read|show|fetch))|\bno (?:kv |cache )?(?:blocks|slots|pages) (?:are |is )?(?:left|available|free)\b|\bno (?:available |free )?memory (?:is |was )?(?:left |available )?for (?:the )?(?:kv[ _-]?)?cache\b|\bmax[\w ]{0,8}(?:seq|model)[ _-]?len\w*\b[^\n]{0,60}\b(?:larger|greater|longer|more|exceed\w*)\b[^\n]{0,60}\bkv[ _-]?cache\b|\bmax_total_num_tokens\b[^\n]{0,30}(?:negative|<= ?0|-\d)|negative [^\n]{0,40}\bmax_total_num_tokens/i,
    HINTS,
  ),
];

// The call that ggml names below its error, whose own line is lost: room for its pool, which grows with what it computes
// (ggml-org/ggml src/ggml-cuda/ggml-cuda.cu, ggml_cuda_pool_vmm and ggml_cuda_pool_leg).
const POOL_OF_GGML: Family = {
  ...family(
    'gpu',
    ['gpu.startup.profiling', 'gpu.burst.headroom'],
    /\bin function (?:alloc|ggml_cuda_pool_malloc\w{0,12}|ggml_cuda_device_malloc)\b|\bggml_cuda_pool_(?:vmm|leg)::alloc\b|^\s*(?:cuMemCreate|cuMemSetAccess|cuMemAddressReserve|ggml_cuda_device_malloc)\(&?\w/,
    FAILS,
  ),
  unless: /\b(?:CUDA|HIP|MUSA|ROCm) error: (?!out of memory)\w/,
};

/** Whether a line names a pool of ggml's that could not grow. */
export function namesPoolOfGgml(text: string): boolean {
  return POOL_OF_GGML.pattern.test(text);
}

// The bare words for a lack: they tell the plane, and of the cause no more than is usual.
export const LACK: readonly Family[] = [
  {
    ...family(
      'host',
      ['host.startup.weight-staging', 'host.burst.payload'],
      /DefaultCPUAllocator|\bbad[_ ]alloc(?:ation)?\b|(?<!OutOf)MemoryError\b(?![^\n]*\bVRAM\b)|\bjava\.lang\.OutOfMemoryError|\bruntime: out of memory|\b(?:using|used) (?:too much|all (?:the )?available) (?:memory|RAM)\b|\bmemory (?:issue|quota)|\binsufficient system resources exist|\bnot enough quota\b|\bENOMEM\b|cannot allocate memory|\bkilled\b(?! by|[^\n]{0,30}\b(?:orphan|leftover|new instance))|signal:? ?9\b|(?<!\b(?:sending|survived) )\bSIGKILL\b(?! (?:orphan|leftover)|[^\n]{0,8}\bnew instance)|\bkilled by (?:the )?(?:kubernetes|kubelet|kernel|system|OS)\b|\b(?:systemd-)?oomd\b(?! (?:is |was )?(?:off|disabled|masked|stopped|not|active|running|enabled|on|installed|there)\b)(?![^.;\n]{0,60}\b(?:logged|shows?|says?|killed|did) (?:nothing|no one|nobody|not)\b)|\banon-rss\b|\bNV_ERR_NO_MEMORY\b|\b(?:dmesg|kernel log|journal)\b[^.;\n]{0,24}\bkills?\b(?! switch)|\bOOM[- _]?(?:kill|prevention)|\bmemory monitor(?: of Ray)? (?:then )?(?:kill(?:s|ed)|ends|ended)\b|\bkilled by (?:Ray['’]s|the) memory monitor\b|\bray OOMs?\b|\b(?:host|node|system|machine|CPU)[- ](?:side )?OOMs?\b|\bOOMs? (?:of|from|by|in) ray\b|\boom=true\b|\bcontainers? (?:was |were |is |gets? |got |then )?OOM(?:['’]d|ed)\b|\b(?:host|node|machine|system|server|box|VM|computer|pod)(?:['’]s)? memory (?:is|was) (?:then )?(?:exhausted|used up|gone)\b|\b(?:host|node|machine|system|server|box|VM|computer|Ray)(?: (?:runs?|ran|running|goes|went|is|was))? out of (?:memory|RAM)\b|\b(?:lack|want|shortage) of (?:(?:free|available|host|system|CPU|node) ){0,2}RAM\b|\b(?:lack|want|shortage) of (?:host|system|CPU|node) memory\b|\bpag(?:e|ing) ?file\b|\blow on (?:memory|RAM)\b|\bmemory pressure\b|\bjetsam\b|\bswap is (?:low|full)\b|\bheav(?:y|ily) (?:memory )?swap(?:s|ped|ping)?\b(?! (?:traffic|of)\b)|\bswap(?:s|ped|ping)? heavily\b|内存(?:爆|撑爆)/i,
      HINTS,
    ),
    // By hand, and by a program that ends another and waits for it.
    unless:
      /\bSIGKILL\b[^\n]{0,6}\(`?(?:kill|pkill) -9|\b(?:still alive|not reaped|not exit)\b[^\n]{0,40}\b(?:SIGKILL|being killed)\b/,
  },
  // Nothing says whose memory: an inference engine speaks of its card, and of RAM in the words above.
  family(
    'gpu',
    ['gpu.startup.weights', 'gpu.burst.headroom'],
    /\b(?:CUDA|GPU|HIP) ?malloc\w{0,8} (?:errors?|fail\w*)\b|\bout[- ]of[- ](?:cuda[- ]|gpu[- ]|video[- ]|graphics[- ]|device[- ])?memory\b|\bOutOfMemoryError\b|\bOOM(?:s|ed|['’]d)?\b|(?<!\bcorrect(?:ed|able) )\b(?:CUDA|GPU) memory errors?\b(?![^\n]{0,40}\b(?:ECC|correct\w*|Xid)\b)|(?:not enough|insufficient|\b(?:lack|want|shortage) of|\bshort of) (?:(?:free|available|GPU|device|video) ){0,2}(?:memory|VRAM)\b|(?<!\b(?:host|node|machine|system|server|box|VM|computer|pod)(?:['’]s)? )\bmemory (?:(?:is|was|gets?|keeps?|getting|being|then) ){1,3}exhausted\b/i,
    HINTS,
  ),
];

/** The words of engines, drivers, runtimes and clusters by what they mean, the particular before the general. */
export const FAMILIES: readonly Family[] = [...BESIDE_MEMORY, ...OUTSIDE, ...SHORT, ...PARTS, POOL_OF_GGML, ...LACK];

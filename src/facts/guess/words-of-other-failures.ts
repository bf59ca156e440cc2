import { anyOf } from '../../read/text/patterns.ts';
import { FAILS, type Family, family, HINTS, once } from './family.ts';

/** What fails and is no memory: the device, its driver, the cluster, the network, the configuration, the program. */
export const OUTSIDE_MEMORY: readonly Family[] = [
  family(
    'none',
    once('none.gpu-fault'),
    anyOf(
      'i',
      /\bXid\b|\bECC\b|\buncorrect(?:ed|able) (?:GPU |HBM |DRAM |SRAM )?(?:memory )?errors?\b/,
      /illegal memory access|an illegal instruction was encountered|device-side assert(?!ion)/,
      /fell off the bus|GPU is lost|misaligned address|unspecified launch/,
      /\b(?:Indexing|IndexKernel|ScatterGatherKernel|NLLLoss2d|TensorCompare|MultinomialKernel)\.cu\b[^\n]{0,200}\bassert/,
      /\bGPU (?:hang|hung|reset|lockup|recovery)|device[ _](?:was )?(?:lost|removed|hung)\b|DeviceLost/,
      /\bring [\w.]{1,40} timeout|(?:error code(?: is|:)|runtime result =) ?507(?!033)[0-8]\d{2}\b/,
      /(?:vector|AI) ?core [\w ]{0,20}(?:timed? ?out|exception|abnormal)/,
    ),
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
    anyOf(
      'i',
      /no kernel image/,
      /\b(?:libvgpu|HAMI[- ]?core)\b(?![^\n]{0,200}\bOOM\b)[^\n]{0,160}\b(?:illegal|segfault\w*|segmentation fault|crash\w*|hangs?|fail\w*)\b/,
      /\b(?:crash\w*|segfault\w*)\b[^\n]{0,60}\blibvgpu\b|driver version|\bforward compatibility\b/,
      /CUDA driver|libcuda\b|\bNVML\b|nvidia-container|invalid device ordinal|unsupported PTX/,
      /not compiled with|libnvidia-ml|libamdhip|driver\/library version/,
      /failed to initiali[sz]e (?:CUDA|NVML|ROCm|HIP|Vulkan|Metal|SYCL)|invalid device function/,
      /invalid device symbol|no (?:CUDA|GPU|HIP|ROCm)[\w -]{0,30}(?:found|detected|available|visible)/,
      /\bno adapters were found\b|symbol lookup for cu[A-Z]\w{1,40} failed|cannot find -lcuda\b/,
      /\bNvRm\w{0,24} (?:failed|error)/,
      /\b(?:hip|cuda|cu|musa)MemGetInfo\b[^\n]{0,12}\berror\b(?![^\n]{0,20}memory)/,
      /(?:fail\w*|unable|cannot|could not|doesn't support)[\w ]{0,20} (?:get|query|querying)(?: the)?(?: available| free| total| device){0,3} memory/,
      /\bUVA is not available|incompatible kernel and userspace|\bno devices found/,
      /not linked with support for|\bCUDA setup\b[^\n]{0,12}(?:fail|:)|\bNVML (?:Shared )?Library Not Found/,
    ),
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
    anyOf(
      'i',
      /FailedScheduling|unschedulable|\b\d{1,5}\/\d{1,5} nodes (?:are )?available\b/,
      /\b(?:is|was|be) not scheduled\b|insufficient (?:nvidia|amd|(?:cpu|gpu)(?! memory))|untolerated taint/,
      /exceeds (?:the (?:total )?number of )?available (?:GPU|device)/,
      /(?:waiting for|no) (?:creating a )?placement group|no nodes? (?:is |are )?available/,
      /no available node types|\bno suitable workers\b|\bno workers meet the resource requirements\b/,
    ),
    FAILS,
  ),
  family(
    'none',
    once('none.probe-kill'),
    /(?:liveness|readiness|startup)(?: probes?|[\w ]{0,24} fail)|grace period|\bSIGTERM\b|signal 15\b|exit(?:ed)?(?: with)?(?: code)?:? ?143\b/i,
    FAILS,
  ),
  // What comes over the network before anything is loaded: nothing between the processes of an engine.
  family(
    'none',
    once('none.other'),
    /\bHTTPS?ConnectionPool\(host='[^'\n]{1,80}\.(?:co|com|net|org|io|ai|cn)'[^\n]{0,400}(?:timed out|Max retries|refused|reset|unreachable|resol)/i,
    HINTS,
  ),
  family(
    'none',
    once('none.comm'),
    anyOf(
      'i',
      /[NRH]CCL|\bgloo\b|TCPStore|rendezvous|process group|(?<!\bcustom[ _]|_custom_)all_?reduce/,
      /broken pipe|connection (?:reset|refused|closed|aborted|lost)|\bRPC\b(?!\[)|actor (?:died|is dead)/,
      /heartbeat|ECONNRESET|ECONNREFUSED|peer closed|unreachable|\betcd\w*: /,
      /(?:server|host|broker) disconnected|(?:fail\w*|unable|could not|cannot) (?:to )?connect\b/,
      /\bhandshake\b[^\n]{0,60}\bfail|failed to bind\b/,
      /timeout waiting for (?:a )?(?:response|channel|peer|rank)/,
      /\bwatchdog\b[^\n]{0,120}\b(?:SeqNum|OpType|collective|broadcast|all_?gather|reduce_?scatter)\b/,
      /\bread timed out\b|context deadline exceeded/,
    ),
    HINTS,
  ),
  family(
    'none',
    ['none.config', 'none.request-rejected'],
    anyOf(
      'i',
      /\b(?:400|413|422) Bad|\b(?:code|HTTP|status) (?:400|413|422)\b|bad request/,
      /(?:prompt|input|request)[\w ]{0,30} (?:too long|too large|longer than)/,
      /(?<!\b(?:buffer size|dimensions?|offset|count|string length|value length) \d{1,20} )exceeds? (?:the )?(?:model's )?(?:max\w*|context)/,
      /maximum context length|queue is full/,
      /(?:input|prompt) length\b[^\n]{0,80}(?:must be|exceed|greater|larger|longer)/,
    ),
    HINTS,
  ),
  // A request measured in tokens against what the model takes, and a setting of a request that may not be so.
  family(
    'none',
    ['none.config', 'none.request-rejected'],
    anyOf(
      'i',
      /^(?![^\n]{0,600}(?:memory|[KMG]i?B\b|cache|alloc|batched))[^\n]{0,400}?(?:\b(?:prompt|input|request|message|sequence)s?\b[^\n]{0,40}\b\d{1,9} (?:\w+ )?tokens\b[^\n]{0,40}\b(?:but|longer|larger|greater|more|exceed\w*|limit|max\w*)\b|\b(?:prompt|input|total|requested?) (?:tokens?|length)\b[^\n]{0,60}(?:exceed|longer|larger|greater|more than|>|must be (?:less|at most|<))|\b(?:context|sequence) length\b[^\n]{0,12}\bexceed|`?\b(?:max_(?:new_|completion_)?tokens|inputs|truncate|best_of|temperature|top_[kp]|logprobs)\b`?[^\n]{0,20} (?:must|should|can ?not) be\b)/,
      /\bBadRequestError\b|\bdoes not support (?:tools?|thinking|chat|generate|completions?|embeddings?)\b/,
    ),
    HINTS,
  ),
  // A command line is read before anything runs.
  family('none', once('none.config'), /unrecognized argument|unknown (?:option|flag|argument)/i, HINTS),
  family(
    'none',
    ['none.config', 'none.other'],
    anyOf(
      'i',
      /unknown (?:model|arch\w*)|(?<!error: )invalid (?:value|choice|argument|config\w*)|\bunsupported\b/,
      /not supported|\bnot (?:divisible by|a multiple of)\b|no such file|does not exist|no module named/,
      /cannot import|unexpected keyword|permission denied/,
      /\b40[134] (?:Client|Unauthorized|Forbidden|Not Found)|gated repo|size mismatch/,
      /\bwrong (?:size|shape|type)\b|undefined symbol|GLIBC(?:XX)?_[\d.]{1,10}'? not found|DLL load failed/,
      /\bcorrupt(?:ed)?\b|not a valid|is not valid|failed to open|cannot (?:open|find)/,
      /could not (?:open|find)|(?:file|model|module|library)(?: '[^'\n]{1,120}'| version)? not found/,
      /failed to parse|missing (?:key|required|argument|tensor|weights)|is not installed/,
      /unable to (?:read|locate|parse)\b|invalid magic|\bcorrupted or incomplete|version tag does not match/,
      /incompatible device|does not match the checkpoint|environment variable is not set/,
      /\b0xC000(?:0135|0139|007B)\b|-10737(?:41515|41511|41701)\b/,
      /access to (?:model|dataset|repo\w*) \S{1,120} is restricted|\bdownload\b[^\n]{0,60}\b40[134]\b/,
      /\battention heads\b[^\n]{0,24}\bdivisible\b|must (?:have access|be (?:authenticated|logged in))/,
    ),
    HINTS,
  ),
  // What the interpreter says where a wrapper repeats it without its type.
  family(
    'none',
    ['none.config', 'none.other'],
    anyOf(
      '',
      /\b(?:division|modulo) by zero|(?:list|tuple|string) index out of range/,
      /'[\w.]{1,60}' object (?:has no attribute|is not (?:callable|iterable|subscriptable))/,
      /object of type '\w{1,60}' has no len|unsupported operand type/,
      /missing \d{1,3} required (?:positional|keyword)|takes \d{1,3} positional argument/,
      /(?:not enough|too many) values to unpack|name '\w{1,60}' is not defined|Expecting value: line \d/,
      /invalid literal for int\(\)|could not convert string to float|maximum recursion depth exceeded/,
    ),
    HINTS,
  ),
  // What a limit of processes refuses is EAGAIN: without memory fork says ENOMEM (kernel/cgroup/pids.c, kernel/fork.c).
  family(
    'none',
    once('none.other'),
    anyOf(
      'i',
      /\bfork: (?:retry: )?Resource temporarily unavailable|\bfork rejected by pids controller\b/,
      /\bpids?[- ](?:cgroup )?limit (?:was |is )?(?:reached|hit|exceeded)\b|segmentation fault|segfault/,
      /illegal instruction|access violation|stack overflow|double free|heap corruption|EXC_BAD_ACCESS/,
      /\b(?:inf|nan) or (?:inf|nan)\b|either `?inf`?, `?nan|\bprobability tensor|\bwatchdog\b|\blivelock/,
      /\b(?:pool|memory) leak detected|\bexited with (?:code|status) 0\b|\bSIG(?:SEGV|ABRT|ILL|FPE)\b/,
      /core dumped|\bsignal \(?(?:4|6|8|11)\b|assertion[\w .]{0,20} failed|\bdeadlock|\bGGML_ASSERT/,
      /\bassertion error \(|\b0xC0000005\b|\b0xC000001D\b|\b0xC0000374\b|\b0xC0000094\b|\b0xC00000FD\b/,
      /-10737(?:41819|41795|40940|41676|41571)\b|\b32212(?:25477|25501|26356|25620|25725)\b|build stopped: /,
      /failed building wheel|error sending request for url|\b50[0234] (?:Server Error|Bad Gateway)\b/,
      /\bGateway Time-?out\b|(?:could not|failed to|failure in) (?:resolve|name resolution)/,
      /Name or service not known/,
    ),
    HINTS,
  ),
];

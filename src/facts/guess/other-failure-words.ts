import { FAILS, family, HINTS, type WordFamily } from './word-family.ts';

const CARRIER =
  '(?:nixl|ucx|ucp|uct|ucc|nvshmem|mooncake|mori|libfabric|ibgda|ibv|rdma|roce|infiniband|gdrcopy|gpudirect|deep_?ep|transfer[ _]engine|kv[ _-]?(?:transfer|connector)|zmq|zeromq|openmpi|ompi|pmix)';
const COMPLAINT =
  '(?:fail|fault|error|_ERR_|abort|unable|could not|cannot|refus|reset by|lost|disconnect|time(?:d )?-?out|status -\\d)';

/** Words for what fails and is not memory: the device, its driver, the cluster, the network, the configuration, the program. */
export const OTHER_FAILURES: readonly WordFamily[] = [
  // Result names of cuda.h, driver_types.h and hip_runtime_api.h, where the sentence is missing.
  family(
    'none.gpu-fault',
    FAILS,
    /\bCUDA_ERROR_(?:ILLEGAL_ADDRESS|LAUNCH_FAILED|LAUNCH_TIMEOUT|MISALIGNED_ADDRESS|ILLEGAL_INSTRUCTION|HARDWARE_STACK_ERROR|ASSERT|ECC_UNCORRECTABLE|NVLINK_UNCORRECTABLE)\b/,
    /\b(?:cuda|hip)Error(?:IllegalAddress|LaunchFailure|LaunchTimeout|LaunchTimeOut|MisalignedAddress|IllegalInstruction|HardwareStackError|Assert|ECC\w{0,4}Uncorrectable|NvlinkUncorrectable)\b/,
  ),
  family(
    'none.driver',
    FAILS,
    /\bCUDA_ERROR_(?:NO_DEVICE|INVALID_DEVICE|NOT_INITIALIZED|STUB_LIBRARY|DEVICE_UNAVAILABLE|NO_BINARY_FOR_GPU|UNSUPPORTED_PTX_VERSION|SYSTEM_NOT_READY|SYSTEM_DRIVER_MISMATCH|COMPAT_NOT_SUPPORTED_ON_DEVICE|MPS_\w{1,40})\b/,
    /\b(?:cuda|hip)Error(?:NoDevice|InvalidDevice|NotInitialized|InitializationError|StubLibrary|DevicesUnavailable|NoKernelImageForDevice|NoBinaryForGpu|UnsupportedPtxVersion|SystemNotReady|SystemDriverMismatch|CompatNotSupportedOnDevice|InsufficientDriver|Mps[A-Z]\w{1,40})\b/,
  ),
  // A call with wrong arguments. Registers, shared memory of the chip and indexes of 32 bits are no memory that ran out.
  family(
    'none.other',
    HINTS,
    /\bCUDA_ERROR_(?:INVALID_VALUE|INVALID_CONTEXT|INVALID_HANDLE|NOT_FOUND|LAUNCH_OUT_OF_RESOURCES|STREAM_CAPTURE_\w{1,40}|UNKNOWN)\b/,
    /\b(?:cuda|hip)Error(?:InvalidValue|InvalidResourceHandle|SymbolNotFound|LaunchOutOfResources|InvalidConfiguration|StreamCapture\w{1,40}|Unknown)\b/,
    /\bout of resource: [^\n]{1,200} Required: \d/,
  ),
  // PyTorch checks every call here, but its allocator's own.
  {
    ...family(
      'none.gpu-fault',
      HINTS,
      /Exception raised from c10_(?:cuda|hip)_check_implementation|(?:CUDA|HIP) kernel errors might be asynchronously reported/,
    ),
    unless: /\b(?:CUDA|HIP) (?:driver |runtime )?error: /,
  },
  // What carries tensors between processes and nodes, next to a complaint.
  family(
    'none.comm',
    HINTS,
    new RegExp(`\\b${CARRIER}\\w*[^\\n]{0,240}${COMPLAINT}|${COMPLAINT}[^\\n]{0,80}\\b${CARRIER}`, 'i'),
    /\bMPI error\b|\bregister\w* (?:local |the )?(?:memory|buffers?|region)\b[^\n]{0,20}fail|fail\w* to register (?:\w+ )?(?:memory|buffers?|region)\b/i,
  ),
  family(
    'none.scheduling',
    FAILS,
    /\bquota (?:was |is |has been )?exceeded|\bexceed\w* (?:\w+ ){0,2}quota|InsufficientInstanceCapacity/i,
    /FailedScheduling|unschedulable|\b\d{1,5}\/\d{1,5} nodes (?:are )?available\b|untolerated taint/i,
    /\b(?:is|was|be) not scheduled\b|insufficient (?:nvidia|amd|(?:cpu|gpu)(?! memory))|admission webhook [^\n]{1,160} denied/i,
    /exceeds (?:the (?:total )?number of )?available (?:GPU|device)|no nodes? (?:is |are )?available/i,
    /(?:waiting for|no) (?:creating a )?placement group|no available node types|\bno workers meet the resource requirements\b/i,
  ),
  family(
    'none.gpu-fault',
    FAILS,
    /\bXid\b|\bECC\b|\buncorrect(?:ed|able) (?:GPU |HBM |DRAM |SRAM )?(?:memory )?errors?\b/i,
    /illegal memory access|an illegal instruction was encountered|device-side assert(?!ion)/i,
    /fell off the bus|GPU is lost|misaligned address|unspecified launch/i,
    /\b(?:Indexing|IndexKernel|ScatterGatherKernel|TensorCompare|MultinomialKernel)\.cu\b[^\n]{0,200}\bassert/i,
    /\bGPU (?:hang|hung|reset|lockup|recovery)|device[ _](?:was )?(?:lost|removed|hung)\b|DeviceLost/i,
    /\bring [\w.]{1,40} timeout|(?:error code(?: is|:)|runtime result =) ?507(?!033)[0-8]\d{2}\b/i,
    /(?:vector|AI) ?core [\w ]{0,20}(?:timed? ?out|exception|abnormal)|\bFailed: Cuda error \S{0,80}custom_all_red/i,
  ),
  family(
    'none.driver',
    FAILS,
    /no kernel image|driver version|\bforward compatibility\b|CUDA driver|libcuda\b|\bNVML\b|nvidia-container/i,
    /invalid device ordinal|unsupported PTX|not compiled with|libnvidia-ml|libamdhip|driver\/library version/i,
    /failed to initiali[sz]e (?:CUDA|NVML|ROCm|HIP|Vulkan|Metal|SYCL)|invalid device (?:function|symbol)/i,
    /no (?:CUDA|GPU|HIP|ROCm)[\w -]{0,30}(?:found|detected|available|visible)|\bno devices found/i,
    /\bNvRm\w{0,24} (?:failed|error)|\b(?:hip|cuda|cu|musa)MemGetInfo\b[^\n]{0,12}\berror\b(?![^\n]{0,20}memory)/i,
    /(?:fail\w*|unable|cannot|could not|doesn't support)[\w ]{0,20} (?:get|query|querying)(?: the)?(?: available| free| total| device){0,3} memory/i,
    /\bcu(?:daSetDevice|Init) err: (?!2\b)\d|\b(?:cudart|cuda driver library) init failure: (?!2\b)\d/i,
  ),
  family(
    'none.probe-kill',
    FAILS,
    /(?:liveness|readiness|startup)(?: probes?|[\w ]{0,24} fail)|grace period|\bSIGTERM\b|signal 15\b|exit(?:ed)?(?: with)?(?: code)?:? ?143\b/i,
  ),
  // Network traffic before anything is loaded, and the disk.
  family(
    'none.other',
    HINTS,
    /\bHTTPS?ConnectionPool\(host='[^'\n]{1,80}\.(?:co|com|net|org|io|ai|cn)'[^\n]{0,400}(?:timed out|Max retries|refused|reset|unreachable|resol)/i,
    /\bephemeral[- ]storage\b[^\n]{0,80}\b(?:exceed\w*|evict\w*|full|low|pressure|usage)\b|\b(?:Failed)?PostStartHook\b/i,
  ),
  family(
    'none.comm',
    HINTS,
    /[NRH]CCL|\bgloo\b|TCPStore|rendezvous|process group|(?<!\bcustom[ _]|_custom_)all_?reduce/i,
    /broken pipe|connection (?:reset|refused|closed|aborted|lost)|\bRPC\b(?!\[)|actor (?:died|is dead)/i,
    /heartbeat|ECONNRESET|ECONNREFUSED|peer closed|unreachable|\betcd\w*: |context deadline exceeded/i,
    /(?:server|host|broker) disconnected|(?:fail\w*|unable|could not|cannot) (?:to )?connect\b|\bread timed out\b/i,
    /\bhandshake\b[^\n]{0,60}\bfail|failed to bind\b|timeout waiting for (?:a )?(?:response|channel|peer|rank)/i,
    /\bwatchdog\b[^\n]{0,120}\b(?:SeqNum|OpType|collective|broadcast|all_?gather|reduce_?scatter)\b/i,
  ),
  family(
    ['none.config', 'none.request-rejected'],
    HINTS,
    /\b(?:400|413|422) Bad|\b(?:code|HTTP|status) (?:400|413|422)\b|bad request|\bBadRequestError\b|queue is full/i,
    /(?:prompt|input|request)[\w ]{0,30} (?:too long|too large|longer than)|maximum context length/i,
    /(?<!\b(?:buffer size|dimensions?|offset|count|string length|value length) \d{1,20} )exceeds? (?:the )?(?:model's )?(?:max\w*|context)/i,
    /(?:input|prompt) length\b[^\n]{0,80}(?:must be|exceed|greater|larger|longer)/i,
    /^(?![^\n]{0,600}(?:memory|[KMG]i?B\b|cache|alloc|batched))[^\n]{0,400}?\b(?:prompt|input|request|message|sequence)s?\b[^\n]{0,40}\b\d{1,9} (?:\w+ )?tokens\b[^\n]{0,40}\b(?:but|longer|larger|greater|more|exceed\w*|limit|max\w*)\b/i,
    /\bdoes not support (?:tools?|thinking|chat|generate|completions?|embeddings?)\b/i,
  ),
  // A command line is read before anything runs.
  family('none.config', HINTS, /unrecognized argument|unknown (?:option|flag|argument)/i),
  family(
    ['none.config', 'none.other'],
    HINTS,
    /unknown (?:model|arch\w*)|(?<!error: )invalid (?:value|choice|argument|config\w*)|\bunsupported\b|not supported/i,
    /\bnot (?:divisible by|a multiple of)\b|no such file|does not exist|no module named|cannot import/i,
    /unexpected keyword|permission denied|\b40[134] (?:Client|Unauthorized|Forbidden|Not Found)|gated repo/i,
    /size mismatch|\bwrong (?:size|shape|type)\b|undefined symbol|GLIBC(?:XX)?_[\d.]{1,10}'? not found/i,
    /\bcorrupt(?:ed)?\b|not a valid|is not valid|failed to (?:open|parse)|(?:cannot|could not) (?:open|find)/i,
    /(?:file|model|module|library)(?: '[^'\n]{1,120}'| version)? not found|missing (?:key|required|argument|tensor|weights)/i,
    /is not installed|unable to (?:read|locate|parse)\b|invalid magic|environment variable is not set/i,
    /does not match the checkpoint|access to (?:model|dataset|repo\w*) \S{1,120} is restricted/i,
  ),
  // What the interpreter says, repeated by a wrapper without its type.
  family(
    ['none.config', 'none.other'],
    HINTS,
    /\b(?:division|modulo) by zero|(?:list|tuple|string) index out of range|maximum recursion depth exceeded/,
    /'[\w.]{1,60}' object (?:has no attribute|is not (?:callable|iterable|subscriptable))|unsupported operand type/,
    /missing \d{1,3} required (?:positional|keyword)|takes \d{1,3} positional argument|name '\w{1,60}' is not defined/,
  ),
  // What a limit of processes refuses is EAGAIN: without memory fork says ENOMEM (kernel/cgroup/pids.c, kernel/fork.c).
  family(
    'none.other',
    HINTS,
    /\bfork: (?:retry: )?Resource temporarily unavailable|\bfork rejected by pids controller\b/i,
    /segmentation fault|segfault|illegal instruction|access violation|stack overflow|double free|heap corruption/i,
    /\b(?:inf|nan) or (?:inf|nan)\b|either `?inf`?, `?nan|\bprobability tensor|\bwatchdog\b|\bdeadlock/i,
    /\bexited with (?:code|status) 0\b|\bSIG(?:SEGV|ABRT|ILL|FPE)\b|core dumped|\bsignal \(?(?:4|6|8|11)\b/i,
    /assertion[\w .]{0,20} failed|\bassertion error \(|\bGGML_ASSERT|failed building wheel|build stopped: /i,
    /error sending request for url|\b50[0234] (?:Server Error|Bad Gateway)\b|\bGateway Time-?out\b/i,
    /(?:could not|failed to|failure in) (?:resolve|name resolution)|Name or service not known/i,
  ),
];

import { anyOf } from '../../read/text/patterns.ts';
import { FAILS, type Family, family, HINTS, once } from './family.ts';

// The driver's and the runtime's names for a result, where the sentence is missing (CUDA's cuda.h and driver_types.h, HIP's
// hip_runtime_api.h). OUT_OF_MEMORY and MemoryAllocation are not among them, nor what else a pool may lack.
const RESULTS: readonly Family[] = [
  family(
    'none',
    once('none.gpu-fault'),
    /\b(?:CUDA_ERROR_(?:ILLEGAL_ADDRESS|LAUNCH_FAILED|LAUNCH_TIMEOUT|MISALIGNED_ADDRESS|ILLEGAL_INSTRUCTION|INVALID_ADDRESS_SPACE|INVALID_PC|HARDWARE_STACK_ERROR|ASSERT|ECC_UNCORRECTABLE|NVLINK_UNCORRECTABLE|CONTAINED|EXTERNAL_DEVICE)|(?:cuda|hip)Error(?:IllegalAddress|LaunchFailure|LaunchTimeout|LaunchTimeOut|MisalignedAddress|IllegalInstruction|InvalidAddressSpace|InvalidPc|HardwareStackError|Assert|ECC\w{0,4}Uncorrectable|ECCNotCorrectable|NvlinkUncorrectable|Contained|ExternalDevice))\b/,
    FAILS,
  ),
  family(
    'none',
    once('none.driver'),
    /\b(?:CUDA_ERROR_(?:NO_DEVICE|INVALID_DEVICE|NOT_INITIALIZED|STUB_LIBRARY|DEVICE_UNAVAILABLE|DEVICE_NOT_LICENSED|NO_BINARY_FOR_GPU|UNSUPPORTED_PTX_VERSION|INVALID_PTX|INVALID_IMAGE|JIT_COMPILER_NOT_FOUND|SYSTEM_NOT_READY|SYSTEM_DRIVER_MISMATCH|COMPAT_NOT_SUPPORTED_ON_DEVICE|OPERATING_SYSTEM|MPS_\w{1,40}|PEER_ACCESS_UNSUPPORTED|NOT_SUPPORTED)|(?:cuda|hip)Error(?:NoDevice|InvalidDevice|NotInitialized|InitializationError|StubLibrary|DevicesUnavailable|DeviceNotLicensed|NoKernelImageForDevice|NoBinaryForGpu|UnsupportedPtxVersion|InvalidPtx|InvalidKernelImage|InvalidImage|JitCompilerNotFound|SystemNotReady|SystemDriverMismatch|CompatNotSupportedOnDevice|InsufficientDriver|OperatingSystem|Mps[A-Z]\w{1,40}|PeerAccessUnsupported|NotSupported))\b/,
    FAILS,
  ),
  // A call with wrong arguments or in a wrong state. What a kernel lacks are registers and shared memory of the chip, and
  // tensors of more than 2^31 elements are too long for the index of a kernel: no memory ran out.
  family(
    'none',
    once('none.other'),
    anyOf(
      '',
      /\b(?:CUDA_ERROR_(?:INVALID_VALUE|INVALID_CONTEXT|INVALID_HANDLE|NOT_FOUND|ILLEGAL_STATE|NOT_PERMITTED|LAUNCH_OUT_OF_RESOURCES|STREAM_CAPTURE_\w{1,40}|CAPTURED_EVENT|GRAPH_EXEC_UPDATE_FAILURE|CONTEXT_IS_DESTROYED|DEINITIALIZED|FILE_NOT_FOUND|UNKNOWN)|(?:cuda|hip)Error(?:InvalidValue|DeviceUninitialized|InvalidResourceHandle|SymbolNotFound|IllegalState|NotPermitted|LaunchOutOfResources|InvalidConfiguration|StreamCapture\w{1,40}|CapturedEvent|GraphExecUpdateFailure|ContextIsDestroyed|CudartUnloading|FileNotFound|Unknown))\b/,
      /\bout of resource: [^\n]{1,200} Required: \d/,
      /\b(?:volume|size|elements?|numel)\b[^\n]{0,40}\b(?:exceeds?|larger than|greater than|more than) (?:the )?(?:2147483647|2\^31|2\*\*31|INT_MAX|int32)/,
    ),
    HINTS,
  ),
  // Where PyTorch checks the result of a call: any error of the device but its allocator's own refusal.
  {
    ...family('none', once('none.gpu-fault'), /Exception raised from c10_(?:cuda|hip)_check_implementation/, HINTS),
    unless: /\b(?:CUDA|HIP) (?:driver |runtime )?error: /,
  },
];

const CARRIER =
  '(?:nixl|ucx|ucp|uct|ucc|nvshmem|mooncake|mori|libfabric|ibgda|ibv|rdma|roce|infiniband|gdrcopy|gpudirect|deep_?ep|transfer[ _]engine|kv[ _-]?(?:transfer|connector)|zmq|zeromq|openmpi|ompi|pmix)';
const COMPLAINT =
  '(?:fail|fault|error|_ERR_|abort|unable|could not|cannot|refus|reset by|lost|disconnect|time(?:d )?-?out|status -\\d)';
const PARALLEL = '(?:TP|PP|DP|EP|tensor[- ]parallel\\w*|pipeline[- ]parallel\\w*|multi[- ]?(?:gpu|node)s?|ranks?)';

const CARRIES: readonly Family[] = [
  // What carries tensors between processes and nodes beside NCCL, with a complaint in the same line.
  family(
    'none',
    once('none.comm'),
    new RegExp(
      `\\b${CARRIER}\\w*[^\\n]{0,240}${COMPLAINT}|${COMPLAINT}[^\\n]{0,80}\\b${CARRIER}|\\bMPI error\\b|\\bregister\\w* (?:local |the )?(?:memory|buffers?|region)\\b[^\\n]{0,20}fail|fail\\w* to register (?:\\w+ )?(?:memory|buffers?|region)\\b`,
      'i',
    ),
    HINTS,
  ),
  // What works with one process and hangs with several waits for another.
  family(
    'none',
    once('none.comm'),
    new RegExp(
      `\\bhang(?:s|ing)?\\b[^.\\n]{0,40}\\b${PARALLEL}\\b|\\b${PARALLEL}\\b[^.\\n]{0,40}\\bhang(?:s|ing)?\\b`,
      'i',
    ),
    HINTS,
  ),
];

const PLACES: readonly Family[] = [
  // Cluster autoscalers, quotas, admission, KAITO's table of workspaces.
  family(
    'none',
    once('none.scheduling'),
    anyOf(
      'i',
      /\bquota (?:was |is |has been )?exceeded|\bexceed\w* (?:\w+ ){0,2}quota/,
      /\bscale[- ]?up\b[^\n]{0,80}\b(?:fail|timed? ?out)/,
      /\b(?:stuck|stays?|remains?|still|hangs?) (?:in |at )?(?:the )?[`'"]?Pending\b|not being scheduled/,
      /InsufficientInstanceCapacity|ZONE_RESOURCE_POOL_EXHAUSTED/,
      /\bscal(?:e|es|ing) (?:up |out )?(?:a |an |the )?(?:new )?(?:GPU )?nodes?\b/,
      /admission webhook [^\n]{1,160} denied|\bStandard_\w{2,30}\s{1,20}False\b/,
    ),
    FAILS,
  ),
  family(
    'none',
    once('none.probe-kill'),
    /\bkubelet (?:then )?(?:kills|killed|restarts|restarted|terminates|terminated)\b|\bhealth\b[^\n]{0,80}\b(?:deadline|time(?:s|d)?[- ]?out|in time|\d{1,3} ?s(?:ec\w*)?)\b(?:(?!\b(?:not?|never|nothing|none|nobody)\b)[^\n]){0,120}\b(?:restarted|restarts (?:it|the)|kill(?:s|ed))\b/i,
    FAILS,
  ),
  // A pool that is full and what that costs: words for load.
  family(
    'none',
    once('none.preemption-warning'),
    anyOf(
      'i',
      /\bpreempt(?:ed|ions?)\b[^\n]{0,60}\b(?:recompute|kv[ _-]?cache)\b|\bpreemption warnings?\b/,
      /\bKV cache (?:is |was )?reset\b[^\n]{0,40}\brecomput/,
      /(?:\b(?:9\d|100) ?% (?:\w+ ){0,3}(?:cache|pool)|\b(?:kv[ _-]?)?(?:cache|pool)\b[^\n]{0,30}\b(?:full\b|filled\b|(?:9\d|100) ?%))[^\n]{0,100}\b(?:wait\w*|queue\w*|throughput|slow\w*|latency|stall\w*|speed drops?)\b/,
    ),
    HINTS,
  ),
  family(
    'none',
    once('none.other'),
    anyOf(
      'i',
      /\bephemeral[- ]storage\b[^\n]{0,80}\b(?:exceed\w*|evict\w*|full|low|pressure|usage)\b/,
      /\b(?:exceed\w*|evict\w*|low on resource|out of|consumes?|fills?)\b[^\n]{0,80}\b(?:ephemeral[- ]storage|disk)\b/,
      /\bdisk (?:is |was )?full\b|\b(?:output|answers?)\b[^\n]{0,16}\b(?:garbage|gibberish|nonsense)\b|乱码/,
      /\bgateway\b[^\n]{0,24}\b50[24]\b/,
      /\b(?:tokens?(?: per second|\/s)|throughput)\b[^\n]{0,24}\b(?:drops?|falls?|halves|sinks?)\b/,
      /\b(?:Failed)?PostStartHook\b/,
    ),
    HINTS,
  ),
];

/** Words of what fails beside memory and beside the engine: results of the device's calls, what carries tensors, what places pods. */
export const BESIDE_MEMORY: readonly Family[] = [...RESULTS, ...CARRIES, ...PLACES];

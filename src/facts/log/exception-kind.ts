import { anyOf } from '../../read/text/patterns.ts';
import { REFUSES } from './memory-wording.ts';

/** What kind of thing an error is about. */
export type ExceptionKind = 'config' | 'communication' | 'driver' | 'gpu-fault' | 'other';

const KINDS: readonly (readonly [RegExp, ExceptionKind])[] = [
  // A crash in native code that ctypes raises as an OSError on Windows (python/cpython Modules/_ctypes/callproc.c).
  [/access violation/, 'other'],
  [
    anyOf(
      '',
      /illegal (?:memory|instruction)|misaligned|launch failure|device-side assert|\bECC\b|EXECUTION_FAILED/,
      /\bXid\b|unspecified launch|[Dd]evice ?[Ll]ost|hardware stack|invalid program counter/,
      /launch timed out|NVLink error|error code(?: is|:) ?5070(?!33)\d\d\b/,
    ),
    'gpu-fault',
  ],
  [
    /(?:CUDA|HIP|ROCm|MUSA|CANN) error.*(?:initialization error|busy or unavailable|no \S{0,12}-capable device|invalid device (?:ordinal|function)|kernel image|display driver|driver shutting down|not yet initialized|named symbol|not supported|toolchain|\bMPS\b|Grid license|stub library)/,
    'driver',
  ],
  [
    /\bUVA is not available|CUDA driver|[Nn]o CUDA|NVML|NVIDIA driver|libcuda\b|device type|no kernel image|HIP driver/,
    'driver',
  ],
  // Windows: a library, or a function of one, that is not there, or not for this machine.
  [/\b0xc000(?:0135|0139|007b)\b/i, 'config'],
  [/compute capability|must match|size mismatch|not supported|unsupported/, 'config'],
  // Kernels that are built for a list of shapes and types, and not for this one (FlashInfer include/flashinfer/utils.cuh).
  [/\bfailed to dispatch \w{1,40} \w/, 'config'],
  [REFUSES, 'config'],
  // A download that broke off: nothing between the processes of an engine.
  [
    anyOf(
      '',
      /LocalEntryNotFound.*(?:[Cc]onnection|[Tt]ime(?:d )?-?out)|HfHubHTTP\w* 5\d\d|\b50[0234] Server Error/,
      /(?:ReadTimeout|ConnectTimeout|Connection\w*)\w* .*(?:huggingface|hf\.co|modelscope|https?:\/\/\w+\.\w+\.\w+)/,
    ),
    'other',
  ],
  [
    /NCCL|nccl|NIXL|nixl|\bBAD_STATUS\b|RCCL|HCCL|[Gg]loo|TCPStore|DistStore|DistBackend|Distributed|[Cc]onnection|[Tt]ime(?:d )?-?out|Broken ?[Pp]ipe|\bRPC\b|\bRay\b|zmq|ZMQ|socket|Address already in use/,
    'communication',
  ],
];

// Raised while arguments, files and modules are put together, before anything is computed. A name that the code uses and never
// sets (NameError) is a fault of the code, whatever the arguments are.
const SET_UP =
  /^(?:Import|ModuleNotFound|FileNotFound|Key|Attribute|Type|NotImplemented|Value|Assertion|Validation|OS|Permission|Unicode|JSONDecode|HFValidation|RepositoryNotFound|GatedRepo|LocalEntryNotFound|Safetensor)(?:Error|Exception)$|^(?:HTTP|Hub|Http)/;

/** By its type and its message. */
export function kindOf({ type, message }: { readonly type: string; readonly message: string }): ExceptionKind {
  const text = `${type} ${message}`;
  const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1];
  return kind ?? (SET_UP.test(type) ? 'config' : 'other');
}

// What takes its size from a knob of memory, came out as nothing or less, or wants GPUs that are free: what is wrong with the
// setting may be that there is too little memory (SGLang's pools, slots of state in hybrid models; NIM's choice of a profile).
const OF_ROOM =
  /\bmem(?:ory)?[-_]fraction|utili[sz]ation\b|hicache|swap[-_]space|KVCACHE_SPACE|\b(?:is|are) zero\b|\bgot (?:0\b(?!\.)|-\d)|\bhas 0 |\(-\d|\bfree (?:GPUs?|room|memory)\b/i;

/** Whether an error about a setting may be one about room. */
export function mayBeOfRoom(message: string): boolean {
  return OF_ROOM.test(message);
}

/** How a captured text is read. */
type CaptureUnit =
  | 'size'
  | 'bytes'
  | 'MiB'
  | 'GiB'
  | 'GB'
  | 'count'
  | 'tokens'
  | 'share'
  | 'seconds'
  | 'per second'
  | 'text';

type Capture = { readonly unit: CaptureUnit; readonly says: string };

/**
 * What a named group of a signature may be called: facts read it by this name. Where one name is used by several
 * signatures, `captures` of the signature tells what it is there. A group for the signature's own `means` needs no entry.
 */
export const CAPTURES = {
  // Memory. A size has its unit behind the number, unless the signature's `captures` names the unit.
  want: { unit: 'size', says: 'what the allocation that failed asked for' },
  wantUnit: { unit: 'text', says: 'the unit of `want`' },
  wantBytes: { unit: 'bytes', says: 'the same in bytes' },
  free: { unit: 'size', says: 'free on the device, or in RAM' },
  freeBefore: { unit: 'GiB', says: 'free on the device before the part that failed was created' },
  freeBytes: { unit: 'bytes', says: 'the same in bytes' },
  total: { unit: 'size', says: 'memory of the device; of what is counted, all of it' },
  totalUnit: { unit: 'text', says: 'the unit of `total`' },
  totalBytes: { unit: 'bytes', says: 'memory of the device in bytes' },
  used: { unit: 'size', says: 'in use on the device, or of what the line counts' },
  unit: { unit: 'text', says: 'the unit of the other figure' },
  own: { unit: 'size', says: 'device memory of the process that failed' },
  allocated: { unit: 'size', says: 'live tensors' },
  reserved: { unit: 'size', says: 'what the allocator holds, live or not' },
  cached: { unit: 'size', says: 'held by the allocator and in no tensor; of a prefix cache, blocks' },
  slack: { unit: 'size', says: 'reserved by PyTorch and in no tensor' },
  pools: { unit: 'size', says: 'private pools of the allocator, those of graphs included' },
  allowed: { unit: 'size', says: 'limit of the process on the device' },
  size: { unit: 'size', says: 'size of what the line names' },
  bytes: { unit: 'bytes', says: 'size of what the line names' },
  mib: { unit: 'MiB', says: 'size of what the line names' },
  gib: { unit: 'GiB', says: 'size of what the line names' },
  gb: { unit: 'GB', says: 'size of what the line names' },
  need: { unit: 'size', says: 'what is needed in all' },
  limit: { unit: 'size', says: 'the bound that holds for it' },
  requested: { unit: 'GiB', says: 'what the memory fraction asks of the device' },
  avail: { unit: 'GB', says: 'free on the device' },
  available: { unit: 'GiB', says: 'left for the KV cache' },
  needed: { unit: 'GiB', says: 'what the KV cache needs' },
  initial: { unit: 'GiB', says: 'in use on the device before the profiling run' },
  base: { unit: 'GiB', says: 'free on the device before the start' },
  least: { unit: 'GiB', says: 'free on the device that has least' },
  budget: { unit: 'size', says: 'what the fraction leaves' },
  room: { unit: 'size', says: 'what the fraction gives of the device' },
  work: { unit: 'size', says: 'buffers and work space' },
  weights: { unit: 'size', says: 'weights' },
  activation: { unit: 'GiB', says: 'peak of activations' },
  nonTorch: { unit: 'GiB', says: 'device memory outside PyTorch' },
  graphs: { unit: 'GiB', says: 'captured graphs' },
  actual: { unit: 'GiB', says: 'captured graphs, as measured' },
  kv: { unit: 'size', says: 'KV cache' },
  k: { unit: 'GiB', says: 'keys of the KV cache' },
  v: { unit: 'GiB', says: 'values of the KV cache' },
  each: { unit: 'bytes', says: 'KV cache of one token' },
  graph: { unit: 'size', says: 'buffers of a forward pass' },
  swap: { unit: 'GiB', says: 'swap space' },
  freed: { unit: 'GiB', says: 'what going to sleep gave back' },
  // Settings in force.
  util: { unit: 'share', says: 'memory fraction in force' },
  fraction: { unit: 'share', says: 'memory fraction in force' },
  minimum: { unit: 'share', says: 'lowest fraction that would do' },
  share: { unit: 'share', says: 'share of the pool, or of RAM' },
  maxModelLen: { unit: 'tokens', says: 'maximum length in force' },
  ctx: { unit: 'tokens', says: 'context in force' },
  to: { unit: 'count', says: 'the value in force instead of the one that was set' },
  estimate: { unit: 'tokens', says: 'longest length that fits, by the engine' },
  seqs: { unit: 'count', says: 'sequences at one time' },
  chunk: { unit: 'tokens', says: 'tokens of one prefill step' },
  prefill: { unit: 'tokens', says: 'tokens of one prefill step' },
  args: { unit: 'text', says: 'all settings, as the engine prints them' },
  config: { unit: 'text', says: 'all settings, as `key=value`' },
  gen: { unit: 'text', says: 'generation of the engine: V0 or V1' },
  version: { unit: 'text', says: 'version of what prints the line' },
  var: { unit: 'text', says: 'the variable of the allocator in this build' },
  // Sizes of pools and requests in pieces.
  tokens: { unit: 'tokens', says: 'tokens of what the line names' },
  blocks: { unit: 'count', says: 'blocks of the pool' },
  gpuBlocks: { unit: 'count', says: 'blocks of the pool on the device' },
  cpuBlocks: { unit: 'count', says: 'blocks of the pool in RAM' },
  capacity: { unit: 'tokens', says: 'what the pool holds' },
  cells: { unit: 'tokens', says: 'what the pool holds' },
  blockTokens: { unit: 'tokens', says: 'tokens of one block' },
  cachedBlocks: { unit: 'count', says: 'blocks that a prefix cache holds' },
  evictable: { unit: 'tokens', says: 'what the prefix cache could give back' },
  x: { unit: 'count', says: 'requests of the full length that fit' },
  newToken: { unit: 'tokens', says: 'tokens that the step computes anew' },
  input: { unit: 'tokens', says: 'length of a prompt' },
  output: { unit: 'tokens', says: 'length of an output' },
  words: { unit: 'count', says: 'words of the vocabulary' },
  n: { unit: 'count', says: 'the one number of the line' },
  count: { unit: 'count', says: 'how many there are by now' },
  all: { unit: 'count', says: 'how many there are in all' },
  layers: { unit: 'count', says: 'layers of the model' },
  offload: { unit: 'count', says: 'layers that went to the GPU' },
  order: { unit: 'count', says: 'pages in one piece, as a power of two' },
  // Load.
  running: { unit: 'count', says: 'requests that run' },
  waiting: { unit: 'count', says: 'requests that wait' },
  pending: { unit: 'count', says: 'requests that wait' },
  promptTps: { unit: 'per second', says: 'prompt tokens' },
  genTps: { unit: 'per second', says: 'output tokens' },
  preemptions: { unit: 'count', says: 'preemptions since the start' },
  seconds: { unit: 'seconds', says: 'how long it took' },
  s: { unit: 'seconds', says: 'how long it took' },
  // What the line is about.
  what: { unit: 'text', says: 'what the figure is of' },
  kind: { unit: 'text', says: 'what kind of thing the line is about' },
  buf: { unit: 'text', says: 'the buffer, by the device that holds it' },
  gpu: { unit: 'count', says: 'number of the device, as the process counts' },
  device: { unit: 'text', says: 'the device' },
  name: { unit: 'text', says: 'name of the device' },
  backend: { unit: 'text', says: 'family of the device: CUDA, HIP, XPU …' },
  library: { unit: 'text', says: 'what runs the model: cuda, rocm, vulkan, metal or cpu' },
  frame: { unit: 'text', says: 'the function that failed' },
  stage: { unit: 'text', says: 'the step that failed' },
  tags: { unit: 'text', says: 'what was woken' },
  adapter: { unit: 'text', says: 'the adapter' },
  code: { unit: 'count', says: 'exit code' },
  sig: { unit: 'text', says: 'signal' },
  xid: { unit: 'count', says: 'XID of the NVIDIA driver' },
  row: { unit: 'text', says: 'row of the memory summary of PyTorch' },
  now: { unit: 'size', says: 'its value at the moment' },
  ooms: { unit: 'count', says: 'failures of the allocator in this process' },
} as const satisfies Readonly<Record<string, Capture>>;

import type { FactEntry } from '../model/fact.ts';
import { Cause } from '../model/taxonomy.ts';

const STATUS = 'the pod status (pod.json or describe.txt)';
const LOG = 'the previous log of the container that died';
const METRICS = 'metrics of the minutes before the death (Prometheus, or metrics.txt)';
const SERIES = 'a memory series over time (Prometheus)';
const NODE = 'the node (node.json) or its kernel log (kernel.txt)';
const ARGS = 'the engine arguments (pod.json, args.txt or the start of the log)';

/** Every fact a playbook may ask for. Order is the order of `oom playbook facts`. */
export const FACT_CATALOGUE: readonly FactEntry[] = [
  // the death, as Kubernetes tells it
  { id: 'pod.phase', unit: 'text', says: 'phase of the pod', needs: STATUS },
  {
    id: 'death.reason',
    unit: 'text',
    says: 'reason of the newest termination of the engine container, as Kubernetes gives it',
    needs: STATUS,
  },
  { id: 'death.exit-code', unit: 'count', says: 'exit code of that termination', needs: STATUS },
  {
    id: 'death.oom-killed',
    unit: 'yes-no',
    says: 'a container of the pod terminated with reason OOMKilled',
    needs: STATUS,
  },
  { id: 'death.container', unit: 'text', says: 'container whose death is looked at', needs: STATUS },
  {
    id: 'death.container-role',
    unit: 'choice',
    values: ['engine', 'init', 'sidecar'],
    says: 'role of that container',
    needs: STATUS,
  },
  {
    id: 'death.uptime',
    unit: 'duration',
    says: 'from start to end of the container instance that died',
    needs: STATUS,
  },
  { id: 'death.at', unit: 'time', says: 'when the container instance ended', needs: STATUS },
  { id: 'death.restarts', unit: 'count', says: 'restarts of that container in this pod', needs: STATUS },
  {
    id: 'death.evicted',
    unit: 'choice',
    values: ['memory', 'other', 'no'],
    says: 'whether the pod was evicted, and for what',
    needs: STATUS,
  },
  {
    id: 'death.probe-killed',
    unit: 'yes-no',
    says: 'a liveness or startup probe failed just before the end',
    needs: 'the events of the pod (events.json or describe.txt)',
  },
  { id: 'death.deleted', unit: 'yes-no', says: 'the pod was being deleted', needs: STATUS },
  {
    id: 'pod.pending',
    unit: 'yes-no',
    says: 'the pod waits to be scheduled or its container was never started',
    needs: STATUS,
  },
  {
    id: 'pod.siblings-dead-share',
    unit: 'share',
    says: 'share of the replicas of this workload whose container died in the last 20 minutes',
    needs: 'the sibling pods (siblings.json)',
  },
  {
    id: 'kernel.oom-kill',
    unit: 'choice',
    values: ['container', 'node', 'unstated', 'no'],
    says: 'an oom-kill of the kernel, and whose limit it was',
    needs: NODE,
  },
  { id: 'node.memory-pressure', unit: 'yes-no', says: 'the node was short of memory', needs: NODE },
  { id: 'node.memory-allocatable', unit: 'bytes', says: 'memory of the node that pods may use', needs: NODE },
  {
    id: 'revision.changed',
    unit: 'text',
    says: 'what changed between the last two revisions of the workload',
    needs: 'the revisions of the workload (revisions.json)',
  },

  // container RAM
  { id: 'ram.limit', unit: 'bytes', says: 'memory limit of the container', needs: STATUS },
  { id: 'ram.request', unit: 'bytes', says: 'memory request of the container', needs: STATUS },
  { id: 'ram.limit-equals-request', unit: 'yes-no', says: 'limit and request of memory are equal', needs: STATUS },
  {
    id: 'ram.used',
    unit: 'bytes',
    says: 'working set of the container just before the death, or now if it runs',
    needs: METRICS,
  },
  { id: 'ram.used-share', unit: 'share', says: 'working set against the limit', needs: METRICS },
  { id: 'ram.peak', unit: 'bytes', says: 'highest working set in the window', needs: SERIES },
  {
    id: 'ram.shape',
    unit: 'choice',
    values: ['flat-high', 'flat-low', 'climb', 'spike', 'plateau', 'irregular'],
    says: 'shape of the working set over time',
    needs: SERIES,
  },
  { id: 'ram.oom-logged', unit: 'yes-no', says: 'a line proves that host memory ran out', needs: LOG },
  { id: 'ram.shm-failed', unit: 'yes-no', says: 'shared memory (/dev/shm) was too small', needs: LOG },
  {
    id: 'ram.offload-configured',
    unit: 'yes-no',
    says: 'the engine was told to keep weights, KV blocks or prompt caches in host memory',
    needs: ARGS,
  },

  // GPU memory
  { id: 'gpu.product', unit: 'text', says: 'GPU model', needs: NODE },
  { id: 'gpu.count', unit: 'count', says: 'GPUs of the container', needs: STATUS },
  {
    id: 'gpu.total',
    unit: 'bytes',
    says: 'memory of one GPU',
    needs: 'an OOM line of the log, the node labels or nvidia-smi',
  },
  { id: 'gpu.used', unit: 'bytes', says: 'framebuffer in use on the fullest GPU of the pod', needs: METRICS },
  { id: 'gpu.used-share', unit: 'share', says: 'framebuffer in use against its total, fullest GPU', needs: METRICS },
  {
    id: 'gpu.shape',
    unit: 'choice',
    values: ['flat-high', 'flat-low', 'climb', 'spike', 'plateau', 'irregular'],
    says: 'shape of the framebuffer in use over time',
    needs: SERIES,
  },
  { id: 'gpu.busy-share', unit: 'share', says: 'GPU utilisation', needs: METRICS },
  {
    id: 'gpu.oom-logged',
    unit: 'yes-no',
    says: 'a line proves that device memory ran out or did not suffice',
    needs: LOG,
  },
  { id: 'gpu.oom-at', unit: 'time', says: 'time of that line', needs: LOG },
  { id: 'gpu.oom-uptime', unit: 'duration', says: 'from the start of the container to that line', needs: LOG },
  { id: 'gpu.want', unit: 'bytes', says: 'the one allocation that failed', needs: 'the full OOM line of the log' },
  { id: 'gpu.free', unit: 'bytes', says: 'free on the device at that moment', needs: 'the full OOM line of the log' },
  {
    id: 'gpu.allocated',
    unit: 'bytes',
    says: 'allocated by PyTorch in live tensors',
    needs: 'the full OOM line of the log',
  },
  {
    id: 'gpu.reserved-unallocated',
    unit: 'bytes',
    says: 'reserved by PyTorch but unallocated',
    needs: 'the full OOM line of the log',
  },
  {
    id: 'gpu.unmanaged',
    unit: 'bytes',
    says: 'on the device and not owned by PyTorch: total - free - allocated - reserved',
    needs: 'the full OOM line of the log',
  },
  {
    id: 'gpu.foreign',
    unit: 'bytes',
    says: 'held by other processes on the device',
    needs: 'the full OOM line of the log, or nvidia-smi with its processes',
  },
  {
    id: 'gpu.allocated-share',
    unit: 'share',
    says: 'allocated by PyTorch against the total',
    needs: 'the full OOM line of the log',
  },
  {
    id: 'gpu.fragmented',
    unit: 'yes-no',
    says: 'reserved but unallocated memory is at least as large as the allocation that failed',
    needs: 'the full OOM line of the log',
  },

  // the engine
  { id: 'engine.name', unit: 'text', says: 'inference engine', needs: LOG },
  { id: 'engine.version', unit: 'text', says: 'version of the engine', needs: LOG },
  {
    id: 'engine.last-milestone',
    unit: 'choice',
    values: [
      'none',
      'started',
      'load-begin',
      'load-end',
      'profiled',
      'kv-allocated',
      'graphs-begin',
      'graphs-end',
      'ready',
      'served',
    ],
    says: 'last milestone of the start that the log shows',
    needs: LOG,
  },
  {
    id: 'engine.became-ready',
    unit: 'yes-no',
    says: 'the instance that died had become ready',
    needs: 'the start of the log, or the readiness times of the pod',
  },
  { id: 'engine.served', unit: 'yes-no', says: 'it had served at least one request', needs: LOG },
  { id: 'engine.uptime', unit: 'duration', says: 'age of the process at the failure', needs: STATUS },
  { id: 'engine.weights', unit: 'bytes', says: 'weights per GPU as the engine prints them', needs: LOG },
  {
    id: 'engine.kv-available',
    unit: 'bytes',
    says: 'memory available for the KV cache as the engine prints it',
    needs: LOG,
  },
  {
    id: 'engine.kv-needed',
    unit: 'bytes',
    says: 'memory needed for one sequence of the maximum length as the engine prints it',
    needs: LOG,
  },
  {
    id: 'engine.estimated-max-len',
    unit: 'tokens',
    says: 'the longest sequence that would fit, by the engine',
    needs: LOG,
  },
  { id: 'engine.max-model-len', unit: 'tokens', says: 'configured maximum length', needs: ARGS },
  { id: 'engine.max-num-seqs', unit: 'count', says: 'configured maximum of sequences in a batch', needs: ARGS },
  { id: 'engine.utilization', unit: 'share', says: 'fraction of device memory the engine may take', needs: ARGS },
  { id: 'engine.ranks', unit: 'count', says: 'ranks: tensor parallel times pipeline parallel', needs: ARGS },

  // what the log says, weighed
  {
    id: 'log.first-cause',
    unit: 'choice',
    values: [...Cause.options],
    says: 'cause named by the first decisive line of the log',
    needs: LOG,
  },
  {
    id: 'log.first-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none'],
    says: 'plane of the first decisive line of the log',
    needs: LOG,
  },
  {
    id: 'log.looks-like',
    unit: 'choice',
    values: [...Cause.options],
    says: 'cause of the first line that rules a memory failure out',
    needs: LOG,
  },
  { id: 'log.child-killed', unit: 'yes-no', says: 'a child process was ended by signal 9', needs: LOG },
  { id: 'log.ends-in-silence', unit: 'yes-no', says: 'the log ends without any error', needs: LOG },
  {
    id: 'log.stage',
    unit: 'choice',
    values: ['load', 'profile', 'kv-cache', 'graph-capture', 'execute', 'sampler', 'encoder'],
    says: 'stage named by the innermost engine frame above the failure',
    needs: LOG,
  },

  // load
  { id: 'kv-cache.used-share', unit: 'share', says: 'share of the KV pool in use', needs: METRICS },
  { id: 'requests.running', unit: 'count', says: 'requests in the batch', needs: METRICS },
  { id: 'requests.waiting', unit: 'count', says: 'requests in the queue', needs: METRICS },
  { id: 'queue.waiting-per-running', unit: 'ratio', says: 'waiting requests per running one', needs: METRICS },
  { id: 'preemptions.recent', unit: 'count', says: 'preemptions in the window', needs: METRICS },
  { id: 'prefix-cache.enabled', unit: 'yes-no', says: 'prefix caching is on', needs: ARGS },
  { id: 'prefix-cache.hit-share', unit: 'share', says: 'prompt tokens found in the prefix cache', needs: METRICS },
  {
    id: 'requests.prompt-p95',
    unit: 'tokens',
    says: '95th percentile of the prompt length in the window',
    needs: METRICS,
  },
  {
    id: 'sequence.order',
    unit: 'choice',
    values: ['gpu-then-host', 'host-then-gpu', 'one-plane'],
    says: 'whether both memories failed, and in which order',
    needs: 'times of both failures',
  },
];

export const FACT_IDS: ReadonlySet<string> = new Set(FACT_CATALOGUE.map((entry) => entry.id));

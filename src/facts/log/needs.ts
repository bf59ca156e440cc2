/** The evidence that makes a fact known, in the reader's words: what a card asks for when it is missing. */
export const STATUS = 'the pod status (pod.json or describe.txt)';
export const EVENTS = 'the events of the pod (events.json or describe.txt)';
export const LOG = 'the whole previous log of the container that died';
export const LEDGER = `${LOG}, or the metrics of the engine`;
export const OOM_LINE = 'the full OOM line of the log';
export const METRICS = 'metrics of the minutes before the death (Prometheus, or metrics.txt)';
export const SERIES = 'a memory series over time (Prometheus)';
export const NODE = 'the node (node.json)';
export const KERNEL = 'the kernel log of the node (kernel.txt: dmesg around the death)';
export const ARGS = 'the engine arguments (pod.json, args.txt or the start of the log)';
export const SMI = 'nvidia-smi with its list of processes (nvidia-smi.txt)';
export const AGE = 'the age of the process at the failure (pod status, or a log with its start)';
export const REVISIONS = 'the revisions of the workload (revisions.json)';

export const SHAPES = ['flat-high', 'flat-low', 'climb', 'spike', 'plateau', 'irregular'];
export const IDLE = 'series of memory and of what was served (Prometheus), with half an hour in which nothing was';

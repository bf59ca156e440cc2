import type { Memory } from '../../text/course.ts';
import { anyOf } from '../../text/patterns.ts';

/** What is the device's. */
export const DEVICES = anyOf(
  'gi',
  /\b(?:[GN]PUs?|VRAM|CUDA|HBM|non-torch|device|cards?|nvidia-smi|gpustat|rocm-smi|npu-smi|expandable_segments|memory.(?:reserved|allocated)|torch (?:allocated|reserved)|(?:allocated|reserved) \(torch)\b/,
  /\bFB.(?:USED|FREE)|\bframe ?buffer\b|显存|显卡|[张每]卡/,
);
const HOSTS =
  /\b(?:RAM|USS|PSS|WSS|smem|swpd|Vm(?:RSS|Swap)|RSS\w*|RES|working.set|(?:host|CPU|system|main|node|container|pod|process|resident|anonymous|physical|server|scheduler) (?:memory|side)|memory limit|(?:memory|RAM) of (?:the |both |all |each |two |a )?(?:\w+ )?(?:nodes?|hosts?|pods?|containers?|machines?|servers?|process(?:es)?|box)|container memory|h?b?top|docker stats|kubectl top|free -\w|MemAvailable|psutil|swap\w*|heap\w*|malloc\w*|jemalloc|cgroup|OOM-?Killed|anon|sar|smaps\w*|pmap|memray|tracemalloc|footprint|commit)\b|内存/gi;
const BARE =
  /\b(?:mem(?:ory|used)?|OOMs?|leak\w*|pod|container|process|daemon|actor|worker|server|replica|api server)\b|泄[漏露]|进程/i;
// Of the device, and not only the name of what the engine runs on.
// An error is what a program was told, by the device's allocator most often; who lacks RAM is killed.
const DEVICE_MEMORY =
  /\b(?:GPU (?:mem|RAM|OOM)|VRAM|HBM|CUDA (?:OOM|out of)|nvidia-smi|device memory|torch\.OutOfMemoryError|(?:OOM|out[- ]of[- ]memory) errors?\b)|显存/i;
const HOST_MEMORY = /\b(?:RAM|RSS|(?:host|system|CPU) memory|OOMKilled)\b|内存/i;
// What is no memory of either kind.
const DISKS =
  /\b(?:disks?|PVC|volume|storage|downloads?|checkpoints?|\/var\/\w+|log files?|tokens?\/s|tok\/s|latency|sockets?|file descriptors?)\b/gi;

/**
 * Whose memory the words about the sign at `at` speak of: the nearest name; a name of neither leaves it to `unnamed`, and
 * without one it is RAM, since the engines set the device's aside at once.
 */
export function memoryAbout(text: string, at: number, unnamed: Memory | undefined): Memory | undefined {
  const device = nearest(text, DEVICES, at);
  const host = nearest(text, HOSTS, at);
  const other = nearest(text, DISKS, at);
  if (other < Math.min(device, host)) return undefined;
  if (device !== host) return device < host ? 'gpu' : 'host';
  return unnamed ?? (BARE.test(text) ? 'host' : undefined);
}

/** The one memory that all that is told beside speaks of. */
export function memoryToldOf(texts: readonly string[]): Memory | undefined {
  const [device, host] = [texts.some((text) => DEVICE_MEMORY.test(text)), texts.some((text) => HOST_MEMORY.test(text))];
  if (device === host) return undefined;
  return device ? 'gpu' : 'host';
}

// What stands behind a sign is further off than what leads to it.
const BEHIND = 1.5;

function nearest(text: string, words: RegExp, at: number): number {
  const found = [...text.matchAll(words)];
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...found.map(({ index }) => (index <= at ? at - index : (index - at) * BEHIND)),
  );
}

import type { LineCitation } from '../../model/citation.ts';
import { isTotalOfCard } from '../../model/gpu-table.ts';
import type { Memory } from './course.ts';
import { anyOf } from './patterns.ts';

// Metal and MLX name their own (ml-explore/mlx python/src/memory.cpp), as do the programs of other makers.
const DEVICE = anyOf(
  'i',
  /\b(?:metal|mx\.\S{0,8}get[ _]active[ _]memory|(?:npu|xpu|amd|mx|hl)-smi|nvitop|nvtop|gpus?\d{0,2}|vram|hbm|cuda|nvidia-smi|gpustat|rocm-smi|(?:device|card|dedicated) mem\w*|mem\w* of (?:the|both|each|all) cards?|frame ?buffer|memory\.(?:used|free)|torch\.cuda|reserved)\b/,
  /dcgm_fi_dev_fb|显存/,
);
const HOST =
  /\b(?:rss\w*|vmrss|ram|res|uss|pss|smem|anon|host|node\d{0,3}|container|pod|cgroup|working set|resident|kubectl top|memory\(bytes|docker stats|free -\w|psutil)\b|内存/i;
const BARE = /\b(?:mem(?:ory)?|process(?:es)?)\b/i;
// A pod, a container and memory are spoken of whichever of the two it is.
const BY_NAME =
  /\b(?:ram|rss\w*|vmrss|(?:host|system|node|cpu) mem\w*|working set|cgroup|docker stats|free -\w|h?top|psutil)\b|内存/i;
const CARD =
  /\bcards?\b|\b(?:A10G?|A16|A30|A40|A100|A800|A[2456]000|H20|H100|H200|H800|B[123]00|V100|L4|L20|L40S?|T4|GH200|MI\d{3}X?|(?:RTX|GTX) ?\w{0,2}\d{4}|[345]090)\b|显卡|张卡/i;
// A figure behind a sign, as a total stands: `48760 / 49140`.
const TOTAL = /[/|] *(\d{4,6}) ?(?:MiB)?(?![\w.])/g;
// What a pool, a cache or a disk holds grows by design.
const OTHER = /\b(?:kv|cache[ds]?|tokens?|pool|disk|swap|vsz|virt|virtual|limit|total|cpu|shm|peak)\b|util/i;

// Rows of settings that were tried, or of sizes that were asked for, are no course of one process.
const TRIED =
  /\b(?:requested|clients?|by (?:the )?(?:pages?|size|team|hour of day)|while one|during (?:the )?load|other (?:pods|jobs|processes)|(?<!\d )(?:requests?|reqs?|tokens?)\/s|rps|qps|(?:\d{1,3}|two|three|four|six|eight) (?:\w+ )?(?:workers|replicas|pods|gpus)|of the (?:workers|replicas)|users?|sessions?|connections?|shards?|limits?|raised|tried|gave|given|needs?|needed|required|fractions?|download|loads|batch(?:es)?(?! jobs?\b)|prompts?|concurrency|contexts?|lengths?|tokens|adapters?|models?|(?<!\b(?:the|both|each|all|per|this) )cards?|tenants?|settings?|\w*cache\w*|buff|files?)\b/i;

// What has been sent by then is a count, as of iterations; what is the same each time was not tried.
const COUNTED_OFF = anyOf(
  'gi',
  /\b(?:each|every|per) (?:request|batch|prompt|load|step|model)\b/,
  /\b(?:prompts?|images?|pictures?|requests?|messages?) (?:sent|done|served|processed|answered|so far)\b/,
  /\b(?:(?:the|of|one) )?same (?:\w+ )?(?:prompts?|images?|pictures?|requests?|batch(?:es)?(?! jobs?\b)|models?)\b/,
  /\b(?:one|a single) (?:\w+ )?(?:prompt|image|picture|request|client|user|session)\b/,
  /\b(?:constant|fixed|steady|unchanged|same) (?:\w+ )?(?:batch(?:es)?|concurrency|load|prompts?|contexts?|lengths?)\b/,
);
// A load that a heading gives as one number was the same all the time; rows of several loads name several.
const ONE_LOAD =
  /\b(?:\d{1,4}|two|three|four|six|eight|ten) (?:concurrent |parallel |simultaneous )?(?:clients?|users?|sessions?|connections?|streams?|cards)\b/gi;

// How the engine was set, and no use of it.
const FRACTION = /\b(?:gpu[-_ ]memory[-_ ]utili[sz]ation|mem[-_ ]fraction[-_ ]static)[ =:]{0,2}(?:0?\.\d{1,3}|1\.0)/gi;

/** What stands about the figures of a course: the words by their nearness, those `further` off too, its rows, and what is noted beside. */
type Told = {
  readonly words: readonly string[];
  readonly further: readonly string[];
  readonly rows: readonly string[];
  readonly unnamed: Memory | undefined;
};

/** The memory whose figures these are; undefined where they are of none, or of something else. */
export function memoryOf({ words, further, rows, unnamed }: Told): Memory | undefined {
  const named = namedBy(words) ?? namedBy(further);
  if (named === 'other') return undefined;
  if (rows.some(hasTotalOfCard) && !words.some((text) => BY_NAME.test(text))) return 'gpu';
  if (named !== undefined) return named;
  // Memory without a name is RAM, where nothing said beside it speaks of a device: the engines set the device's aside at once.
  return unnamed ?? (words.some((text) => BARE.test(text.replaceAll(/[_{}]/g, ' '))) ? 'host' : undefined);
}

function withoutConstants(text: string): string {
  const own = text.replaceAll(/[_{}]/g, ' ').replaceAll(COUNTED_OFF, '');
  return [...own.matchAll(ONE_LOAD)].length === 1 ? own.replaceAll(ONE_LOAD, '') : own;
}

// `used_gpu_memory`, `DCGM_FI_DEV_FB_USED`.
function isOfDevice(text: string): boolean {
  return DEVICE.test(text) || DEVICE.test(text.replaceAll(/[_{}]/g, ' '));
}

function hasTotalOfCard(text: string): boolean {
  return [...text.matchAll(TOTAL)].some(([, mib]) => isTotalOfCard(Number(mib)));
}

/** The one memory that these lines name, if they name no other. */
export function memoryNamedIn(lines: readonly LineCitation[]): Memory | undefined {
  const names = (memory: RegExp) => lines.some(({ text }) => memory.test(text.replaceAll(/[_{}]/g, ' ')));
  const [device, host] = [names(DEVICE) || names(CARD), names(BY_NAME)];
  if (device === host) return undefined;
  return device ? 'gpu' : 'host';
}

// The nearest words decide; a name of neither memory leaves it to the words further off.
function namedBy(words: readonly string[]): Memory | 'other' | undefined {
  if (words.some((text) => TRIED.test(withoutConstants(text)))) return 'other';
  for (const text of words) {
    const apart = text.replaceAll(FRACTION, '').replaceAll(/[_{}]/g, ' ');
    if (OTHER.test(apart)) return 'other';
    if (isOfDevice(text)) return 'gpu';
    if (HOST.test(apart)) return words.some(isOfDevice) ? 'other' : 'host';
  }
  return undefined;
}

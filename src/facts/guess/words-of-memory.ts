import { anyOf } from '../../read/text/patterns.ts';
import { type Family, family, HINTS } from './family.ts';

// The bare words for a lack: they tell the plane, and of the cause no more than is usual.
export const LACK: readonly Family[] = [
  {
    ...family(
      'host',
      ['host.startup.weight-staging', 'host.burst.payload'],
      anyOf(
        'i',
        /DefaultCPUAllocator|\bbad[_ ]alloc(?:ation)?\b|(?<!OutOf)MemoryError\b(?![^\n]*\bVRAM\b)/,
        /\bjava\.lang\.OutOfMemoryError|\bruntime: out of memory/,
        /\b(?:using|used) (?:too much|all (?:the )?available) (?:memory|RAM)\b|\bmemory (?:issue|quota)/,
        /\binsufficient system resources exist|\bnot enough quota\b|\bENOMEM\b|cannot allocate memory/,
        /\bkilled\b(?! by|[^\n]{0,30}\b(?:orphan|leftover|new instance))|signal:? ?9\b/,
        /(?<!\b(?:sending|survived) )\bSIGKILL\b(?! (?:orphan|leftover)|[^\n]{0,8}\bnew instance)/,
        /\bkilled by (?:the )?(?:kubernetes|k8s|kubelet|kernel|system|OS)\b/,
        /\brestart(?:s|ed) by (?:the )?(?:kubernetes|k8s|kubelet)\b[^.;\n]{0,24}\bOOM/,
        /\b(?:systemd-)?oomd\b(?! (?:is |was )?(?:off|disabled|masked|stopped|not|active|running|enabled|on|installed|there)\b)(?![^.;\n]{0,60}\b(?:logged|shows?|says?|killed|did) (?:nothing|no one|nobody|not)\b)/,
        /\banon-rss\b|\bNV_ERR_NO_MEMORY\b|\b(?:dmesg|kernel log|journal)\b[^.;\n]{0,24}\bkills?\b(?! switch)/,
        /\bOOM[- _]?(?:kill|prevention)|\bmemory monitor(?: of (?:Ray|the node))? (?:then )?(?:kill(?:s|ed)|ends|ended)\b/,
        /\bkilled by (?:Ray['’]s|the) memory monitor\b|\bray OOMs?\b/,
        /\b(?:host|node|system|machine|CPU)[- ](?:side )?OOMs?\b|\bOOMs? (?:of|from|by|in) ray\b|\boom=true\b/,
        /\bcontainers? (?:was |were |is |gets? |got |then )?OOM(?:['’]d|ed)\b/,
        /\b(?:host|node|machine|system|server|box|VM|computer|pod)(?:['’]s)? memory (?:is|was) (?:then )?(?:exhausted|used up|gone)\b/,
        /\b(?:host|node|machine|system|server|box|VM|computer|Ray)(?: (?:runs?|ran|running|goes|went|is|was))? out of (?:memory|RAM)\b/,
        /\b(?:RAM|(?:host|system) memory) (?:is|was|keeps|kept) (?:still |always |again )?running out\b/,
        /\b(?:lack|want|shortage) of (?:(?:free|available|host|system|CPU|node) ){0,2}RAM\b/,
        /\b(?:lack|want|shortage) of (?:host|system|CPU|node) memory\b|\bpag(?:e|ing) ?file\b/,
        /\blow on (?:memory|RAM)\b|\bmemory pressure\b|\bjetsam\b|\bswap is (?:low|full)\b/,
        /\bheav(?:y|ily) (?:memory )?swap(?:s|ped|ping)?\b(?! (?:traffic|of)\b)/,
        /\bswap(?:s|ped|ping)? heavily\b|内存(?:爆|撑爆)/,
      ),
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
    anyOf(
      'i',
      /\b(?:CUDA|GPU|HIP) ?malloc\w{0,8} (?:errors?|fail\w*)\b/,
      /\bout[- ]of[- ](?:cuda[- ]|gpu[- ]|video[- ]|graphics[- ]|device[- ])?memory\b|\bOutOfMemoryError\b/,
      /\bOOM(?:s|ed|['’]d)?\b/,
      /\b(?:tries|tried|attempts?|attempted) to allocate \d[\d.]{0,7} ?[KMG]i?B\b[^;\n]{0,8}\b(?:with|and|but|while) (?:only )?\d[\d.]{0,7} ?[KMG]i?B (?:is |are |was |were )?(?:physically )?(?:free|left|available)\b/,
      /(?<!\bcorrect(?:ed|able) )\b(?:CUDA|GPU) memory errors?\b(?![^\n]{0,40}\b(?:ECC|correct\w*|Xid)\b)/,
      /(?:not enough|insufficient|\b(?:lack|want|shortage) of|\bshort of) (?:(?:free|available|GPU|device|video) ){0,2}(?:memory|VRAM)\b/,
      /(?<!\b(?:host|node|machine|system|server|box|VM|computer|pod)(?:['’]s)? )\bmemory (?:(?:is|was|gets?|keeps?|getting|being|then) ){1,3}exhausted\b/,
    ),
    HINTS,
  ),
];

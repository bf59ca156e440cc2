import { anyOf } from '../../../text/patterns.ts';
import { aim, type Lever } from './lever.ts';

const OFFLOAD = aim('host.offload');
const WORKERS = aim('host.startup.workers');
const STAGING = aim('host.startup.weight-staging', 'host.burst.payload');
const LIMIT = aim('host.startup.limit', 'host.burst.payload');
const RAM =
  /\bRAM\b|内存|\b(?:host|system|machine) memory\b|\bmachine (?:has|with)\b|\bnode has\b|\bVM of\b|\b(?:GB|G) (?:host|node|box|machine|VM)\b|\bin the host\b|\bfree -|\bRSS\b|\bRES\b|\bMem: |\bin h?top\b/i;

/** What moves the memory of the machine. */
export const HOST_LEVERS: readonly Lever[] = [
  {
    names:
      /--?shm[-_]size\b|\bshm_size\b|\/dev\/shm\b|--ipc[= ]?host\b|\bdshm\b|\bemptyDir\b[^\n]{0,24}\bMemory\b|\bsizeLimit\b|共享内存/i,
    aim: aim('host.shm'),
    when: 'starting',
    freesWaits: true,
  },
  {
    names: /\bcpu[-_]?offload[-_]?gb\b/i,
    aim: OFFLOAD,
    raised: aim('gpu.startup.weights', 'gpu.burst.headroom'),
    when: 'starting',
  },
  {
    names: anyOf(
      'i',
      /\bswap[-_]space\b|\bhicache[-_]\w+|\bhierarchical[-_]cache\b|\bLMCACHE_\w+|\blmcache\b/,
      /\bmax_local_(?:cpu|cache)_size\b|\bkv[-_]offload\w*|--mlock\b|\buse_mlock\b/,
      /\bcpu[-_](?:cache|offload)\b|\boffload(?:ing)?[-_](?:size|gb|backend)\b|\bpin(?:ned)?[-_ ]memory\b/,
      /\bn[-_]cpu[-_]moe\b|(?<![\w-])-ncmoe\b|\bkv_host_cache\w*|\bhost_cache_size\b/,
      /\bOffloadingConnector\b/,
    ),
    aim: OFFLOAD,
    when: 'starting',
    freesWaits: true,
  },
  {
    names: /\bcache[-_]ram\b|\bprompt[-_]cache[-_](?:bytes|size)\b/i,
    aim: OFFLOAD,
    when: 'serving',
    freesWaits: true,
  },
  {
    names: /\bmm[-_ ](?:processor|preprocessor|input)[-_ ]cache\w*|\bVLLM_MM_INPUT_CACHE_GIB\b/i,
    aim: aim('host.offload', 'host.burst.payload'),
    when: 'serving',
  },
  {
    names: /--?(?:no[-_])?mmap\b|\buse_mmap\b|\bmmap\b|\blow_cpu_mem_usage\b|\brunai_streamer\b|离线量化/i,
    aim: STAGING,
    when: 'starting',
  },
  // Quantising on load reads the whole of it first.
  {
    names: /\bpre-?quanti[sz]ed\b|\b(?:AWQ|GPTQ) (?:one|repo|version|checkpoint)\b/i,
    aim: STAGING,
    beside:
      /\b(?:bitsandbytes|bnb|quanti[sz]\w* (?:on (?:the fly|load)|at load))\b[\s\S]{0,400}\b(?:box|machine|host|RAM)\b|在线[^\n]{0,12}转/i,
    when: 'starting',
  },
  // Each has its own copy.
  {
    names: anyOf(
      'i',
      /\bgunicorn\b|(?<![\w-])-w \d{1,3}\b|--(?:num[-_])?workers?[ =]\d|\bapi[-_]server[-_]count\b/,
      /\bmax[-_]parallel[-_]loading[-_]workers\b/,
      /(?<!\bjoin\w*\b[^\n]{0,24})(?:\bone after (?:the other|another)\b|\bone (?:by one|at a time)\b)/,
      /\bone reader at a time\b|\b(?:start\w*|load\w*) (?:them )?(?:sequentially|in turn|staggered)\b/,
      /(?<!\bjoin\w*\b[^\n]{0,40})\bsleep \d+\b|\bMAX_JOBS\b|\bnvcc_threads\b|\bcompile[-_]workers\b/,
      /\bTORCHINDUCTOR_COMPILE_THREADS\b|逐个启动|依次启动/,
    ),
    aim: WORKERS,
    when: 'starting',
  },
  {
    names: /\bsingle starts\b|\balone\b/i,
    aim: WORKERS,
    beside: new RegExp(String.raw`${RAM.source}|\bmachine\b`, 'i'),
    when: 'starting',
    describes: true,
    common: true,
  },
  {
    names: anyOf(
      'i',
      /--?(?:dp|data[-_]parallel(?:[-_]size)?)[ =]\d|(?<![\w-])-?-?tp[- =]?(?:size[ =])?\d{1,2}\b/,
      /\btensor[-_ ]?parallel(?:[-_ ]?size)?\b|\bone card\b|\b(?:two|four|eight|\d) (?:ranks|replicas)\b/,
      /\bCUDA_VISIBLE_DEVICES\b/,
    ),
    beside: new RegExp(
      String.raw`^(?=[\s\S]*(?:${RAM.source}))[\s\S]*(?:\b(?:each|every) (?:of \d+ )?(?:rank|process|worker|take|read|has|load|keep)|\b\d+ (?:ranks|processes|workers)\b|\bfour times\b|每个)`,
      'i',
    ),
    aim: WORKERS,
    raised: null,
    when: 'starting',
  },
  {
    names: anyOf(
      'i',
      /\bmore (?:RAM|memory on the (?:host|node|machine))\b/,
      /\b\d{1,4} ?Gi?B? (?:of )?(?:RAM|system memory|host memory)\b/,
      /\b(?:add|creat)\w* (?:\w+ )?(?:swap|\d{1,3} ?GB? (?:of )?swap)|\bswap ?file\b/,
      /\bbigger (?:node|machine|box|VM)\b|\b(?:machine|VM|box) raised to\b|\bbought \d/,
      /加到? ?\d{1,4} ?G(?:B)?|内存(?:加|扩|升)到? ?\d|(?:加|换|升级)[^\n，。；]{0,4}\d{1,4} ?GB?(?:的)?内存/,
    ),
    aim: STAGING,
    beside: new RegExp(String.raw`${RAM.source}|\bmachine\b|\bDDR\d|\bswap\b`, 'i'),
    when: 'starting',
    freesWaits: true,
    describes: true,
  },
  {
    names: anyOf(
      'i',
      /\bmem(?:ory)?[-_ ]?limit\b|\blimits?(?: of| to| at| is| from)? ?:?\d{1,4} ?G(?:i?B?)?\b/,
      /\b\d{1,4} ?Gi\b|\.wslconfig\b|\bWSL2?\b|--memory[ =]\d|(?<![\w-])-m \d{1,3}g\b/,
      /\bresources\b[^\n;]{0,30}\bmemory\b|\bmore resources\b/,
      /\bdocker(?: desktop)?(?:['’]s)? (?:settings|resources)\b|\bulimit -v\b|内存限制/,
    ),
    aim: LIMIT,
    when: 'starting',
    freesWaits: true,
  },
  {
    names: anyOf(
      'i',
      /\b(?:one|single|fewer|smaller|\d{1,4}) (?:scanned |base64 )?(?:pages?|files?|attachments?|bodies|pdfs?)\b/,
      /\bbatch file of \d+|\b(?:smaller|less) (?:batch(?:es)?|uploads?|bodies)\b/,
      /\b\d+k? (?:rows|records|lines|prompts) (?:at )?a time\b|\bURLs instead\b|单页|多页/,
    ),
    aim: aim('host.burst.payload'),
    beside: RAM,
    when: 'serving',
  },
];

import type { Cause } from '../../../../model/taxonomy.ts';
import { anyOf } from '../../../text/patterns.ts';
import type { Life } from '../../life/time-of-life.ts';

/** What was going on, by whoever tells it: what it takes of which memory, and when. */
export type Subject = {
  readonly cause: Cause;
  readonly life?: Life;
  readonly pattern: RegExp;
  /** It takes RAM and nothing else: an end beside it is told by it alone. */
  readonly alone?: true;
};

const COUNT = String.raw`(?:[2-9]|\d{2}|two|three|four|five|six|eight|both|all|each|every)`;
const BIG = String.raw`\d{2,4} ?(?:MB|GB|M|G)\b`;

/** What fills RAM, the particular before the general. */
export const OF_RAM: readonly Subject[] = [
  {
    cause: 'host.shm',
    pattern: /\bshm\b[^\n]{0,60}\s(?:100|9\d) ?%|\bdshm\b|\bshm_size\b|\bbus error\b/i,
  },
  {
    cause: 'host.offload',
    alone: true,
    pattern: anyOf(
      'i',
      /\bcpu[-_ ]?offload\w*|\boffload(?:ed|ing)? (?:to|profile|of)\b|\bswap[-_]space\b/,
      /\bhi(?:erarchical[- ]?)?cache\b|\bhierarchical[- ](?:KV )?cache\b|\bhicache\w*/,
      /\bhost (?:pool|memory for)\b|\bLM_?CACHE\w*|\bmax_local_cpu_size\b|--cache-ram\b|\bprompt[- ]cache\b/,
      /\bkv[-_ ](?:offload|transfer)\w*|--mlock\b|\bmlock (?:on|set)\b|\bexps=CPU\b/,
      /\bexperts? on (?:the )?CPU\b|\blayers (?:on|to) (?:the )?cpu\b|\bon the CPU\b[^\n]{0,12}-ngl/,
      /\bhalf (?:of it )?(?:on|to) (?:the )?CPU\b|\bGB pinned\b|\bpinned (?:memory|host|pages?|buffers?)\b/,
      /\bktransformers\b[^\n]{0,60}\bCPU\b/,
    ),
  },
  {
    cause: 'host.node-pressure',
    alone: true,
    pattern: anyOf(
      'i',
      /\b0\/\d +Evicted\b|\bpods?\b[^\n]{0,40}\bevicted\b|\bReason: +Evicted\b|\bMemoryPressure\b/,
      /\bnode\b[^\n]{0,40}\bNotReady\b/,
      /\b(?:spark|backup|restic|cron|another|other|colleague\w*|somebody)\b[^\n]{0,60}\b(?:job|executor|process|python|converted|pod|landed|ate)\b(?![^\n]*\b(?:GPU|card|VRAM)\b)[^\n]{0,60}\b(?:host|node|RAM|GB|kernel)\b/,
      /\b(?:ramdisk|tmpfs)\b[^\n]{0,40}\b\d{2,4} ?G|\b(?:biggest|fattest|largest) (?:process|one)\b/,
    ),
  },
  {
    cause: 'host.startup.workers',
    life: 'starting',
    pattern: new RegExp(
      String.raw`\b\d{1,2} ?(?:x|×|\*) ?\d{1,3}(?:\.\d)? ?(?:G|GB|GiB)\b|\b(?:each|every|per|all) (?:of (?:the )?\d{1,2} |TP |EP |DP |PP )?(?:worker|rank|replica|process|instance|copy|server|card)\w*\b[^.;\n]{0,48}\b(?:copy|copies|checkpoint|loads?|keeps?|takes?|about|growing|own|RES|reads?|wants?)\b|\b${COUNT} (?:python )?(?:processes|ranks|workers|replicas|copies|instances|services|servers)\b[^.;\n]{0,60}\b(?:each|loads?|growing|load at|at the same time|start from|read|RES|own)\b|\beach (?:loads? |with )?(?:the )?(?:same |own |its own |whole |full )\d{0,3} ?\w{0,4} ?(?:model|copy|checkpoint)\b|\bprinted (?:two|three|four|six|eight) times\b|\bgunicorn\b[^\n]{0,40}-w ?\d|-w ?\d{1,2}\b[^\n]{0,40}\bworker|\b(?:the )?\d(?:th|rd|nd) start\b|\bstart(?:ed)? (?:them )?one after (?:the other|another)\b|\beight steps\b|\b(?:actors?|workers?|engines?|replicas?|ranks?|processes) (?:(?:is|are|was|were) (?:being )?)?(?:created|initiali[sz]ed|started|starting|load(?:ed|ing)?) (?:nearly |almost |all )?(?:at the same time|at once|concurrently|simultaneously|together|in parallel)\b|\b(?:concurrent|simultaneous|parallel) (?:[\w-]+ )?(?:init\w*|start(?:s|-?up)?|loads?)\b`,
      'i',
    ),
  },
  {
    cause: 'host.burst.payload',
    life: 'serving',
    pattern: new RegExp(
      String.raw`\bbase64\b|\bdata URLs?\b|\bupload\w*|\bposts?(?:ed)? (?:an? )?(?:${BIG}|\d)|\b${BIG}[^.;\n]{0,12}\b(?:audio|file|request|body|video|pdf)|\bbatch (?:file|job|of)\b|\bcsv\b|\b(?:scanned|pdf) pages?\b|\bPDF\b|\bbodies?\b|\bvideos?\b[^.;\n]{0,24}\b(?:batch|request|benchmark|clips?)\b|\bclip set\b|\bmm processor cache\b|\bMM_INPUT_CACHE\b|\btokenised in one\b|\b(?:while|when|under|with|by) (?:\w+ )?(?:too )?many (?:concurrent |parallel )?requests\b|抽帧|上传|转图片|大文件`,
      'i',
    ),
  },
];

/** A bound of RAM that was set, or came with a box. */
export const BOUND = anyOf(
  'i',
  /\bmem(?:ory)?_limit\b|\bmemory limit\b/,
  /\b(?:the |a |default |same )?limits?\b[^.;\n]{0,24}\b\d{1,4} ?[GM]i?B?\b/,
  /\bmemory:\s{0,16}\d{1,4} ?[GM]i?\b|(?:^|\s)-m ?\d{1,4} ?g\b|--memory[= ]|\.wslconfig\b/,
  /\bpodman machine\b|\bmemory \d{1,4} ?[GM]i\b|\bMemoryMax\b|\bReqMem\b|\blimitMemory\b|\b--mem\b/,
  /\b\d{1,4}g limit\b|\bulimit -v\b|memory_limit_bytes\b|\b\d{1,4} ?[GM]i\b[^.;\n]{0,16}\blimit\b/,
);
/** One that the libraries of an engine alone nearly fill. */
export const SMALL_BOUND =
  /\b(?:mem(?:ory)?_limit|limits?|memory)\b[^.;\n]{0,16}\b(?:[1-9]|1[0-6]) ?Gi?B?\b|(?:^|\s)-m ?(?:[1-9]|1[0-6]) ?g\b|\b(?:[1-9]|1[0-6])g limit\b|\bOUT_OF_ME\w*\+?\s/i;
/** What makes of a load more than a read of files. */
export const STAGES = anyOf(
  'i',
  /\bbitsandbytes\b|\bon (?:load|the fly)\b|\bin-?flight\b|\bfp32\b|\.bin\b/,
  /\b(?:weights?|shards?|checkpoint|safetensors|gguf|model file)\b[^.;,\n]{0,40}\b(?:\d{1,4} ?(?:GB?|%)|\d{1,3} (?:of|\/) \d{1,3})/,
  /\bshard\b|--no-mmap|\b(?:load|加载)[^\n]{0,16}(?:\d ?%|percent)|转 ?int8|量化|分片/,
);

const N = String.raw`(?:\d{1,3}(?:[.,]\d)?|a|one|few|several|many|two|three|ten|dozens of)`;
/** What a request, or many, ask a card for, the particular before the general. */
export const OF_REQUESTS: readonly Subject[] = [
  {
    cause: 'gpu.burst.logits',
    life: 'serving',
    pattern:
      /\b(?:return_|prompt_|top_)?log_?probs?\w*|\b(?:return_)?(?:context|generation|prompt)_logits\b|\blm[-_]eval\b|\beval harness\b|\bloglikelihood\b|\bbest_of\b|\becho on\b/i,
  },
  {
    cause: 'gpu.burst.multimodal',
    life: 'serving',
    pattern: anyOf(
      'i',
      /(?<!\b(?:docker|container|OCI|base|stack|CUDA [\d.]{1,6}) )\b(?:images|pictures?|photos?|videos?|clips?|screenshots?(?= in)|scans?|recordings?|audio|frames(?=[^\n]{0,24}\bvideo))\b(?! (?:pull|attached))/,
      /\b(?:requests?|prompts?|messages?|calls?|questions?) (?:with|containing|including|that (?:has|have|holds?|carry|carries)) (?:an?|one|its|some|the) (?:\w+ )?image\b|\bimage (?:requests?|inputs?|prompts?|queries)\b/,
      /\b\d{3,5} ?[x×] ?\d{3,5}\b(?! ?(?:GEMM|matrix))|\bmax_pixels\b|\d ?张图|[图圖]片|[视視][频頻]|照片|音[频頻]|影片/,
    ),
  },
  {
    cause: 'gpu.burst.batched-tokens',
    life: 'serving',
    pattern: anyOf(
      'i',
      /--max-num-batched-tokens\b|\bbatch(?: size)? (?:that |which )?(?:is |was )?too (?:large|big)\b/,
      /\btoo (?:large|big) a batch\b|\bprefill[-_]step[-_]size[ =:]{1,3}\d{5,}|--chunked-prefill-size\b/,
      /\bmax-batch-tokens\b|\bheavy prefill\b|\bbig (?:benchmark )?wave\b|\bchunked prefill\b/,
    ),
  },
  {
    cause: 'gpu.burst.long-context',
    life: 'serving',
    pattern: anyOf(
      'i',
      /\b\d{2,4} ?k(?:[- ]token)?s?\b[^.;\n]{0,24}\b(?:prompts?|tokens?|contexts?|contract|document|text|file|input)\b/,
      /\b(?:prompts?|prefills?|paste|document|file|input|context)\w*\b[^.;\n]{0,32}\b\d{2,4} ?k\b/,
      /\b\d{2,6}[- ]?(?:k )?tokens?\b[^.;\n]{0,16}\b(?:prompt|paste|document|contract|file)/,
      /\b(?:prompts?|contexts?|inputs?|requests?)\b[^.;\n]{0,24}(?:\b(?:longer|larger|bigger|more) than|\b(?:over|above|beyond)|[>≥]=?) ?(?:about |some |~)?(?:\d{1,3} ?k|\d{4,6})\b/,
      /\blong(?:er)? (?:prompts?|contexts?|documents?|inputs?|conversations?|chats?|histor\w+)\b/,
      /\bpast(?:e|es|ed)\b[^.;\n]{0,40}\b(?:tokens?|contract|file|document|book|text)\b|\bn_past = \d{5,}/,
      /历史|多轮|万字|长(?:文|上下文|输入|prompt)|轮左右/,
    ),
  },
  {
    cause: 'gpu.burst.concurrency',
    life: 'serving',
    pattern: new RegExp(
      String.raw`\b${N} (?:concurrent |parallel |simultaneous )?(?:users?|clients?|requests?|chats|callers|slots|sessions|threads)\b|\blocust\b|\bbench_serving\b|\bsharegpt\b|\bRunning: \d{2,4} reqs|\b(?:num_requests_running|running-req)\b[^\n]{0,20}\d{2,}|--request-rate inf|\bNUM_PARALLEL\b|\bmax-running-requests\b|\bslots busy\b|并发|压测|\d ?个(?:用户|请求)`,
      'i',
    ),
  },
];

/** What holds a card beside the engine, or from before it. */
export const HOLDS_CARD = anyOf(
  'i',
  /\b(?:second|2nd|other|another|new) (?:instance|replica|server|engine|model|pod|one|service)\b[^\n]{0,60}\b(?:same|that|this|one|the|each)\b[^\n]{0,24}\b(?:card|GPU|[AHLT]\d{1,3}\w{0,2})\b/,
  /\bone that comes second\b/,
  /\b(?:two|both) (?:servers|engines|instances|models|services)\b[^\n]{0,40}\bone \w{0,12} ?(?:card|GPU)\b/,
  /\b(?:old|forgotten|previous|stale|zombie|leftover|orphan\w*|earlier)\b[^\n]{0,12}\b(?:EngineCore|process\w*|python|kernel|jupyter|server|instance|worker|run)\b/,
  /\bleftovers?\b|\btime[-_ ]?slicing\b|\bMPS\b|\bHAMi\b|\bsits on GPU \d too\b/,
  /\b(?:card|GPU|VRAM)\b[^.;\n]{0,12}\b(?:full|filled|taken|occupied|used up)\b[^.;\n]{0,6}\b(?:with|by|of) (?:the |an? |its )?(?:chat|other|another|first|main|big|second|resident|embedding)\b/,
  /\b(?:ComfyUI|Stable Diffusion|A1111|jupyter|notebook|desktop|game|browser)\b[^\n]{0,60}\b(?:open|running|card|GPU|held|holds|next to)\b/,
  /\bheld? \d{1,3} ?GB?\b|\bafter ctrl-?c\b|\b(?:scales?|scaled) the old\b/,
  /\b(?:on|for|share) (?:the|that) same (?:card|GPU)\b|没杀干净|残留|僵尸|另一个(?:进程|服务|模型)|同一张卡/,
  /\bkernel restart and it goes\b|\bwhen the (?:embedding|other) \w+ is up\b/,
);

/** A process of before that still held the card: that a start failed beside it goes without saying. */
export const LEFT_BEHIND = anyOf(
  'i',
  /\b(?:old|forgotten|previous|stale|zombie|leftover|orphan\w*|earlier)\b[^\n]{0,16}\b(?:EngineCore|process\w*|jupyter(?: kernel)?|server|instance)\b[^\n]{0,24}\b(?:still there|was still|held|holds|keeps)\b/,
  /\b(?:old|previous)(?: [\w-]+){0,2} pods?\b[^.\n]{0,24}\b(?:terminat\w+|still (?:there|holds?|runs?|running|up)|shutting down)\b[^.\n]{0,60}\bnew\b[^.\n]{0,60}(?:\bOOM|out of memory|OutOfMemory)/,
  /\b(?:VRAM|GPU memory)\b[^.;\n]{0,24}\b(?:stays?|remains?|still)\b[^.;\n]{0,24}\b(?:in use|held|taken|occupied|allocated)\b[^.;\n]{0,60}\b(?:no longer (?:exists?|lives?|runs?|there)|is gone|was (?:deleted|terminated|killed))\b/,
  /\b(?:restarts?|redeploy\w*|rollout|update|stop|shutdown)\b[^.;\n]{0,16}\b(?:leaves?|left)\b[^.;\n]{0,24}\b(?:process\w*|instances?|servers?|EngineCore|workers?)\b[^.;\n]{0,12}\b(?:running|alive|behind|up)\b/,
  /没杀干净|残留进程|僵尸进程|\bCUDA_VISIBLE_DEVICES is \d in both\b|\bsits on GPU \d too\b/,
);

/** Processes that outlived who had started them, and kept the card: whoever was killed before them is no want of RAM. */
export const OUTLIVED =
  /\b(?:EngineCore|workers?|engine(?: core)?|child(?:ren)?|process(?:es)?|ranks?)\b[^.;\n]{0,40}\b(?:survives?|survived|(?:lives?|lived) on|(?:keeps?|kept) running|outlives?|outlived|(?:is|are|was|were) orphaned)\b[^.;\n]{0,60}\b(?:holds?|held|keeps?|kept|VRAM|GPUs?|cards?|[MG]iB)\b|\bafter (?:the |a |an |its )?(?:\w+ ){0,2}(?:crash(?:es|ed)?|exits?|exited|shut ?down|died|dies|ended|was (?:killed|stopped))\b[^.;\n]{0,60}\b(?:VRAM|GPU memory)\b[^.;\n]{0,40}(?:\bnot|\bnever|n['’]t) (?:be |been |get )?(?:freed|released|given back)\b/i;

/** What one start is at, by the words for its steps. */
export const OF_STEPS: readonly Subject[] = [
  {
    cause: 'gpu.startup.graph-capture',
    life: 'starting',
    pattern:
      /\b(?:CUDA |cuda-)?graph[- ]?(?:capture|compil\w+|shapes|s\b)|\bcaptur(?:e|es|ing)\b|\btorch\.compile\b|图捕获/i,
  },
  {
    cause: 'gpu.startup.profiling',
    life: 'starting',
    pattern: /\bwarm(?:ing)?[- ]?up\b|\bprofil(?:e|ing)\b|\bdummy run\b|预热/i,
  },
  {
    cause: 'gpu.startup.kv-room',
    life: 'starting',
    pattern:
      /\b(?:kv|cache)[ _-]?(?:cache )?(?:blocks?|room|space)\b|\bblock[_ ]count\b|\bcache_max_entry_count\b|\bno blocks left\b|\b# ?(?:cuda|gpu) blocks: 0\b|cache block/i,
  },
  {
    cause: 'gpu.startup.weights',
    life: 'starting',
    pattern: /\bload(?:s|ing|ed)?\b|\bshards?\b|\bcheckpoint\b|\bweights?\b|加载|分片/i,
  },
];

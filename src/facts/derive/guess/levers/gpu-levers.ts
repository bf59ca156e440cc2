import { aim, type Lever } from './lever.ts';

const WEIGHTS = aim('gpu.startup.weights', 'gpu.burst.headroom');
const KV_ROOM = aim('gpu.startup.kv-room', 'gpu.burst.concurrency');
const MEDIA = aim('gpu.startup.profiling', 'gpu.burst.multimodal');
const LENGTH = aim('gpu.startup.kv-room', 'gpu.burst.long-context');
const CARDS = aim('gpu.startup.parallelism', 'gpu.burst.headroom');
const FRACTION = aim('gpu.startup.utilization', 'gpu.burst.headroom');
const SHARED = aim('gpu.startup.shared-gpu', 'gpu.burst.headroom');
const OF_A_CARD =
  /\b(?:GPUs?|cards?|nvidia|VRAM|[AHBL]\d{2,3}S?|[345]0[6-9]0|utili[sz]ation|fraction|time-?slic\w*)\b|显/i;

// Whoever else holds the card.
const NEIGHBOURS: readonly Lever[] = [
  {
    names:
      /\b(?:clos(?:ed?|ing)|quit(?:ting)?|exit(?:ed|ing)|kill(?:ed|ing)?(?: -9)?|stop(?:ped|ping)?|end(?:ed|ing)|shut(?:ting)? down|unload(?:ed|ing)?|without|scal(?:es?|ed|ing))\s+(?:of )?(?:the )?(?:old |other |stale |leftover |zombie |first |second |another )?(?:Comfy\w*|A1111|Stable Diffusion|Jupyter|notebook|kernel|browser|Chrome|desktop|game|Ollama|embedd\w+|process(?:es)?\b|instance|engine\b|it the restart|PIDs?\b|python\b|old one\b|leftovers?\b)|\bkill(?:s|ed)? -9 (?:of|on)\b|\bkernel (?:restart|shutdown)\b|\brestart(?:ing|ed)? (?:the )?(?:kernel|notebook)\b|(?:关掉|关闭|杀掉|停掉|结束)[^\n，。；]{0,12}(?:进程|程序|服务|实例|浏览器)|kill (?:之|以)?后|\bOLLAMA_(?:MAX_LOADED_MODELS|KEEP_ALIVE)|\bkeep_alive\b|--exclusive\b/i,
    aim: SHARED,
    when: 'starting',
  },
  {
    names:
      /\balone (?:on|it|is|starts?|works?|fine)\b|\b(?:second|first|each|either|it|one|starts?|container|instance) (?:one )?alone\b|\bon an? (?:empty|free|idle) (?:card|GPU)\b|\bsingle starts\b|单独(?:启动|跑)/i,
    aim: SHARED,
    beside: /^(?![\s\S]*(?:\bRAM\b|内存|\bmachine (?:has|with)\b))/i,
    when: 'starting',
    describes: true,
  },
  {
    names:
      /\b(?:second|2nd|third|fourth|another|later) (?:one|instance|replica|server|engine|model|copy|container|job|vllm)\b|\bone that comes second\b|\b(?:job|replica|instance) [2-9]\b|\bnew pod\b/i,
    aim: SHARED,
    beside: OF_A_CARD,
    when: 'starting',
    culprit: true,
  },
];

// How the model lies on the cards.
const PLACES: readonly Lever[] = [
  {
    names: /\bMIG\b|\bmig-\d|\b\dg\.\d{1,3}gb\b|\bwhole (?:card|GPU|[AHBL]\d{2,3})\b|\bfull (?:card|GPU)\b(?! of)/i,
    aim: CARDS,
    when: 'starting',
    culprit: true,
  },
  {
    names:
      /\b(?:rank|stage) on the (?:small(?:er)?|weak(?:er)?|\d{1,2} GB) (?:card|GPU)|\b(?:all|every|each|\d{1,2} (?:ranks|process\w*|workers))\b[^.;\n]{0,40}\b(?:went|go|land\w*|sit|load\w*|put) (?:up )?(?:to|on|in|onto) (?:the )?(?:GPU|card|cuda|device)[ :]{1,2}0\b|\b(?:GPU|card) 0 (?:fills|is full|climbs)|\bforgot (?:the )?--?tp\b/i,
    aim: CARDS,
    when: 'starting',
    culprit: true,
  },
  {
    names:
      /\b(?:only us(?:es|ing|ed)|us(?:es|ing|ed) only) (?:the )?(?:one|1|a single|first)(?: of the)? (?:GPU|card)s?\b/i,
    aim: CARDS,
    when: 'starting',
    culprit: true,
    beside: /\bmemory\b|\bOOM|显存/i,
  },
  {
    names:
      /\btensor[-_]split\b|(?<![\w-])-ts\b|--main-gpu\b|\bsplit[-_]mode\b|\bPP_LAYER_PARTITION\b|\bmax[-_]gpu[-_]memory\b|\bdevice_map\b/i,
    aim: CARDS,
    when: 'starting',
  },
  {
    names:
      /\btensor[-_ ]?parallel(?:[-_ ]?size)?\b|(?<![\w-])-?-?tp[- =]?(?:size[ =])?\d{1,2}\b|\bpipeline[-_ ]?parallel(?:[-_ ]?size)?\b|(?<![\w-])-?-?pp[- =]?\d{1,2}\b|\bnum[-_]shard\b|\b(?:two|four|eight|\d) (?:GPUs|cards|ranks)\b|\b(?:1|one|single|a second) (?:GPU|card)\b|[单双四八]卡|\d ?张卡/i,
    raised: CARDS,
    lowered: CARDS,
    when: 'starting',
    describes: true,
  },
];

const GRAPHS: readonly Lever[] = [
  {
    names:
      /\benforce[-_]?eager\b|\bdisable[-_]cuda[-_]graph\b|\beager mode\b|\bcuda[-_]?graph\w*|--cuda-graph-\S+|--compilation-config\b|(?<![\w-])-O[0-3]\b|\btorch\.compile\b|\bcompilation level\b|图捕获/i,
    aim: aim('gpu.startup.graph-capture', 'gpu.burst.headroom'),
    when: 'starting',
  },
];

// What comes in, and what is asked of it.
const WORK: readonly Lever[] = [
  {
    names:
      /\blimit[-_]?mm[-_]?per[-_]?prompt\b|\bm(?:ax|in)[-_]pixels\b|\bmax[-_]dynamic[-_]patch\b|\b(?:image|video|audio)=\d+|\b(?:nframes|fps|num_frames)\b|\b(?:resiz|downscal|shr[iu]nk)\w*[^\n;.]{0,24}\b(?:images?|photos?|pictures?|frames|px)\b|\b(?:images?|photos?|pictures?)\b[^\n;.,]{0,12}\b(?:resiz|downscal|shr[iu]nk)\w*|分辨率|(?:图片|视频)(?:缩小|尺寸)/i,
    aim: MEDIA,
    when: 'serving',
  },
  {
    names:
      /\b(?:smaller|fewer|large[r]?|big(?:ger)?|one|single|two|three|four|five|ten|twelve|\d{1,3}) (?:\w+ )?(?:images?|photos?|pictures?|screenshots?|frames|videos?|clips?)\b|\bphone photos\b|\b(?:images?|photos?|pictures?) of \d{3,4}\b|(?<![\d.])\d{3,4} ?[x×] ?\d{3,4}(?!\d)|\b(?:videos?|audio|clips?) (?:of |over )?\d{1,4} ?(?:s|sec|min)\w*|\b\d{1,4} ?(?:s|sec|second|min)\w* (?:videos?|clips?|audio)\b|\d{1,3} ?张图|[一单]张图/i,
    aim: MEDIA,
    when: 'serving',
    describes: true,
  },
  {
    names:
      /\b(?:prompt_|return_|top_|input_)?log_?probs?\b|\blogprob_start_len\b|\bloglikelihood\b|\becho=true\b|\bguided[-_ ](?:decoding|json|choice)\b|\bbest_of\b|\bbeam[-_ ](?:search|width)\b/i,
    aim: aim('gpu.startup.profiling', 'gpu.burst.logits'),
    when: 'serving',
  },
  {
    names:
      /\bmax[-_]?num[-_]?batched[-_]?tokens\b|\bchunked[-_ ]prefill\w*|--chunked-\S+|\bmax[-_]prefill[-_]tokens?\b|\bmax prefill tokens\b|--max-prefill\b(?!-)|\bmax[-_]batch[-_](?:prefill[-_]|total[-_])?tokens\b|\bmax[-_]prefill[-_]token[-_]num\b|--u?batch[-_]size\b|(?<![\w-])-u?b \d|\bn_u?batch\b|\bnum_batch\b|\bbatched tokens\b|\bmax[-_]num[-_]tokens\b/i,
    aim: aim('gpu.startup.profiling', 'gpu.burst.batched-tokens'),
    when: 'serving',
  },
  // Tried in full at the start: the sampler's warm-up and the pass of all sequences.
  {
    names:
      /\bmax[-_]?num[-_]?seqs\b|\bmax[-_]batch[-_]size\b|\bmax[-_]running[-_]requests\b|\bmax[-_]concurrent[-_]requests\b|\bmax_batch\b/i,
    aim: aim('gpu.startup.profiling', 'gpu.burst.concurrency'),
    when: 'serving',
  },
  // Each slot has a context of its own.
  {
    names: /\bOLLAMA_NUM_PARALLEL\b|--parallel\b|(?<![\w-])-np \d|\bn_parallel\b/i,
    aim: KV_ROOM,
    when: 'serving',
  },
  {
    names:
      /\b\d{1,4}(?:k)? (?:concurrent |parallel |simultaneous )?(?:users?|requests?|clients?|chats?|connections?|sessions?|threads)\b|\b(?:lower|less|no) concurrency|\bconcurrency (?:of |at |to )?=?\d|\bfewer requests|\brequest[-_]rate\b|\b(?:one|a single|single) (?:user|client|request)(?! (?:of|with))\b|\bmax[-_]concurrency\b|并发(?:数)?(?:为|降|调|改)?[^\n，。；]{0,4}\d|单(?:个)?请求|\d{1,4} ?(?:个)?并发/i,
    aim: KV_ROOM,
    when: 'serving',
    describes: true,
    common: true,
  },
  {
    names:
      /\b(?:short|small|long|shorter|longer)(?:er)? (?:ones|questions?|prompts?|texts?|inputs?|documents?|chats?|messages?|answers?|conversations?)\b|\b(?:prompts?|inputs?) (?:of |with |up to )?~?\d[\d.,]{0,7} ?k?\b|\b\d[\d.,]{0,6}k (?:inputs?|prompts?|contexts?)\b|\b\d[\d.,]{0,6}k?[- ](?:prompt |input )?tokens?(?: (?:prompt|input|text|contract|document|context)s?)?\b|\btext cut\b|\btruncat\w+|\b(?:clear|cut|shorten|trim)\w* (?:the )?(?:chat )?(?:history|prompt|input|text)\b|\bnew (?:chat|conversation)\b|清空历史|清除历史|新对话|短的|(?:短|长)(?:文本|提示|输入|问题)|\d ?万字|历史(?:变长|太长|过长)/i,
    aim: LENGTH,
    when: 'serving',
    describes: true,
    common: true,
  },
];

const ROOM: readonly Lever[] = [
  {
    names:
      /--?max[-_]model[-_]len\b|\bmax[-_ ]?model[-_ ]?len\b|\bcontext[-_ ](?:length|window|size)\b|\b(?:shorter|smaller|less|lower|reduced) context|\bcontext (?:of|to|at|from|=) ?\d|\bn_ctx\b|\bnum_ctx\b|\bctx[-_]size\b|(?<![\w-])-c \d|\bsession[-_]len\b|\bmax[-_]total[-_]tokens\b|\bmax[-_]input[-_](?:tokens|length)\b|\bmax[-_]seq[-_]len\b|\bmax_length\b|\bOLLAMA_CONTEXT_LENGTH\b|\b\d{1,4}k (?:context|ctx|set)\b|上下文(?:长度)?|最大长度/i,
    aim: LENGTH,
    when: 'starting',
  },
  {
    names:
      /\bkv[-_ ]?cache[-_ ](?:dtype|type|quant\w*)\b|\bcache[-_]type[-_][kv]\b|(?<![\w-])-ct[kv]\b|\bkv[- ]cache (?:in|to|as) (?:fp8|q8|q4|int8)|\bOLLAMA_KV_CACHE_TYPE\b|\bquant[-_]policy\b/i,
    aim: KV_ROOM,
    when: 'starting',
  },
  {
    names: /\bexpandable_segments\b|\bmax_split_size_mb\b/i,
    aim: aim('gpu.startup.weights', 'gpu.chronic.fragmentation'),
    when: 'serving',
  },
  {
    names:
      /\bgpu[-_ ]?memory[-_ ]?utili[sz]ation\b|\bmem(?:ory)?[-_ ]fraction(?:[-_ ]static)?\b|\bcuda[-_]memory[-_]fraction\b|\butil(?:i[sz]ation)?(?: of)? 0?\.\d|\bcache[-_]max[-_]entry[-_]count\b|\b(?:kv_cache_)?(?:free_)?gpu_mem(?:ory)?_fraction\b|显存(?:利用率|占用比例|比例)/i,
    aim: FRACTION,
    raised: KV_ROOM,
    when: 'starting',
  },
  // A share that stands alone; others of samplers and versions have their names before them.
  {
    names:
      /(?<!(?:top[-_ ]?[pk]|temperature|min_p|penalty|v|version|vllm|sglang|ollama)[ =:]{0,3})(?<![\w.\-/])0\.[3-9]\d?(?![\d.])(?! ?(?:[KMGT]i?B?\b|s\b|%|t\/s|tok))/i,
    aim: FRACTION,
    raised: KV_ROOM,
    beside: /^(?![\s\S]*(?:\btop[-_ ]?p\b|temperature|\b(?:vllm|sglang|ollama|lmdeploy|transformers) v?0\.))/i,
    when: 'starting',
    onlyCompared: true,
  },
];

const MODEL: readonly Lever[] = [
  {
    names:
      /(?<![\w-])-?-n?gl\b|\bn[-_]gpu[-_]layers\b|\bnum_gpu\b|\bgpu[-_]layers\b|\b\d{1,3} (?:of \d{1,3} )?layers\b|\bfewer layers\b|层数/i,
    aim: WEIGHTS,
    when: 'starting',
  },
  {
    names: /\bdraft(?:[-_ ]model)?\b|\bmodel-draft\b|(?<![\w-])-md\b|\bspeculative\w*|\bMTP\b|\bEAGLE\d?\b/i,
    aim: WEIGHTS,
    when: 'starting',
  },
  {
    names:
      /\b\d{1,3}(?:\.\d)?B(?:[- ](?:int[48]|q\d\w*|AWQ|GPTQ|model))?(?![\w])|\b[348][- ]?bit\b|\bAWQ\b|\bGPTQ\b|\bNF4\b|\bint[48]\b|\bQ[2-8]_[K0-9]\w{0,4}|\bfp8\b|\bpre-?quanti[sz]ed\b|\bquanti[sz]ed\b|\b(?:smaller|bigger|larger) (?:model|one|version)\b|\b(?:24|32|40|48|80|96|141|192) ?GB? (?:card|GPU)|\b(?:bigger|larger) (?:card|GPU)|小模型|量化/i,
    aim: WEIGHTS,
    when: 'starting',
    describes: true,
    common: true,
  },
];

/** What moves the memory of the card, as flags of all engines call it and as people do. */
export const GPU_LEVERS: readonly Lever[] = [...NEIGHBOURS, ...PLACES, ...GRAPHS, ...WORK, ...ROOM, ...MODEL];

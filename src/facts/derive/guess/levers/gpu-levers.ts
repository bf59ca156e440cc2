import { anyOf } from '../../../text/patterns.ts';
import { CARD_LEVERS } from './card-levers.ts';
import { aim, type Lever } from './lever.ts';

const WEIGHTS = aim('gpu.startup.weights', 'gpu.burst.headroom');
const KV_ROOM = aim('gpu.startup.kv-room', 'gpu.burst.concurrency');
const MEDIA = aim('gpu.startup.profiling', 'gpu.burst.multimodal');
const LENGTH = aim('gpu.startup.kv-room', 'gpu.burst.long-context');
const FRACTION = aim('gpu.startup.utilization', 'gpu.burst.headroom');
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
    names: anyOf(
      'i',
      /\blimit[-_]?mm[-_]?per[-_]?prompt\b|\bm(?:ax|in)[-_]pixels\b|\bmax[-_]dynamic[-_]patch\b/,
      /\b(?:image|video|audio)=\d+|\b(?:nframes|fps|num_frames)\b/,
      /\b(?:resiz|downscal|shr[iu]nk)\w*[^\n;.]{0,24}\b(?:images?|photos?|pictures?|frames|px)\b/,
      /\b(?:images?|photos?|pictures?)\b[^\n;.,]{0,12}\b(?:resiz|downscal|shr[iu]nk)\w*|分辨率/,
      /(?:图片|视频)(?:缩小|尺寸)/,
    ),
    aim: MEDIA,
    when: 'serving',
  },
  {
    names: anyOf(
      'i',
      /\b(?:smaller|fewer|large[r]?|big(?:ger)?|one|single|two|three|four|five|ten|twelve|\d{1,3}) (?:\w+ )?(?:images?|photos?|pictures?|screenshots?|frames|videos?|clips?)\b/,
      /\bphone photos\b|\b(?:images?|photos?|pictures?) of \d{3,4}\b|(?<![\d.])\d{3,4} ?[x×] ?\d{3,4}(?!\d)/,
      /\b(?:videos?|audio|clips?) (?:of |over )?\d{1,4} ?(?:s|sec|min)\w*/,
      /\b\d{1,4} ?(?:s|sec|second|min)\w* (?:videos?|clips?|audio)\b|\d{1,3} ?张图|[一单]张图/,
    ),
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
    names: anyOf(
      'i',
      /\bmax[-_]?num[-_]?batched[-_]?tokens\b|\bchunked[-_ ]prefill\w*|--chunked-\S+/,
      /\bmax[-_]prefill[-_]tokens?\b|\bmax prefill tokens\b|--max-prefill\b(?!-)/,
      /\bmax[-_]batch[-_](?:prefill[-_]|total[-_])?tokens\b|\bmax[-_]prefill[-_]token[-_]num\b/,
      /--u?batch[-_]size\b|(?<![\w-])-u?b \d|\bn_u?batch\b|\bnum_batch\b|\bbatched tokens\b/,
      /\bmax[-_]num[-_]tokens\b/,
    ),
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
    names: anyOf(
      'i',
      /\b\d{1,4}(?:k)? (?:concurrent |parallel |simultaneous )?(?:users?|requests?|clients?|chats?|connections?|sessions?|threads)\b/,
      /\b(?:lower|less|no) concurrency|\bconcurrency (?:of |at |to )?=?\d|\bfewer requests/,
      /\brequest[-_]rate\b|\b(?:one|a single|single) (?:user|client|request)(?! (?:of|with))\b/,
      /\bmax[-_]concurrency\b|并发(?:数)?(?:为|降|调|改)?[^\n，。；]{0,4}\d|单(?:个)?请求|\d{1,4} ?(?:个)?并发/,
    ),
    aim: KV_ROOM,
    when: 'serving',
    describes: true,
    common: true,
  },
  {
    names: anyOf(
      'i',
      /\b(?:short|small|long|shorter|longer)(?:er)? (?:ones|questions?|prompts?|texts?|inputs?|documents?|chats?|messages?|answers?|conversations?)\b/,
      /\b(?:prompts?|inputs?) (?:of |with |up to )?~?\d[\d.,]{0,7} ?k?\b/,
      /\b\d[\d.,]{0,6}k (?:inputs?|prompts?|contexts?)\b/,
      /\b\d[\d.,]{0,6}k?[- ](?:prompt |input )?tokens?(?: (?:prompt|input|text|contract|document|context)s?)?\b/,
      /\btext cut\b|\btruncat\w+/,
      /\b(?:clear|cut|shorten|trim)\w* (?:the )?(?:chat )?(?:history|prompt|input|text)\b/,
      /\bnew (?:chat|conversation)\b|清空历史|清除历史|新对话|短的|(?:短|长)(?:文本|提示|输入|问题)|\d ?万字|历史(?:变长|太长|过长)/,
    ),
    aim: LENGTH,
    when: 'serving',
    describes: true,
    common: true,
  },
];

const ROOM: readonly Lever[] = [
  {
    names: anyOf(
      'i',
      /--?max[-_]model[-_]len\b|\bmax[-_ ]?model[-_ ]?len\b|\bcontext[-_ ](?:length|window|size)\b/,
      /\b(?:shorter|smaller|less|lower|reduced) context|\bcontext (?:of|to|at|from|=) ?\d|\bn_ctx\b/,
      /\bnum_ctx\b|\bctx[-_]size\b|(?<![\w-])-c \d|\bsession[-_]len\b|\bmax[-_]total[-_]tokens\b/,
      /\bmax[-_]input[-_](?:tokens|length)\b|\bmax[-_]seq[-_]len\b|\bmax_length\b|\bOLLAMA_CONTEXT_LENGTH\b/,
      /\b\d{1,4}k (?:context|ctx|set)\b|上下文(?:长度)?|最大长度/,
    ),
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
    names: anyOf(
      'i',
      /\bgpu[-_ ]?memory[-_ ]?utili[sz]ation\b|\bmem(?:ory)?[-_ ]fraction(?:[-_ ]static)?\b/,
      /\bcuda[-_]memory[-_]fraction\b|\butil(?:i[sz]ation)?(?: of)? 0?\.\d/,
      /\bcache[-_]max[-_]entry[-_]count\b|\b(?:kv_cache_)?(?:free_)?gpu_mem(?:ory)?_fraction\b/,
      /显存(?:利用率|占用比例|比例)/,
    ),
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
    names: anyOf(
      'i',
      /\b\d{1,3}(?:\.\d)?B(?:[- ](?:int[48]|q\d\w*|AWQ|GPTQ|model))?(?![\w])|\b[348][- ]?bit\b|\bAWQ\b/,
      /\bGPTQ\b|\bNF4\b|\bint[48]\b|\bQ[2-8]_[K0-9]\w{0,4}|\bfp8\b|\bpre-?quanti[sz]ed\b|\bquanti[sz]ed\b/,
      /\b(?:smaller|bigger|larger) (?:model|one|version)\b/,
      /\b(?:24|32|40|48|80|96|141|192) ?GB? (?:card|GPU)|\b(?:bigger|larger) (?:card|GPU)|小模型|量化/,
    ),
    aim: WEIGHTS,
    when: 'starting',
    describes: true,
    common: true,
  },
];

/** What moves the memory of the card, as flags of all engines call it and as people do. */
export const GPU_LEVERS: readonly Lever[] = [...CARD_LEVERS, ...GRAPHS, ...WORK, ...ROOM, ...MODEL];

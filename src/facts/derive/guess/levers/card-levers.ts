import { anyOf } from '../../../text/patterns.ts';
import { aim, type Lever } from './lever.ts';

const CARDS = aim('gpu.startup.parallelism', 'gpu.burst.headroom');
const SHARED = aim('gpu.startup.shared-gpu', 'gpu.burst.headroom');
const OF_A_CARD =
  /\b(?:GPUs?|cards?|nvidia|VRAM|[AHBL]\d{2,3}S?|[345]0[6-9]0|utili[sz]ation|fraction|time-?slic\w*)\b|显/i;

// Whoever else holds the card.
const NEIGHBOURS: readonly Lever[] = [
  {
    names: anyOf(
      'i',
      /\b(?:clos(?:ed?|ing)|quit(?:ting)?|exit(?:ed|ing)|kill(?:ed|ing)?(?: -9)?|stop(?:ped|ping)?|end(?:ed|ing)|shut(?:ting)? down|unload(?:ed|ing)?|without|scal(?:es?|ed|ing))\s+(?:of )?(?:the )?(?:old |other |stale |leftover |zombie |first |second |another )?(?:Comfy\w*|A1111|Stable Diffusion|Jupyter|notebook|kernel|browser|Chrome|desktop|game|Ollama|embedd\w+|process(?:es)?\b|instance|engine\b|it the restart|PIDs?\b|python\b|old one\b|leftovers?\b)/,
      /\bkill(?:s|ed)? -9 (?:of|on)\b|\bkernel (?:restart|shutdown)\b/,
      /\brestart(?:ing|ed)? (?:the )?(?:kernel|notebook)\b/,
      /(?:关掉|关闭|杀掉|停掉|结束)[^\n，。；]{0,12}(?:进程|程序|服务|实例|浏览器)|kill (?:之|以)?后/,
      /\bOLLAMA_(?:MAX_LOADED_MODELS|KEEP_ALIVE)|\bkeep_alive\b|--exclusive\b/,
    ),
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
    names: anyOf(
      'i',
      /\b(?:rank|stage) on the (?:small(?:er)?|weak(?:er)?|\d{1,2} GB) (?:card|GPU)/,
      /\b(?:all|every|each|\d{1,2} (?:ranks|process\w*|workers))\b[^.;\n]{0,40}\b(?:went|go|land\w*|sit|load\w*|put) (?:up )?(?:to|on|in|onto) (?:the )?(?:GPU|card|cuda|device)[ :]{1,2}0\b/,
      /\b(?:GPU|card) 0 (?:fills|is full|climbs)|\bforgot (?:the )?--?tp\b/,
    ),
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
    names: anyOf(
      'i',
      /\btensor[-_ ]?parallel(?:[-_ ]?size)?\b|(?<![\w-])-?-?tp[- =]?(?:size[ =])?\d{1,2}\b/,
      /\bpipeline[-_ ]?parallel(?:[-_ ]?size)?\b|(?<![\w-])-?-?pp[- =]?\d{1,2}\b|\bnum[-_]shard\b/,
      /\b(?:two|four|eight|\d) (?:GPUs|cards|ranks)\b|\b(?:1|one|single|a second) (?:GPU|card)\b|[单双四八]卡/,
      /\d ?张卡/,
    ),
    raised: CARDS,
    lowered: CARDS,
    when: 'starting',
    describes: true,
  },
];

/** What is done about the cards: who else holds them, and how the model lies on them. */
export const CARD_LEVERS: readonly Lever[] = [...NEIGHBOURS, ...PLACES];

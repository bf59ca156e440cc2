import { anyOf } from '../../../text/patterns.ts';
import { goesWell } from './outcome.ts';
import { says } from './speech.ts';

const MEMORY =
  /\b(?:memory|V?RAM|RSS|RES|VIRT|VSZ|VmSize|VmRSS|HBM|swap|buff\/cache|page cache)\b|\d ?[GMT]i?B\b|\b\d[\d.]{0,6}[gG]\b|\busage\b[^.;\n]{0,24}\d ?%|显存|内存/i;
const ASKS = anyOf(
  'i',
  /\?|？/,
  /\b(?:asks?|asked|asking|questions?|wants to know|wonder\w*|why|worried|worries|afraid|fears?|confused|surprised|expected|expects?|thinks?|thought|believes?|suspects?|complains?|is (?:it|this|that) (?:normal|expected|ok)|how to|how (?:can|do)|can (?:it|one|i) )\b/,
  /为什么|为何|请问|是不是|是否|想知道|正常吗|怎么|如何/,
);
const STEADY = anyOf(
  'i',
  /\b(?:does|did|do|has|is)(?: not|n['’]t) (?:go up|grow\w*|chang\w*|mov\w*|ris\w*|increas\w*|climb\w*|leak\w*)/,
  /\b(?:identical|unchanged|constant|flat|stable|steady|horizontal|idle|level)\b/,
  /\bsame (?:number|size|value|level|figures?|amount|to the|as (?:at|before|after)|after|\d)/,
  /\b(?:nobody|no ?one) (?:uses|is using|asks)\b|\bno (?:requests|traffic|users|load)\b|空闲/,
  /\bon (?:day one|the first day)\b|没有?请求(?:时|也)|一直(?:是|都是)? ?\d|\bto the MiB\b/,
  /\bsince (?:the )?start\b|\b(?:from|since) the (?:very )?first\b|没有?(?:变化|增长|增加)|不变|稳定/,
);
const BY_DESIGN = anyOf(
  'i',
  /(?<!\b(?:is|was) (?:it|this|that) )\b(?:as designed|by design|working as (?:designed|expected|intended)|expected behaviou?r|(?<!\bis )(?:it|this|that|which|usage|memory) (?:is|was|are) (?:normal|expected|intended|fine)\b(?!\?)|pre-?allocat\w*|(?:engine|server|vllm|sglang|it) (?:reserves?|takes|grabs) (?:it|most|all|\d+ ?%)|reserves? (?:it|the|most|all|\d)|told that|(?:the rest|it|that|this) is (?:the )?(?:kv|pool|cache)\b)/,
  /预分配|预留|(?:是|属于)正常/,
);
const TAKES =
  /\b(?:takes?|took|uses?|using|occupies|occupying|eats|holds|grabs|shows?)\b[^\n]{0,24}\d|占[用了满]{0,2}[^\n]{0,6}\d/i;
const VIRTUAL = /\b(?:VIRT|VSZ|VmSize|virtual (?:memory|size|address))\b|虚拟内存/i;
const CACHED = /\bbuff\/?(?:ers)?\/?cache\b|\bpage cache\b|\bcached\b|缓存占/i;
// With a clause of its own behind the growth: it came to rest.
const CAME_TO_REST = anyOf(
  'i',
  /(?:\b(?:and|then|but|since|after that|afterwards)|[,;-]) (?:it )?(?:has |have |had )?(?:then )?(?:stay(?:s|ed)|sits?|sat|remain(?:s|ed)|level(?:s|led)?(?: off| out)?|stands|plateau\w*|is flat|is level|rests)\b/,
  /然后(?:就)?(?:稳定|不再|不变)|之后(?:就)?(?:稳定|不再|不变)/,
);
const KEPT =
  /\b(?:is|are|was|does|do|never)(?: not|n['’]t)? (?:be )?(?:released?|freed?|given back|returned|give back)\b/i;
const MORE = anyOf(
  'i',
  /\b(?:grow(?:s|ing|n)?|grew|climb(?:s|ed|ing)?|creep\w*|keeps? (?:increasing|rising)|increas(?:es|ed|ing)|ris(?:es|ing)|rose|(?:go(?:es|ing)?|went) up|up (?:by|from|to)|more (?:each|every|per|after)|(?:per|each|every|an) (?:hour|day|week|requests?|night|prompts?|images?|iteration)|behind|lost|(?:does|did|do)(?: not|n['’]t) (?:come|go) (?:back )?down|never (?:comes|came|goes|went) (?:back )?down|leak(?:s|ed|ing) (?:\w+ )?[~≈]?\d)\b/,
  /\+ ?\d|每[天次轮小]|又多|多占|多了|只增不减|从[^\n]{0,6}\d[^\n]{0,6}到|(?:->|→)|增长|增加|上涨|上升|升高|越来越|泄[漏露]/,
);

/** A question about memory that is as it should be: there is service, the figure stands, or it is none of what is in use. */
export function isNormal(text: string, besideFigures = false): boolean {
  if (!besideFigures && !MEMORY.test(text)) return false;
  if (says(text, BY_DESIGN)) return true;
  if (says(text, MORE) && !CAME_TO_REST.test(text)) return false;
  if (VIRTUAL.test(text) || CAME_TO_REST.test(text)) return true;
  const signs = [ASKS, STEADY, CACHED].filter((sign) => sign.test(text)).length + (goesWell(text) ? 1 : 0);
  return signs > 1 || (signs > 0 && (besideFigures || TAKES.test(text)));
}

/** The same, said in so many words: it outweighs a growth that it speaks of. */
export function isSettled(text: string): boolean {
  return (
    MEMORY.test(text) &&
    (says(text, BY_DESIGN) ||
      (CACHED.test(text) && goesWell(text)) ||
      (CAME_TO_REST.test(text) && (says(text, MORE) || KEPT.test(text))))
  );
}

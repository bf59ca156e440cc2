import { anyOf } from '../../text/patterns.ts';

const MORE = anyOf(
  'i',
  /(?<=\bfree (?:\w+ ){0,2}(?:frame ?buffer|memory|VRAM|RAM)\b[^\n]{0,24})\b(?:(?:(?:keeps?|kept) (?:on )?|is |(?:stead|gradual|constant|slow)\w* )(?:falling|dropping|shrinking|decreasing|declining|going down)|(?:(?:stead|gradual|constant|slow|continu)\w* )(?:falls|drops|shrinks|decreases|declines|goes down))\b/,
  /\b(?:grow(?:s|ing|n)?|grew|growth|climb(?:s|ed|ing)?|creep(?:s|ing)?|crept|keeps? (?:increasing|rising|growing|climbing)|(?:goes|going|go|went|steps?|stepping) up|(?:fill(?:s|ed)?|filling|builds?|built|pil(?:es|ed|ing)) up|raises|(?:will )?(?:increase|rise)[sd]?|rose|rising|doubles|doubling|increasing|(?:gets?|getting|becomes?|becoming) (?:larger|bigger|higher)|(?:larger|bigger|higher) and (?:larger|bigger|higher)|more and more|accumulat(?:es|ed|ing|ion)|leak(?:s|ed|ing|age)?|saw-? ?tooth\w*|never (?:comes|goes|went|came) (?:back )?down|(?:is|are|was|were|does|do|did)(?: not|n.t) (?:be )?(?:freed|released|return(?:ed)?(?! (?:an?|the|any)\b)|reclaimed|fall|drop|go down|come (?:back|down)))\b/,
  /(?:一直|不断|持续|逐渐|缓慢|越来越|慢慢)[^\n]{0,8}(?:升高|增长|增加|上涨|上升|变大|涨)|越[^\n]{0,4}越(?:大|多|高)/,
  /(?:每|越)[^\n]{0,16}(?:上升|升高|增长|增加|涨)|(?:不|没有?|未)(?:会|自动)?(?:下降|释放|回落|回收|减少|清理)|只增不减/,
  /随[^\n]{0,12}(?:增长|增加|上升|上涨)|泄[漏露]/,
);
const OVER_TIME = anyOf(
  'i',
  /\b(?:only (?:ever )?go(?:es|ing)|keeps?|kept|never|each|every|per|over time|with time|continu\w*|gradual\w*|stead\w*|linear\w*|straight|slow\w*|constant\w*|without end|until|eventually|after|hours?|days?|weeks?|requests?|prompts?|iterations?|repeated(?:ly)?|cycles?|saw-? ?tooth\w*)\b/,
  /\bleak|直至|直到|最终|最后|一直|不断|持续|再次|随着?|每[轮次天]|小时|几天|越来越|之后|越[^\n]{0,4}越|慢慢|只增不减|泄[漏露]/,
);
const MEMORY =
  /(?:memory|frame ?buffer|\bmem\b|VRAM|HBM|\bRAM\b|\bRSS\b|\bswap\b|显存|内存)(?! (?:errors?|clock|bandwidth|speed|temp))[^\n]{0,100}$/i;
// Of a memory that is named this says enough.
const GOES_ON =
  /\b(?:grows|growing|leaks|leaking|leakage|creeps|climbs)\b(?! (?:to|as)\b)|\bmemory (?:growth|leak(?:age)?|(?:also |still |just )?grows)\b/i;
// Up to a size, while it works.
const GROWS_TO = /\bgrow(?:s|ing|n)? to (?:more than |over |above |some )?\d{1,5}(?:\.\d{1,3})? ?\+? ?[GT]i?B\b/i;
const AT_WORK = /\binference\b|\bserving\b|\bunder load\b|推理/i;
const NAMED =
  /\b(?:RAM|RSS|VRAM|HBM|(?:host|system|CPU|container|GPU|device|video) memory)\b[^\n]{0,24}$|\bmemory$|(?:显存|内存)[^\n]{0,8}$/i;
const CACHE = /\bcach(?:e[ds]?|ing)\b/i;
// Pages of the pool that are not given back: what holds them nobody says.
const POOL_HELD =
  /\bkv[ _-]?cache\b[^\n]{0,40}\b(?:(?:does|do|did|is|are)(?: not|n.t)|never) (?:be )?(?:go|come|return|drop|fall|freed|released|given back)\w*\b/i;
// At the limit after so long, and not after a restart.
const CURED = /\bafter (?:an?|two|three|\d{1,3}) (?:days?|weeks?)\b[^\n]{0,60}\b(?:8|9)\d ?%[^\n]{0,60}\brestart/i;
// What only the end of the process gives back.
const ONLY_BY_END =
  /\b(?:given back|freed|released|comes? (?:back|down)|goes (?:back|down)|back) only (?:by|after|with|when) (?:an? |the )?(?:kill\w*|restart\w*|process)\b/i;
// The growth as a noun, and what is piled up or not released, each with its memory behind it.
const OF_MEMORY = String.raw`(?:(?:the|its|all|GPU|host|system|CPU|shared|used|model|any) ){0,3}(?:memory|RAM|VRAM|RSS)\b`;
const BEHIND = new RegExp(
  String.raw`\b(?:continu\w+|stead(?:y|ily)|constant|gradual|linear|unbounded|endless) (?:increase|growth|rise) (?:in|of) ${OF_MEMORY}|\b(?:pil(?:es|ed|ing) up|accumulat(?:es|ed|ing)) in ${OF_MEMORY}|(?<!\bsleep )\b(?:does|did|do)(?: not|n['’]t) (?:fully |completely )?(?:release|free|return|give back) ${OF_MEMORY}`,
  'i',
);
// What stays when the work is over.
const KEPT =
  /\b(?:RSS|RAM|VRAM|memory|GPU mem\w*)\b[^\n]{0,60}\b(?:stays?|stayed|remains?|remained)\b[^\n]{0,40}\b(?:after (?:all|the) (?:\w+ )?(?:requests?|runs?|tests?|load|batch\w*|clients?)|(?:once|when|after) (?:\w+ ){0,3}(?:complete[sd]?|finish\w*|ended?|stops?|idle))\b/i;

/** Where a line tells of a memory that rises without an end, in words and no figures. */
export function endlessIn(text: string): { readonly at: number; readonly ofPool: boolean } | undefined {
  const pool = POOL_HELD.exec(text);
  if (pool !== null) return { at: pool.index, ofPool: true };
  const more = MORE.exec(text);
  if (more !== null && !isOfCache(text, more.index) && OVER_TIME.test(text) && MEMORY.test(text.slice(0, more.index))) {
    return { at: more.index, ofPool: false };
  }
  const goesOn = GOES_ON.exec(text) ?? (AT_WORK.test(text) ? GROWS_TO.exec(text) : null);
  if (goesOn !== null && !isOfCache(text, goesOn.index) && NAMED.test(text.slice(0, goesOn.index + NAME)))
    return { at: goesOn.index, ofPool: false };
  const behind = BEHIND.exec(text);
  if (behind !== null && !CACHE.test(text)) return { at: behind.index + behind[0].length, ofPool: false };
  const cured = CURED.exec(text) ?? ONLY_BY_END.exec(text);
  return cured === null ? undefined : { at: cured.index, ofPool: false };
}

const NAME = 'memory'.length;
const CLOSE = 32;

// What a cache holds grows by design.
function isOfCache(text: string, at: number): boolean {
  return CACHE.test(text.slice(Math.max(0, at - CLOSE), at));
}

/** Where a line tells that a memory stays taken when the work is over. */
export function keptIn(text: string): number | undefined {
  return CACHE.test(text) ? undefined : KEPT.exec(text)?.index;
}

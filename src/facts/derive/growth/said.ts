import { anyOf } from '../../text/patterns.ts';
/** Long enough for pools and arenas to have filled: a time, or much work. */
export const IN_THE_LONG_RUN = anyOf(
  'i',
  /\b(?:hours?|\d{1,4} ?(?:h|d)|days?|weeks?|months?|overnight|mornings?|noon|afternoons?|nights?|weekends?|evenings?|daily|nightly|hourly|uptime|gradually|(?:requests?|reqs?|prompts?|iterations?|rounds?|calls|images?|pictures?|clips?|pages|conversations?|questions|turns|adapters|inferences|generations|sessions|runs?|epochs?|updates?|\d{3,6} steps)|later)\b/,
  /小时|[天周轮次条]|请求|早上|晚上|上午|下午/,
);

// What was looked for and not seen, what comes back, what is over, and what a start or the first requests take.
const NOT_GROWN = anyOf(
  'i',
  /\b(?:did|does|do|has|have|is|are|was|were)(?: not|n['’]t)\s+(?:\w+\s){0,2}(?:grow\w*|climb\w*|increas\w*|ris(?:e|en|ing)|leak\w*)\b/,
  /\bnever (?:grew|grows|climb\w*|ros[ae]|increas\w*|leak\w*)|\bno (?:\w+ )?(?:growth|leaks?|leakage)\b/,
  /\bincreased by (?:us|me|ops|hand)\b/,
  /\b(?:and|but|then) (?:then )?(?:it )?(?:falls|drops(?! (?:down )?to (?:0|zero)\b)|stay(?:s|ed)(?! (?:\w+ ){0,2}after )|stops|stopped|levels|levelled|settles|settled|comes? back|(?:has|have) (?:been|stayed) (?:flat|there|level)|is (?:freed|released))\b/,
  /\b(?:plateaus?|plateaued|levels off|settles) at\b/,
  /\b(?:up to|to) [\d.]{1,8} ?(?:%|[KMG]i?B?)?[^\n]{0,8}\b(?:at (?:the )?start|with the first)\b/,
  /没有?(?:再)?(?:升高|增长|增加|上升|上涨|泄)|(?<!不)(?:就|会)释放|\berrors?\b[^\n]{0,12}\b(?:increase|rise|go up|grow)/,
  /\bclock (?:goes|went) up|\b(?:growth|leak)\b[^\n;]{0,48}\b(?:gone|fixed|no longer|solved)\b/,
  /\b(?:may|might|could) indicate\b|\bleak\?|\bthen (?:level|constant|flat)\b|\bchange nothing\b/,
  /\bcaching allocator\b|\bno further (?:growth|increase)\b|\bno difference\b|\bwonders?\b/,
  /\bwhether there is\b|\bleak\b[^\n]{0,20}\?|\bback to \d[\d.]{0,6} ?[GM]|\bevery day the same\b/,
  /\b(?:per|for each) (?:model|replica|version)\b|\(ok\)|\b(?:API )?gateway leaks\b/,
  /\bstart-?up complete\b|\bas designed\b|\bexpected behaviou?r\b/,
  /\bafter (?:the |a |an |its )?(?:\w+ )?(?:crash|exit|shutdown)\b[^.;\n]{0,60}(?:\bnot|n['’]t) (?:freed|released)\b/,
  /["“']leak["”']|\b(?:buff\/cache|page cache|drop_caches|dropping caches)\b|\bpre-?alloc|预分配/,
);

/** Whether a line tells of a growth, and does not say that there was none. */
export function tellsOfGrowth(text: string): boolean {
  return !NOT_GROWN.test(text);
}

// What a load, one request or what was set takes at once.
const AT_ONCE = anyOf(
  'i',
  /\b(?:seconds|per second|never got ready|does not start|\d{1,3} ?s|while (?:it |the )?(?:\w+ )?(?:loads?|loading|shards?)|while (?:[\w-]+ ){1,4}(?:is|are|was|were) (?:being )?loaded|during (?:the )?(?:load(?:ing)?|start(?:-?up)?|warm-?up|capture|compil\w+)|(?:graph )?capture|quanti[sz]ing on load|while quanti\w+|(?<!\bfurther (?:\w+ )?)spik(?:es?|ed)|rapid (?:memory )?(?:growth|increase|rise)|(?:rapidly|quickly|steeply|sharply|fast) (?:under|with|in|during) (?:this |the |that |high |heavy )?(?:load|burst|benchmark|traffic)|within (?:that|one|a single|the same) (?:request|step)|in one (?:request|step))\b/,
  /瞬间|加载(?:模型)?时/,
);

// A step up is none of a growth, unless what it took stays.
const JUMP = /\bjump(?:s|ed)?\b/i;
const STAYS =
  /\b(?:is|are|was|were)(?: not|n['’]t) (?:freed|released|given back|returned)\b|\bnever (?:freed|released|given back)\b/i;

/** Whether a line tells of what rose at once. */
export function roseAtOnce(text: string): boolean {
  return AT_ONCE.test(text) || (JUMP.test(text) && !STAYS.test(text));
}

/** What is told to have stayed as it was. */
export const HOLDS = anyOf(
  'i',
  /\b(?:constant(?! (?:load|traffic|rate|line|pace|use))|unchanged|stable|flat|fixed|even at|stays? at|(?:stay(?:s|ed)?|remain(?:s|ed)?|is|was) (?:the same|normal)|(?:does|did)(?: not|n['’]t) (?:change|move)|not moving|at both times|at all times)\b/,
  /没有?变化?|不变|一直是/,
);
const CLAUSE = /(?<=[;,；，。])|(?<=\.)(?=\s)|(?=\b(?:while|whereas|but)\b)/;

/** A line without the clauses that say of a memory that it held its level; blanks in their place, so that what is left stands where it stood. */
export function withoutLevels(text: string): string {
  const bare = text.replaceAll(/\([^()]*\)/g, (part) => (HOLDS.test(part) ? ' '.repeat(part.length) : part));
  const clauses = bare.split(CLAUSE);
  if (clauses.length === 1) return bare;
  return clauses.map((clause) => (HOLDS.test(clause) ? ' '.repeat(clause.length) : clause)).join('');
}

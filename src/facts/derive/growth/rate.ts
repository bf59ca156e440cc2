import { anyOf } from '../../text/patterns.ts';
import { IN_THE_LONG_RUN } from './said.ts';

const SIZE = String.raw`[~≈+]?\d[\d,.]{0,8} ?(?:kB|KB|KiB|[MG]i?B?|%)(?!\w)`;
const ROUGHLY = String.raw`(?:about|around|roughly|some|approximately|approx\.?|nearly|almost|another|an extra|extra|up to|\d[\d.]{0,6} (?:to|-))? ?`;
const WORK =
  '(?:requests?|reqs?|prompts?|calls?|completions?|conversations?|images?|pictures?|photos?|videos?|clips?|pages?|documents?|messages?|iterations?|rounds?|turns?|steps?|batch(?:es)?|(?:generated |output )?tokens?|schemas?|adapters?|jobs?|runs?|tests?|cycles?|load/unload|loads?|unloads?|inferences?|generations?|sessions?|swaps?|reloads?|(?:weight )?(?:updates?|syncs?)|epochs?|samples?|rollouts?)';
const TIME = '(?:h|hour|hr|day|night|week|min(?:ute)?)';
const COUNT = String.raw`(?:\d[\d,]{0,9}k? )?(?:\w+ ){0,2}?`;
const EACH = '(?:per|each|every|on every|on each|for every|for each|with every|with each|after each|by every)';
const KEEPS =
  '(?:adds?|added|leaves?|left|leaks?|leaked|loses?|lost|grows?(?: by)?|grew(?: by)?|rises?(?: by)?|rose(?: by)?|increases?(?: by)?|increased(?: by)?|climbs?(?: by)?|goes up(?: by)?|goes? missing|eats?|accumulates?|costs?)';
const GIVEN_BACK = anyOf(
  'i',
  /\b(?:not|never|n['’]t|nothing)\b[^\n]{0,24}\b(?:return\w*|released?|freed|given back|com(?:e|es|ing) (?:back|down)|bring\w* (?:it |that )?back|reclaimed|goes back|go(?:es)? down|drop\w*|stops?)\b/,
  /\bbehind\b|不(?:会)?(?:释放|下降|回落|降)|只增不减/,
);
// What moves, what a cache holds by design, and what is shared out.
const OTHER =
  /\/s\b|per second|\b(?:utili[sz]ation|util|CPU load|load average|latency|p9\d|error rate|bandwidth|throughput|speed|kv[ _-]?cache|per (?:gpu|card|rank|worker|replica|node|pod))\b/i;

const RATES: readonly RegExp[] = [
  // `RAM climbs 1.2 GB an hour`, `+8 MiB of VRAM on every request`, `3.1 MB RSS per generated token`.
  new RegExp(
    String.raw`${SIZE}(?: of (?:\w+ )?\w+| \w+)? ?(?:\/ ?(?:${WORK}|${TIME})|\b(?:${EACH} ${COUNT}(?:${WORK}|${TIME})|an? ${TIME}))(?![\w/])`,
    'i',
  ),
  // `each request adds 20 to 60 MiB`, `every image leaves about 20 MB on the card`.
  new RegExp(
    String.raw`\b(?:each|every|one|per|an?) (?:[\w/+-]+ ){0,4}?${WORK}\b[^\n]{0,32}?\b${KEEPS} ${ROUGHLY}${SIZE}`,
    'i',
  ),
  // `about 0.1 % of 256 GB is lost for every 1000 prompts`, `for every 1000 prompts usage rises by 0.1 %`.
  new RegExp(
    String.raw`${SIZE}[^\n]{0,24}\b(?:lost|leaked|added|gone|missing|more)\b[^\n]{0,12}\b${EACH} ${COUNT}${WORK}`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:for|per|after|by|with) (?:every|each) ${COUNT}${WORK}\b[^\n]{0,48}?\b${KEEPS}[^\n]{0,16}?${SIZE}`,
    'i',
  ),
  new RegExp(String.raw`\b(?:adds?|leaves?|leaks?|loses?) ${ROUGHLY}${SIZE}[^\n]{0,24}\b${EACH} ${COUNT}${WORK}`, 'i'),
  new RegExp(
    String.raw`[每再](?:一)?(?:处理|推理|压|跑|发|请求)?[^\n，。]{0,12}[^\n。]{0,10}?(?:涨|增加|增长|多占?|上升|泄[漏露]|占用)[^\n\d]{0,4}${SIZE}`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:each|every) (?:[\w/-]+ ){0,3}?${WORK} ${ROUGHLY}${SIZE} (?:more|remain\w*|stay\w*|is left|are left)\b`,
    'i',
  ),
];

const LEAST_WORDS =
  /\b(?:adds?|leaves?|leak\w*|los[te]\w*|grow\w*|grew|climb\w*|ris\w*|rose|up|increas\w*|\+|RSS|RAM|memory|VRAM|straight|linear|more|remain\w*)\b|\+\d|涨|增|多/i;

// So much more after hours or requests.
const DELTA = new RegExp(
  String.raw`\b(?:increas\w+|grew|grown|rose|risen|climbed|went up|is up|are up|swells?|swelled) (?:by |to )?${ROUGHLY}${SIZE}|\+ ?${SIZE}|${SIZE} (?:of \w+ )?(?:more|higher|less free)\b`,
  'i',
);
// A rise by the second is a slope that somebody fitted.
const SLOPE = /\b(?:slope|(?:growth|leak) rate)\b[^\n]{0,24}\d/i;
const AROUND = 40;

/** Where a line tells how much of a memory a piece of work or an hour takes and does not give back. */
export function rateIn(text: string): number | undefined {
  const slope = SLOPE.exec(text);
  if (slope !== null) return slope.index;
  const found = RATES.map((rate) => rate.exec(text)).find((match) => match !== null) ?? deltaIn(text);
  if (found === undefined || found === null || isOther(text, found)) return undefined;
  return LEAST_WORDS.test(text) || GIVEN_BACK.test(text) ? found.index : undefined;
}

function deltaIn(text: string): RegExpExecArray | null {
  return IN_THE_LONG_RUN.test(text) ? DELTA.exec(text) : null;
}

function isOther(text: string, { 0: found, index }: RegExpExecArray): boolean {
  return OTHER.test(text.slice(Math.max(0, index - AROUND), index + found.length + 4));
}

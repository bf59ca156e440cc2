import { anyOf } from '../../read/text/patterns.ts';

// What people look for when they ask whether it was memory.
const LACK = String.raw`(?:(?:(?:host|system|GPU|CUDA|cgroup|kernel) )?(?:OOM[- _]?kill\w*|OOMs?\b|out[- ]of[- ]memory|memory (?:errors?|problems?|issues?|pressure|leaks?|shortage|limit reached)|kill(?:ed|er|s)?\b|Killed process|Xids?\b|evict(?:ed|ions?)))`;
// What may stand between a denial and what it denies.
const BETWEEN = String.raw`(?:(?:a|an|any|the|this|that|it|real|signs?|of|traces?|single|kernel|cgroup|container|been|be|get|got|ever|see|seen|find|found|shows?|shown|have|has|had|was|is|were|are|by|lines?|entry|entries|events?|messages?|in|dmesg|syslog|journal|due|caused?|to|from|because|actual|probably|other|about|like)\b[\s/'"-]{1,3}){0,6}`;
const DENIALS = [
  String.raw`\b(?:no|not|never|neither|nor|without|none of|(?:is|was|are|were|did|does|do)n['’]t|rules? out|ruled out|excluded?|excludes|unlikely|rather than|nothing)\b[:\s"'(]{1,3}${BETWEEN}${LACK}(?:(?:,| or| nor| and no|, no)\s?(?:no |an? )?${LACK}){0,4}`,
  // `grep -i oom: nothing`, `OOMKilled -> no`, `oom_kill 0`, `it was an OOM but it was not`.
  String.raw`\b(?:grep|dmesg|journalctl)\b[^;\n]{0,60}${LACK}[^;\n]{0,24}?(?::|->|=>|→|=|shows?|gives?|finds?)\s*["']?(?:nothing|none|empty|no\b|0\b(?![.,]\d))`,
  String.raw`${LACK}["')]?(?: (?:counter|count|count(?:er)? is|kills?|pods?|events?|on the node|on this node|in 24 h|in the container)){0,3}\s*(?:is|are|was|were|says|shows|count(?:er)?|[:=|–>-]{1,3})?\s*["']?(?:0\b(?![.,]\d| ?%? ?of)|no\b(?! (?:longer|more))|false\b|none\b|nothing\b|нет|not (?:it\b|the cause|found|seen|there|set|logged|the case)|excluded|ruled out|unlikely|absent|negative)`,
  String.raw`${LACK}[^.;\n]{0,16}\bbut (?:it )?(?:is|was) not\b`,
  String.raw`\[ \] ?${LACK}`,
  String.raw`\bOOM[ _]score(?:[ _]adj\w*)?`,
  // A figure of speech.
  String.raw`\b(?:throughput|performance|speed|latency)\b (?:is|was|gets|got|being) killed\b|\bkill(?:s|ed|ing) (?:the |our |my |all )?(?:throughput|performance|speed|latency)\b`,
  // What TensorRT's builder says of a way that it skips.
  String.raw`\b(?:device )?memory (?:is|was) insufficient (?:to use|for) (?:a |the )?tactics?`,
  // Chinese, Japanese, Korean, Russian, German, French, Spanish and Polish.
  '(?:没有?|无|未见?|不是|并非|排除|不存在)[^，。；,.;\\n]{0,8}(?:OOM\\w*|oom\\w*|爆显存|显存不足|内存不足|内存溢出|内存问题|显存问题|被?杀)',
  '(?:OOM|oom)[^，。；,.;\\n]{0,8}(?:ではな|じゃな|なし|ない|出ていな|없|아님|아니)',
  String.raw`(?:^|[\s,;(])(?:не|нет|без|kein(?:e|en|er)?|nicht|ohne|pas d[e'’]|aucune?|sans|no hay|no es|sin|ning[uú]n|nie|brak|bez)\s[^.,;\n]{0,24}?(?:OOM\w*|Speicher\w*|m[ée]moire|memoria|pami[eę]ci|памят\w*)`,
];
const DENIED = anyOf('gi', ...DENIALS);
// Another time, another machine, or over.
const ELSEWHERE =
  /\b(?:last (?:week|month|year|quarter|spring|summer|autumn|winter)|(?:weeks?|months?|years?) ago|\d{1,3} days (?:ago|old)|(?:on|of) (?:the |an? )?(?:other|old|previous|staging|test|another) (?:cluster|server|machine|host|node|box|deployment)|(?:staging|test) cluster|long ago|back then|since (?:been )?(?:fixed|solved)|(?:is|was|were|been|got) (?:fixed|solved|resolved) (?:by|with|in|since|long)|other problem|unrelated|linked issue|runbook|checklist)\b/i;
const OF_LACK = new RegExp(LACK, 'i');
const CLAUSE = /(?<=[;；。])|(?<=\.)(?=\s)/;

/** A remark without what it denies, and without what it tells of another time or machine; blanks in their place. */
export function withoutDenials(text: string): string {
  const earnest = text.replaceAll(DENIED, blank);
  if (!ELSEWHERE.test(earnest)) return earnest;
  return earnest
    .split(CLAUSE)
    .map((clause) => (ELSEWHERE.test(clause) && OF_LACK.test(clause) ? blank(clause) : clause))
    .join('');
}

function blank(part: string): string {
  return ' '.repeat(part.length);
}

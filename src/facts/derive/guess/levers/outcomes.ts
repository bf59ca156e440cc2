import { anyOf } from '../../../text/patterns.ts';
/** How something went, by the words of a clause. */
export type Outcome = { readonly went: 'well' | 'badly'; readonly at: number };

// What was not seen any more.
const NO_MORE_TROUBLE = anyOf(
  'gi',
  /\b(?:no|without(?: any| an?)?|never(?: again)?|not a single|zero)\s+(?:\w+\s)?(?:problems?|complaints?|errors?|crash\w*|oom\w*|issues?|restarts?|failures?|fail\w*|trouble|kills?|died?|dies)\b/,
  /\b(?:problem|error|crash|issue|oom)s? (?:is|are|was|were|has|have)? ?(?:gone|solved|fixed|away|gone away|disappear\w*)\b/,
  /\b(?:does|did|do|has|have)(?: not|n['’]t) (?:crash\w*|oom|fail\w*|die[ds]?|happen\w*|restart\w*|show)\b/,
  /\b(?:is|are)(?: not|n['’]t) (?:crashing|failing|dying|restarting)\b|\bnever (?:do|does)(?: it)?\b/,
  /\bavoid(?:s|ed)\b|\bstop(?:s|ped) (?:crashing|failing|dying|restarting)|\bno more\b|\bgoes away\b/,
  /不再(?:报错|崩溃|重启|退出|OOM)|没有?(?:再)?(?:报错|问题|崩溃)/,
);

const VERB =
  '(?:start(?:s|ed)?|com(?:e|es|ing) up|work(?:s|ed|ing)?|run|serve|load(?:ed|s)?|boot|fit|answer|go(?:es)? through|get (?:past|through|ready)|finish(?:es)?|launch|survive|respond|pass(?:es)?|be accepted|accepted|ready|begin|enough|ok|fine|good)';
const BAD = new RegExp(
  `\\b(?:(?:does|do|did|will|would|could|can|is|was|are|were|has|have)(?: not|n['’]t)|cannot|never|refuses? to|fail(?:s|ed)? to|unable to|no longer|won['’]t|nor|neither|not)(?: \\w+ly| even| ever| make it| yet| it| they){0,2} ${VERB}\\b|\\b(?:not|no|never)(?=[\\s,;.)]*$)|\\b(?:does|do|did|will|is)(?: not|n['’]t)(?=[\\s,;.)]*$)|\\bno start\\b|\\b(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|dies|died|dead|die|gone|(?:goes|went|go|takes?(?: \\w+){0,3}) down|goes(?=[\\s,;.]*$)|killed|kills|restarts|restarted|refuses|refused|rejects|exits|exited|lost|hangs?|hung|stuck|vanish\\w*|disappear\\w*|breaks?|broke|blows? up|oom(?:s|ed)?|oomkilled|out of memory|OutOfMemory\\w*|rais(?:es?|ed)(?= (?:an? )?(?:\\w+ ){0,2}\\w*(?:Error|Exception|OOM)\\b)|shot|aborts?|errors?|137|crashloop\\w*|ends? (?:it|itself|quietly)|server down|process gone|stops|quits?|falls?(?! back)|fell|climbs|collapses)\\b|报错|失败|退出|崩溃?|挂|爆|不行|起不来|启动不了|卡住|卡死|被杀|已杀死|消失|没了|重启|不够|不足|宕|死掉|无法|不能`,
  'gi',
);
const GOOD = anyOf(
  'gi',
  /\b(?:works?|worked|working|starts|started|start(?=[\s,;.]*$)|comes? up|came up|coming up|up in (?:a|\d+) \w+|runs|ran|runs? through|serves|served|loads|loaded|boots|fits|fitted|answers|answered|ok|okay|fine|good|green|yes|clean|stable|(?:is|was|gets?|got|goes|went) better|ready|solved|cured?|cures|fixe[sd]|helps|helped|did it|goes (?:through|on|up|again|\d)|went (?:through|clean|fine|well|ready)|g(?:e|o)ts? (?:past|through)|survives?|survived|pass(?:es|ed)?|alive|lives?|holds|stays (?:up|alive|at)|all right|peace|normal(?:ly)?|done|accepted|succeed\w*|success\w*|finish(?:ed|es)|launched|quiet|gets through|is (?:there|back)|it's there|brings? it back|gives? (?:it|the \w+) back|is pulled|(?:must|has to|had to|needs to) be (?:used|set|on|enabled|given)|all \d+ live)\b/,
  /\bdoes(?=[\s,;.)]*$)|正常|可以|没问题|成功|好了|就好|就行|能用|能跑|就?能(?:启动|起|加载)|解决|没事|又能|随便跑|恢复/,
);

/** What a clause tells of how it went, in the order of its words. */
export function outcomesIn(clause: string): readonly Outcome[] {
  const rest = { text: clause };
  const take = (pattern: RegExp, went: Outcome['went']) => {
    const found = [...rest.text.matchAll(pattern)].map(({ index }) => ({ went, at: index }));
    rest.text = rest.text.replace(pattern, (own) => ' '.repeat(own.length));
    return found;
  };
  const free = take(NO_MORE_TROUBLE, 'well');
  const bad = take(BAD, 'badly');
  const good = take(GOOD, 'well');
  return [...free, ...bad, ...good].toSorted((a, b) => a.at - b.at);
}

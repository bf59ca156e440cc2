import { anyOf } from '../../../text/patterns.ts';
import { METRICS_FILE } from '../../../text/prometheus.ts';
import { says } from '../no-memory/speech.ts';
import { FROZEN_MACHINE } from '../standstill.ts';
import { type Account, lineThatSays, type Told } from './account.ts';
import { STILL_LOADING } from './still-loading.ts';

// 128 and the number of the signal (POSIX), the number itself as Python and gunicorn give it, and the words for it.
const KILLED = anyOf(
  'i',
  String.raw`\b(?:rc|exit(?:ed|s|ing)?|exitcode|status|code|returns?|returned|restart(?:s|ed)?|terminated|dies|died|end(?:s|ed)?|gone|with|gets?|got|gives|says)\b\s?(?:\w+ ){0,2}[("'=:]{0,3}\s?["(]?137\b(?!\.\d| ?(?:[KMGT]i?B|tokens?|ms|s)\b)`,
  String.raw`\b137\b(?= (?:at|while|after|during|when|each|every|again)\b)`,
  String.raw`(?<!by )\bsignal:? ?\(?9\b|\bSIGKILL(?:ed)?\b(?! (?:orphan|leftover))|\bstatus=9/KILL|\bcode=killed\b|\b(?:code|with|exitcode)[ :=]{0,2}-?9\b(?![.\d])`,
  String.raw`\b(?:is|was|were|are|gets?|got|been|being|simply|just|then)(?: (?:then|always|just|simply|it|both|all|too))? (?:shot|killed|reaped)\b(?! (?:by|off by) (?:us|me|hand|the user|a colleague|kubelet|the probe))`,
  String.raw`(?:^|[\s:,])killed(?: after| at| by the (?:kernel|system|OS)|[.;,]|$)|\bmemory monitor\b[^.;\n]{0,24}\bkill(?:s|ed)\b|\bkernel (?:kills?|chose|took|takes|ended|ends|shot)\b|\bkill -9 (?:by|from)\b|\b(?:kernel|system|OS|oom[- ]?killer) (?:then )?kills?\b|\bkilled by the (?:kernel|system|OS|OOM)\b|\b\$\? (?:gives|is|says|=) 137\b|\boom[- ]?kill\w*|\bOOMKilled\b|\bOUT_OF_ME`,
  '已杀死|(?:进程|程序|服务|它)?被(?:系统|内核|kernel|OOM|操作系统)?\\s?(?:killer)?\\s?(?:给)?(?:杀|kill)',
  String.raw`\b(?:using|used) all available\b|\b(?:host|node|machine|box|VM) (?:then )?(?:goes|went|runs|ran) out of (?:memory|RAM)\b`,
);

const WHO =
  '(?:process|worker|server|runner|container|pod|engine(?: process| container)?|rank \\d|rank|ranks|scheduler|shard|service|replica|instance|python|api[_ ]?server|everything|router|program|session|llama-server|ollama|shell|terminal|job|it|one|predictor)';
const WENT =
  '(?:gone|dead|dies?|died|lost|vanish\\w*|disappear\\w*|crash\\w*|exit(?:s|ed)?|end(?:s|ed)|quits?|restart(?:s|ed)?|stop(?:s|ped)|missing|falls?|fell|down|leaves|left by itself|taken out|fails?|failed|no longer answers|terminated|a core dump|closed|(?:goes|went) away)';
const GONE = anyOf(
  'i',
  String.raw`\b${WHO}\b[^.;\n]{0,32}?\b${WENT}\b`,
  String.raw`^${WENT}\b|\b(?:dies|crashes|quits|goes (?:away|quietly|silently|down)|went away|falls over|fell over|not there any ?more|restart(?:s|ed)|ends itself|takes? (?:the server|it|everything) down|= dead|server down|it is over|kills? (?:it|the server)|one after the other with -9|never (?:does|do|did)|took? down|takes? down|RESTARTS 1|touches the ceiling|nothing any ?more|nothing printed|stops by itself|login screen|hard reset)\b`,
  String.raw`\b(?:gone|ends?|ended|fails|failed|stops|exits?) (?:during|while|at|after|in|before|when|as|right|amid|without|all the time|every time|always)\b`,
  String.raw`\b(?:does not|doesn't|do not|did not|never|won't|not) (?:start|come up|load|boot|survive|finish(?:es)?|pass|get|go|finishes|passes|gets|comes up|starts|loads|goes)\b|\b(?:starts?|fine|ok|comes up) alone\b|\b(?:alone|single starts?)(?: all)?(?: is| are)? (?:fine|ok|starts?|succeed|comes up)\b|\bdoes not\b(?=[;.,]|$)|\bno start\b|\brefuses\b|${STILL_LOADING}`,
  String.raw`\brestarts?(?:_total)?\b[^\n]{0,4}: ?[1-9]`,
  '退出|没了|必?挂|崩|消失|断开|闪退|重启|起不来|回到命令行|\\b500\\b|失败|直接退|就停',
);

// It goes on, whatever else is told of it.
const LIVES = anyOf(
  'i',
  /\b(?:process|server|engine|pod|container) (?:is )?(?:still )?(?:alive|answers|running)\b/,
  /\bno (?:exit|restarts?|crash)\b|\bnothing (?:failed|crashed)\b|\ball answers arrive\b/,
  /\bkeeps (?:serving|running)\b|\b(?:server|engine|process|pod) (?:goes|runs|carries) on\b/,
  /\bhealth 200\b|\buptime \d|\b(?:0|no) restarts?\b|\bstill answers?\b|\bstays up\b(?! till)|进程还在|没有报错/,
);
/** Who stops or kills for another reason than a want of memory. */
export const OTHER_REASON = anyOf(
  'i',
  /\bprobes?\b|\binitialDelay|\bfailureThreshold|\bgrace\b|\bterminationGrace|\bTerminating\b/,
  /\bscal(?:e|es|ed|ing)[- ]?(?:down|in|to (?:0|zero))|\bdrain(?:s|ed|ing)?\b|\b143\b|\bSIGTERM\b/,
  /\bpreempt(?:ed|ible)\b|\bspot\b|\bDeadlineExceeded|\bactiveDeadline|\bTIME ?LIMIT\b|\bwall ?time/,
  /\b(?:kill|stop)(?:s|ped|ed)? each other|\b(?:may|might|could) have (?:stopped|killed)/,
  /\bdocker (?:stop|kill)\b|\b137\b,? but not memory|\bUnhealthy\b|\bLiveness\b/,
);
// An old process that people ended themselves.
const BY_HAND =
  /\b(?:after|till|until|runs?|with|by|then|to|needs?|had to|I|we|he|she|do|does|did|a)\b[^.;\n]{0,16}\b(?:kill(?:ed|s)?(?: -9)?|pkill)\b(?! by)[^.;\n]{0,40}|\bkilled with SIGKILL\b(?=[^.;\n]{0,8}\bnew instance\b)/gi;

export type Ending = { readonly kind: 'killed' | 'froze' | 'gone'; readonly from: Told };

// What a table of a runtime, a batch system or a shell says of an end by signal 9.
const ROW_OF_KILL = anyOf(
  'i',
  /\bexit ?code:? {1,16}137\b|\bexit ?code\b["':= ]{1,6}(?:137|-9)\b|\bExited \(137\)|\brc: ?137\b/,
  /\bexit status of container: 137\b|\bOOMKilled\b|\bstatus=9\/KILL|\bOUT_OF_ME|\bEvicted\b/,
  /\bexited with code 9\b|(?:^|\])Killed$/,
);

/** Whether a text tells of an end by signal 9. */
export function tellsOfKill(text: string): boolean {
  return !OTHER_REASON.test(text) && (says(text, KILLED) || says(text, ROW_OF_KILL));
}

/** How the process ended, as people tell it; undefined where it goes on. */
export function readEnding({ prose, rows }: Account): Ending | undefined {
  const lines = prose.map(({ text, from }) => ({ text: text.replaceAll(BY_HAND, ' '), from }));
  if ([...lines, ...rows].some(({ text }) => LIVES.test(text))) return undefined;
  const isOtherwise = [...lines, ...rows].some(({ text }) => OTHER_REASON.test(text));
  const killed = isOtherwise ? undefined : (lineThatSays(lines, KILLED) ?? lineThatSays(rows, ROW_OF_KILL));
  if (killed !== undefined) return { kind: 'killed', from: killed };
  const froze = lineThatSays(lines, FROZE);
  if (froze !== undefined) return { kind: 'froze', from: froze };
  const notes = rows.filter(({ from }) => from.file === METRICS_FILE);
  const gone = isOtherwise ? undefined : [...lines, ...notes].find(({ text }) => GONE.test(text));
  return gone && { kind: 'gone', from: gone };
}

// A session that is closed with the process was on the machine that stood still.
const FROZE = anyOf(
  'i',
  FROZEN_MACHINE.source,
  String.raw`\b(?:whole|entire) (?:PC|machine|box|desktop|system)\b[^.;\n]{0,24}\bfreez|\b(?:ssh|sshd)\b[^.;\n]{0,24}\b(?:gone|closed|killed|froze|dropped|lost)\b|\bhard (?:reset|power)|\bmouse stuck\b`,
  '整机卡|死机|机器卡死',
);

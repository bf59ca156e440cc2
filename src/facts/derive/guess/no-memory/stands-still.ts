import { anyOf, oneOf } from '../../../text/patterns.ts';
import { OF_SEVERAL } from './apart.ts';
import { likely, type Tale, unless } from './tale.ts';

const LAST = String.raw`\b(?:last|final|latest|same|only) (?:line|message|thing|output|entry|word|step)\b`;
const STAYS = oneOf(
  String.raw`\b(?:hours?|minutes?|min|days?) later\b`,
  String.raw`\b(?:the )?same (?:after|an hour|hours?|next|in the|line)\b`,
  String.raw`\b(?:after|before|since|until|at) (?:lunch|breakfast|the weekend|night|hours|an hour|half an hour|\d{1,4} ?(?:min\w*|h\b|hours?|m\b))[^\n]{0,16}\b(?:same|still|nothing|unchanged|there)\b`,
  String.raw`\bfor (?:\d{1,4}\+? ?|an?|half an|hours?|two|three|many|ever) ?(?:h\b|hours?|min\w*|m\b|days?)?`,
  String.raw`\bsince (?:\d|the|this|an?|last|yesterday|hours?)`,
  String.raw`\bno (?:exit|end|error|timeout|crash)\b|\bprocess (?:is |was )?(?:still )?(?:alive|there|running|up)\b`,
);
const HANDS = String.raw`\b(?:ctrl[-+ ]?c|\^C|SIGINT|kill -15|SIGTERM)\b[^\n]{0,16}\b(?:does|has|is|do)? ?(?:nothing|no effect|ignored|not help)`;
const NOTHING = String.raw`\b(?:sends?|gives?|produces?|generates?|returns?|delivers?|yields?|prints?|writes?|emits?|shows?) (?:no|not a single|not one|never an?y?|nothing|zero) ?(?:tokens?|answers?|bytes?|output|lines?|response|more|further|at all)?`;
const STANDS = String.raw`\b(?:sits?|sat|stands?|stood|waits?|waited|waiting|spins?|spinning|stalls?|stalled|hangs?|hanging|hung|frozen|freezes|froze|deadlock\w*|stuck|idles)\b`;
const PLACE = String.raw`(?: (?:still|there|here|for ever|forever|for hours|idle|dead|silent)\b| (?:in|at|on|before|after|behind) (?!\d+(?! ?%)|~|≈|(?:the |my )?(?:GPU|card|device|node|same|disk))\S)`;
const BAR = String.raw`\b(?:progress(?: bar)?|bar|percentage|tqdm)\b[^\n]{0,40}\b(?:stays?|stands?|stuck|does(?: not|n['’]t) move|never moves|frozen|stopped?|not moving|remains?)`;
const NEVER_PAST = String.raw`\b(?:never|not|n['’]t) (?:(?:get|gets|got|come|comes|came|go|goes|went|move|moves|make|makes) )?(?:past|beyond|further|out of|through|on from|ready|to (?:the )?(?:end|ready|serving))\b`;
const STACK = String.raw`\b(?:py-?spy|gdb|strace|pstack|faulthandler|stack dump)\b[^\n]{0,40}\b(?:sits?|shows?|says?|in|is|at|points?|stands?|only|futex|poll|wait\w*)\b`;
const IDLE_CARD = String.raw`\b(?:GPU[- ]?Util\w*|utili[sz]ation|GPUs?|SM)\b[^\n]{0,8}\b0 ?%`;
const CHINESE =
  '卡住|卡死|卡在|卡着|不动了?|(?<![显内]存)没有?(?:任何)?(?:反应|动静|响应|进展|输出|变化)|无响应|不再?(?:返回|输出|响应|出)(?: ?(?:token|结果|内容|任何))?|一直(?:停|卡|等|显示|是 ?0|没有)|停在|停滞|假死|死锁|进程(?:还|仍)在';

// A machine at the end of its RAM pages before it stops, and a card that is full may be what everybody waits for.
const SHORT = anyOf(
  'i',
  /\b(?:swap\w*|thrash\w*|pages? like|paging|oom\w*|out of memory|(?:RAM|memory|VRAM|card) (?:is |was )?(?:full|gone|exhausted|used up)|memory[^.;\n]{0,30}(?:limit\b|grow\w*)|(?:RAM|memory|VRAM|RSS|swap)\b[^.;\n]{0,20}\b(?:never|not) (?:returns?|be |comes?|given|freed|falls?|drops?)\w*|(?:9[6-9]|100) ?% (?:of )?(?:the )?(?:RAM|memory))\b/,
  /CrashLoopBackOff|内存(?:占?满|不足|爆|耗尽|用[完尽光])|显存(?:占?满|不足|爆|耗尽|用[完尽光])|交换分区/,
);

const NO_MORE = String.raw`(?:\b(?:no|not a|without (?:any|a)) (?:(?:further|more|new|other|single) )?(?:lines?|output|logs?|messages?|progress|word|tokens?|answers?|repl(?:y|ies)|response)\b|\bnothing (?:more|further|else|after (?:this|that|it))\b)`;
const WORDS = new RegExp(
  String.raw`\b(?:hangs?|hanging|hung|is stuck|gets? stuck|got stuck|stuck (?:at|in|on|for|there)|never (?:returns?|finish(?:es)?|ends|answers)|freezes|deadlocks?)\b|\b0(?:\.0)? (?:tok\w*\/s|t\/s|tokens?(?:\/s| per second))|^(?=[^\n]{0,160}(?:\d ?(?:s|sec|min|minutes?|h|hours?)\b|by hand|for ever|forever))[^\n]{0,60}?${NO_MORE}`,
  'i',
);

/** A scheduler that takes up nobody while requests wait, on however many ranks. */
export const TAKES_NOBODY: Tale = unless(
  SHORT,
  likely('none.other', /\bRunning: 0\b[^\n]{0,24}\b(?:Waiting|Pending): [1-9]/i),
);

/** A process that does nothing more and does not end: it waits for a lock, a device, a file or another process. */
export const STILL: Tale = unless(
  SHORT,
  likely(
    'none.other',
    new RegExp(`${LAST}[^\\n]{0,40}${STAYS}|${STAYS}[^\\n]{0,60}${LAST}`, 'i'),
    new RegExp(`${HANDS}|${BAR}|${STACK}`, 'i'),
    new RegExp(`^(?=[^\\n]*(?:${OF_SEVERAL.source}))[^\\n]*?${NEVER_PAST}`, 'i'),
    new RegExp(String.raw`\b(?:accepts?|takes|opens) (?:the )?(?:connections?|requests?)\b[^\n]{0,30}${NOTHING}`, 'i'),
    new RegExp(`${STANDS}${PLACE}`, 'i'),
    new RegExp(`${IDLE_CARD}[^\\n]{0,40}${STAYS}|${STAYS}[^\\n]{0,60}${IDLE_CARD}`, 'i'),
    new RegExp(CHINESE),
    anyOf(
      'i',
      /\blogs?\b (?:\w+ )?(?:quiet|silent|silence|mute)\b|\bdeaf\b/,
      /\bnothing (?:for|since|after) (?:\d|an?\b|hours|the|that)/,
      /\b(?:completions?|answers?|requests?|generate|tokens?) never\b/,
      /\b(?:never|no) (?:a |an )?(?:third|second|next|further|new|other) line\b/,
    ),
    /\bthroughputs? (?:is |are |at |of )?(?:zero|0(?:\.0)?(?![.\d]))|\bno (?:token|request|answer|prompt)s? (?:is|are|was|were)? ?(?:generated|produced|completed?|completes|finish(?:es|ed)|answered)\b(?! (?:with|late|in time|by an?|wrong\w*))/i,
    WORDS,
  ),
);

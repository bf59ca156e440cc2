import { anyOf, beside } from '../../../text/patterns.ts';
import { isNearlyFull } from './levels.ts';
import { likely, named, type Tale } from './tale.ts';

const CARD = String.raw`\b(?:GPU|card|device)(?: #?\d{1,2})?`;

/** The device, its bus or a kernel on it went wrong. */
export const FAULTS: readonly Tale[] = [
  named(
    'none.gpu-fault',
    anyOf(
      'i',
      /\billegal (?:mem\w*|access(?:es)?|address\w*)\b(?! ?=)|\bmisaligned\b/,
      /\bdevice(?:[- ]side)? asserts?\b|\bERR!|\bXid\b|\bf(?:e|a)ll(?:en)?[- ]off the bus\b/,
      /\buncorrectable\b|\b(?:row[- ]remap\w*|remapped rows|retired pages)\b|\bECC (?:errors?|count\w*)\b/,
      /\bNVLink errors?\b|\bcuda(?: runtime)? error:? ?(?:70[0-9]|71[0-9])\b|\bring \w+ timeout\b/,
      /\bGPU reset\b|\bGSP\b[^\n]{0,20}\b(?:timeout|error|rpc)|\bunspecified launch failure\b/,
      /\bmemory access faults?\b|\bengine memory CAT error\b/,
      /\b(?:GPU|UTCL2|amdgpu|VM_L2) (?:page |protection )faults?\b/,
    ),
    new RegExp(
      String.raw`${CARD} (?:is |was |has |went )?(?:lost|missing|gone|disappear\w*|vanish\w*|dropped|drops out)\b[^\n]{0,40}(?:nvidia-smi|reboot|power|bus|lspci|until)`,
      'i',
    ),
    new RegExp(
      String.raw`${CARD}\b[^\n]{0,30}\b(?:until (?:a |the )?reboot|needs? (?:a )?(?:reset|reboot|RMA)|overheat\w*)`,
      'i',
    ),
    anyOf(
      'i',
      /\bcold (?:boot|reset)\b|\b(?:reseat\w*|RMA)\b/,
      /\b(?:moved?|moving|put) (?:it )?(?:to|on) another (?:node|card|machine|GPU|slot)\b[^\n]{0,24}\b(?:fine|ok|works?|good|clean|gone)\b/,
      /\bHealth\b[^\n]{0,16}\b(?:Alarm|Critical)\b|\bXID_ERRORS\b|\bROW_REMAP\w*/,
      /\bUnknown Error\b[^\n]{0,20}\bnvidia-smi|\bnvidia-smi\b[^\n]{0,20}\bUnknown Error|\bshows? 0 ?W\b/,
      /\bD state\b/,
    ),
    // What draws more than its supply gives.
    anyOf(
      'i',
      /\bnvidia-smi -pl\b/,
      /\bpower[- ](?:supply|limit)\b[^\n]{0,40}\b(?:holds?|stable|helps?|fixed|lowered|too)\b|\bPSU\b/,
      /\b(?:box|machine|host|PC|tower|computer|server)\b[^\n]{0,24}\b(?:switch(?:es|ed) off|powers? off|goes dark|reboots? by itself|turns off)\b/,
      /\b(?:box|machine|host|PC|tower|computer|server|system)\b[^.;\n]{0,16}\b(?:crash(?:es|ed)|dies|died|black screen|power[- ]cycles?) and (?:then )?(?:reboots?|rebooted|restarts? itself)\b|\bhard[- ](?:reset|reboot)s?\b(?! (?:was |is )?(?:needed|required|by hand))/,
      /电源功率|自动(?:关机|重启|断电)/,
    ),
    /芯片[^\n]{0,6}掉|掉了?卡|非法(?:内存)?(?:访问|地址|指令)|显卡掉线|卡掉了/,
  ),
];

// Beside a memory that is full nobody knows whose fault a crash is.
function besideRoom(tale: Tale): Tale {
  return { ...tale, tells: (text) => tale.tells(text) && !isNearlyFull(text) };
}

/** A process that ended on its own code: a crash that is told with its kind, or an end without any failure. */
export const CRASHES: readonly Tale[] = [
  besideRoom(
    likely(
      'none.other',
      anyOf(
        'i',
        /\bseg(?:mentation)?[- ]?faults?\b|\bSIG(?:SEGV|ABRT|ILL|FPE)\b/,
        /\b(?:rc|code|status|exit(?:s|ed)?(?: with)?)[ :=]{1,2}(?:13[249]|136|-11|-6|-4)\b|\bcore dump\w*/,
        /\bstack overflow\b|\bdouble free\b|\bhalts? on an? assert\w*|段错误|核心转储/,
      ),
    ),
  ),
  named(
    'none.other',
    // A machine that sleeps, and answers that make no sense.
    anyOf(
      'i',
      /\b(?:lid|App Nap|screen ?saver|sleep mode|suspend(?:s|ed)?|hibernat\w+)\b[^\n]{0,40}\b(?:stop(?:s|ped)?|paus\w+|resum\w+|clos\w+)/,
      /!{4,}|\bempty (?:content|answers?|repl(?:y|ies)|responses?|completions?)\b|\bover and over\b/,
      /\bthe same (?:answer|token|word|sentence)s?\b|\b(?:garbage|gibberish|nonsense)\b/,
      /\brepeats? (?:itself|the same)\b|乱码|复读|答非所问|重复输出/,
    ),
  ),
  named(
    'none.other',
    anyOf(
      'i',
      /\b(?:exit(?:s|ed)?|ends?|ended|finish(?:es|ed)|terminated)(?: again)?(?: \w+){0,2}[ :=]{1,2}(?:code |status |rc ?=? ?)?0\b(?![.,]?\d)(?! ?%)/,
      /\brc ?= ?0\b(?!\.)|\b(?:exit(?:s|ed)?|ends?|ended|stops?|pods?|job)\b[^\n]{0,24}\bCompleted\b/,
      /\b(?:state|status|reason|shows?|is|as|in|says?)\b[^\n]{0,16}\bCompleted\b|退出码[为是 ]{0,2}0(?!\.)/,
    ),
    beside(
      String.raw`\b(?:entry ?point|script|wrapper|command|shell|CMD|PID 1)\b`,
      String.raw`(?:\bin the background\b|\bbackgrounds\b|\band then ends\b|\bruns? to (?:its )?end\b|\bends at once\b|\bnohup\b| & )`,
      60,
    ),
  ),
];

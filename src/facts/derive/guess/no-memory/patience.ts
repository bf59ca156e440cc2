import { beside } from '../../../text/patterns.ts';
import { likely, named, type Tale, unless } from './tale.ts';

const KNOB = String.raw`(?:\b(?:(?:initialDelay|period|timeout|progressDeadline|activeDeadline)Seconds|failureThreshold)\b|\b(?:liveness|startup|readiness|health)[- ]?(?:probes?|checks?)\b|\bprobes?\b|\bstart_period\b|\bTimeoutStartSec\b|\bload timeout\b|\bOLLAMA_LOAD_TIMEOUT\b|探针|存活检[查测]|健康检[查测]|就绪检[查测])`;
const ENDS = String.raw`(?:\b(?:kill(?:s|ed|ing)?|restart(?:s|ed|ing)?|terminat\w*|143|137|SIGTERM|SIGKILL|shot|gone|stopp?(?:s|ed)?|ends|ended|gives? up|times? out|too (?:short|early|impatient|soon))\b|杀|重启|终止|超时)`;
const GRACE = String.raw`(?:\b(?:termination)?grace ?period\w*|\bterminationGracePeriod\w*|\bstop_grace_period\b|\bTimeoutStopSec\b|\bdocker stop\b|\bpreStop\b|\bTerminating\b|\bscale[- ]?down\b|优雅(?:退出|停机|终止)|缩容)`;
const AGE = String.raw`\d{1,4} ?(?:s|sec\w*|seconds|min\w*|m|秒|分钟?)\b(?: ?\d{1,2} ?s\b)?`;
const EACH = String.raw`(?:\b(?:each|every) (?:time|turn|start|attempt|round|try)|\balways\b|\bexactly\b|\bon the dot\b|\bto the second\b|\bsame (?:age|second|moment|minute)\b|每次|总是|正好|刚好)`;
const KILLED = String.raw`(?:\b(?:kill(?:s|ed)|restart(?:s|ed)|terminated|stopped|143|137|SIGTERM|gone|ends|ended)\b|被?杀|重启)`;

const NOT_KNOWN =
  /\bwhether (?:an?y?|the) probe|\bprobes? (?:unknown|not known|are off)|\bprobes? (?:is|are|were) (?:all |both )?(?:fine|ok|green|off|not)\b|\b(?:no|without) probes?\b/i;

/** Somebody ran out of patience: a probe while it loads, a grace period while it goes on to answer. */
const LOADS = String.raw`(?:\b(?:load\w*|start(?:s|ing|-?up)?|boots?|shards?|weights|ready|download\w*)\b|加载|启动)`;
// It served, or a memory is told of: what ended it may be what was asked for, or that.
const BUSY = String.raw`(?:\b(?:users?|clients?|requests?|prompts?|images?|limits?|memory|RAM)\b|\d ?Gi?B?\b|并发|请求|内存)`;

export const PATIENCE: readonly Tale[] = [
  unless(
    NOT_KNOWN,
    named(
      'none.probe-kill',
      beside(KNOB, ENDS, 120),
      beside(GRACE, ENDS, 120),
      /\brestarted before (?:the (?:model|server|engine|load)|it|loading) (?:is|was|has|had|can|could|gets?|got) (?:been )?(?:\w+ )?(?:ready|loaded|finished|up|done)\b/i,
      /\/(?:health|healthz|ready|readyz|live|livez|ping)\b[^\n]{0,24}\b(?:(?:takes?|took) (?!\d{1,3} ?ms\b)|slow\w*|late|times? out|timed out|longer|more than)\b|\b(?:missed|failed|misses) (?:\w+ ){0,3}in a row\b[^\n]{0,60}\b(?:NotReady|not ready|restart\w*|kill\w*|remov\w*)/i,
      beside(KNOB, String.raw`\b(?:load\w*|start\w*|warm\w*)(?: \w+){0,2} (?:takes?|needs?|lasts?) `, 80),
      /\b143\b(?! ?(?:[GMK]i?B|tok|req|s\b|ms\b))(?<![.\d]143)|\bspot (?:node|instance|VM)s?\b[^\n]{0,40}\b(?:drain\w*|reclaim\w*|taken|gone|interrupt\w*|preempt\w*)|\bSIGTERM\b/i,
      new RegExp(String.raw`^(?=[^\n]*\b143\b)(?=[^\n]*${EACH})[^\n]*\b(?:load\w*|start\w*|ready|shards?)\b`, 'i'),
    ),
  ),
  likely(
    'none.probe-kill',
    new RegExp(String.raw`^(?![^\n]*${BUSY})(?=[^\n]*${KILLED})(?=[^\n]*${EACH})(?=[^\n]*${LOADS})[^\n]*${AGE}`, 'i'),
  ),
];

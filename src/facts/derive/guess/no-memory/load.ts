import { anyOf, beside, oneOf } from '../../../text/patterns.ts';
import { likely, named, type Tale } from './tale.ts';

const POOL_FULL = String.raw`(?:\b(?:kv|cache|pool|token usage|blocks?)\b[^.;\n]{0,30}?(?:\b(?:9[5-9](?:\.\d+)?|100) ?%|\b0\.9[5-9]\d*\b|\b1\.0+\b|\bfull\b)|\b(?:9[5-9]|100) ?%[^.;\n]{0,16}\b(?:kv|cache|pool)\b|(?:KV|缓存|池)[^。；\n]{0,12}(?:打?满|100 ?%|9[5-9] ?%))`;
const WAITING = String.raw`(?:\b(?:queue[sd]?|queue-req|queu(?:e|ing)\w*|waiting|waits?|p9[59]|latency|TTFT|slow\w*|late|time out)\b|排队|等待|变慢|延迟)`;
const ARRIVES = String.raw`(?:\ball (?:\w+ )?(?:answers?|requests?|answered)\b|\bno (?:restarts?|crash\w*|errors?|failures?)\b|\bnothing (?:crash\w*|fails|failed|breaks)\b|\bin the end\b|\beventually\b|\buptime\b|\bkeeps (?:serving|answering|running)\b|\b(?:server|engine|process|pod|it) (?:goes|runs|carries) on\b|\bno 5(?:xx|\d\d)s?\b|\bsuccess\w*[^.;\n]{0,16}\b(?:ris(?:es|ing)|climb\w*|grow\w*)\b|没有?(?:重启|崩溃|报错)|最(?:终|后)都)`;

/** A pool that is full and those who wait for it. */
export const FULL_POOL: readonly Tale[] = [
  named(
    'none.preemption-warning',
    /\bnum_preemptions\w*|\bpreempt(?:ions?|ed|s)\b(?! (?:notice|node|instance|VM|by))(?<!(?:spot|node|pod|job|was|got|been) preempt\w{1,4})|\bretract(?:ed|ions?|s)?\b|抢占|被换出/i,
    beside(POOL_FULL, ARRIVES, 120),
  ),
  likely('none.preemption-warning', beside(POOL_FULL, WAITING, 120)),
];

const STATUS = oneOf('400', '413', '422');
const ASKED = oneOf(
  'requests?',
  'prompts?',
  'inputs?',
  'clients?',
  'users?',
  'callers?',
  'messages?',
  'payloads?',
  '请求',
  '用户',
);
const OTHERS = oneOf(
  String.raw`\b(?:everybody|everyone|all|any|the) (?:else|others?|rest)\b`,
  String.raw`\bothers? (?:are|is|work|go|get|requests)`,
  String.raw`\b(?:the next|a short(?:er)?) (?:one|curl|request|prompt)`,
  '其他(?:请求|用户|都)|别的请求|短的',
);

// What a server refuses from the start on it was set to refuse.
function asConfig(tale: Tale): Tale {
  return { ...tale, starting: 'none.config' };
}

/** One request that is not taken, and a server that goes on. */
export const REFUSED_REQUEST: readonly Tale[] = [
  asConfig(
    named(
      'none.request-rejected',
      new RegExp(
        String.raw`\b(?:HTTP(?:\/1\.1)?|status(?: code)?|code|answers?(?: with)?|answered(?: with)?|returns?|returned|gets?|got|gives?|with|an?|error|response|:|=>?|->|sometimes|always|just|only|["'“])s? ?(?:an? |only )?${STATUS}\b(?! ?(?:[KMGT]i?B|req|tok|users?|W\b|s\b|ms|%|tokens|MHz|times|clients|images|layers))`,
        'i',
      ),
      new RegExp(String.raw`(?:返回|报|状态码)[^\n]{0,4}${STATUS}(?!\d)`, 'i'),
      beside(
        String.raw`\b${ASKED}[^.;\n]{0,24}\b(?:reject\w*|refused|turned (?:away|down)|not (?:taken|accepted))`,
        OTHERS,
        80,
      ),
      /\bBadRequestError\b|\bUnprocessable\b/,
      /\b(?:one|single|this|that) (?:request|prompt|user|client)\b[^\n]{0,30}\b(?:reject\w*|refused|too long|over the limit)\b|请求[^\n]{0,8}(?:被拒|过长|超长|超过[^\n]{0,8}(?:长度|限制))/i,
    ),
  ),
];

const RATE = String.raw`\d[\d.,]{0,6} ?(?:tok(?:en)?s?\/s(?:ec)?|t\/s|tps\b|tokens? per second|tok\/s|it\/s|token\/s|个?token\/秒)`;

/** What is slow, and nothing else. */
export const SLOW: readonly Tale[] = [
  likely(
    'none.other',
    new RegExp(String.raw`${RATE}[^\n]{0,80}?${RATE}`, 'i'),
    new RegExp(String.raw`${RATE}[^\n]{0,40}?\b(?:gives?|now|only|then|became|is|with|on)\b[^\n]{0,12}?\d`, 'i'),
    anyOf(
      'i',
      /\b(?:tok(?:en)?s?\/s(?:ec)?|t\/s|tps|throughput|speed|decode)\b[^\n]{0,24}\b(?:fell|falls|dropp?(?:s|ed)|went|sank|down|halved|from)\b[^\n]{0,12}\d/,
      /\b(?:clocks?|thermal\w*|throttl\w*)\b[^\n]{0,30}\b(?:held|down|slow\w*|active|limit\w*|hot)\b/,
      /\b(?:compil\w+|warm\w* up|captur\w+|tun(?:ed|ing))\b[^\n]{0,24}\b(?:at|on|for|with|during|by) (?:the )?(?:first|each|every)\b/,
      /\bfirst (?:request|token|call)\b[^\n]{0,60}\b(?:second|next|later|then)\b[^\n]{0,24}\b\d|重新?编译/,
      /首 ?token[^\n]{0,8}\d+ ?秒/,
    ),
    new RegExp(String.raw`\d[\d.]{0,6}[^\n\d]{0,12}(?:->|→|to|instead of|against|vs\.?|降到|变成|掉到) ?${RATE}`, 'i'),
    anyOf(
      'i',
      /\b(?:is|are|was|just|only|very|too|so|runs?|got|gets|getting|becomes?|became|loads?|loading) (?:very |much |too |so )?slow(?:er|ly)?\b/,
      /\bslow, (?:but )?not\b/,
      /\b(?:takes?|took|needs?|lasts?) (?:\w+ )?\d[\d.]* ?(?:min\w*|h|hours?)\b[^\n]{0,60}\b(?:second|next|later|then|normal|fine|after that)\b/,
      /\b(?:gluster\w*|ceph\w*|lustre|EFS|s3fs|GCS ?fuse|JuiceFS|NAS)\b|\bcreeps\b(?! up)/,
      /\b(?:NFS|network share|SMB|HDD|spinning disk|S3|USB)\b[^\n]{0,60}\b(?:min(?:utes)?|hours?|slow\w*)\b/,
      /\b(?:TTFT|latency|throughput|prefill|decode) (?:is |was |has )?(?:\w+ )?(?:worse|higher|lower|doubled|halved|drops?|dropped|up from|went)\b/,
      /变慢|机械(?:硬)?盘|加载[^\n]{0,6}\d+ ?(?:分钟|小时)|很慢|太慢|速度[^\n]{0,8}(?:慢|下降|降)/,
    ),
  ),
];

import { anyOf } from '../../text/patterns.ts';

const INTERVAL = String.raw`(?:\d{1,3}(?:\.\d)?(?: ?(?:-|to|or) ?\d{1,3})?|a few|a couple of|several|an?|one|two|three|four|five|six|eight|ten|twelve|few|couple of)`;
const UNIT = '(?:h|hours?|days?|nights?|weeks?|weekends?)';
const EVERY = String.raw`(?:\bgaps? (?:of|between) \d{1,3}|\b(?:(?:about|roughly|around|approximately) )?(?:every|once (?:in|per|an?|every|each)|each|after)(?: (?:about|roughly|around|some|second|other))? [~≈]?(?:${INTERVAL} ?(?:or so )?)?${UNIT}\b|\b(?:daily|nightly|hourly|once a day|twice a day)\b|[每隔][^\n，。]{0,6}(?:小时|天|晚|周)|(?:大概|大约|约)?[两三四五几\d]+(?:小时|天)[^\n，。]{0,4}[一必]次?)`;
const ENDS = String.raw`(?:\b(?:OOM(?:s|ed|-?Kill(?:ed|ing|s))?|killed|dies|died|crash(?:es|ed)?|restart(?:s|ed)?|goes down|goes|is gone|evicted|out of memory)\b|挂|崩|重启|被杀)`;
const ENDS_EVERY = new RegExp(`${ENDS}[^\\n;]{0,40}${EVERY}|${EVERY}[^\\n;]{0,40}${ENDS}`, 'i');
const AFTER_WORK =
  /\b(?:after|takes) (?:~|about|roughly|some|around)?\s?\d[\d,]{1,9}k?(?:-?ish|\+)? (?:\w+ )?(?:requests?|prompts?|calls|images|adapters|documents|conversations)\b[^\n]{0,40}\b(?:gone|must be restarted|needs? a restart|dies|died|OOM\w*|is killed|goes down)/i;
// A kill for RAM that takes its time.
const IN_THE_END =
  /\b(?:eventually|after (?:running |serving )?(?:for )?(?:some time|a (?:long )?while|a long time))\b[^\n;.]{0,60}\b(?:OOM-?Kill(?:ed|er|s)?|killed (?:by|due to|for) (?:the )?(?:OOM|kernel|oom-killer|out of memory))\b/i;
// How long it lives, told as a figure.
const AGE = anyOf(
  'i',
  /\b(?:time|uptime|hours|lifetime|age|lived) (?:to|until|till|before|at)(?: each| every| the| an?)? (?:OOM|kill|restart|crash|death|end)\w*[^\n]{0,24}\d ?(?:h|hours?|d|days?)\b/,
  /\b(?:OOM\w*|kills?|killed|restarts?|restarted|crash\w*)\b[^\n]{0,12}\d{1,4} (?:times )?in \d{1,3} (?:days|weeks|hours)\b/,
  /\b\d{1,4} (?:OOM ?kills?|restarts|crashes) in \d{1,3} (?:days|weeks)\b/,
);
// More room only makes it last longer.
const LASTS =
  /\b\d{1,4} ?[GM]i?B? (?:lives?|lasts?|survives?|holds?)(?: for)? \d[^\n]{1,40}\b\d{1,4} ?[GM]i?B? (?:lives?|lasts?|survives?|holds?)(?: for)? \d/i;
const PLANNED = anyOf(
  'i',
  /\b(?:cron\w*|nightly|every night|each night|every morning|every weekend|daily|every \d{1,3} ?(?:h|hours))\b[^\n]{0,48}\b(?:restart\w*|rollout|recycl\w*)\b/,
  /\b(?:restart(?:s|ed|ing)?|rollout|recycl\w+)\b[^\n]{0,48}\b(?:every (?:night|day|morning|weekend|\d{1,3} ?(?:h|hours))|nightly|daily|each night)/,
  /只能(?:定期|每天)?重启/,
);
const OF_MEMORY = /\b(?:mem\w*|RAM|RSS|VRAM|OOM\w*|leak\w*|saw-?tooth)\b|显存|内存|oom/i;
const SIZED = /\b\d{1,5} ?[GM]i?B?\b/;
// What ends at one age by a clock, or for another reason that is told.
const BY_OTHERS =
  /\b(?:drain\w*|upgrade[sd]?|cron of|rotate\w*|rate limit\w*|max-age|backups?|ECC|sidecar|certificates?|probe|liveness|spot|preempt\w*|token expir\w*|certificate|timeout|deploy every|Xid|illegal|segfault|NCCL)\b/i;

/** Where a line tells that a process ends for want of memory again and again, at one age or after so much work. */
export function cadenceIn(text: string): number | undefined {
  if (BY_OTHERS.test(text)) return undefined;
  const found = OF_MEMORY.test(text)
    ? (ENDS_EVERY.exec(text) ?? AFTER_WORK.exec(text) ?? IN_THE_END.exec(text) ?? AGE.exec(text))
    : null;
  const bySize = OF_MEMORY.test(text) || SIZED.test(text) ? (PLANNED.exec(text) ?? LASTS.exec(text)) : null;
  return (found ?? bySize)?.index;
}

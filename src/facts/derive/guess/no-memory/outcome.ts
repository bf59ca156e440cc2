import { anyOf } from '../../../text/patterns.ts';
import { says } from './speech.ts';

const FAILURE = anyOf(
  'i',
  /\b(?:oom\w*|out of memory|kill(?:s|ed)|shot|crash\w*|dies|died|dying|(?<!\d ?[GM]i?B )gone|vanish\w*|disappear\w*|abort\w*|terminated|evict\w*|fail(?:s|ed|ures?|ing)?|errors?|exceptions?|exit(?:s|ed)|exit(?:s|ed)? code|restart(?:s|ed)|restarts? of|refus\w*|(?:does|did|will|do|can)(?: not|n['’]t|not) (?:start|come up|fit|load|survive)|won['’]t (?:start|load|fit)|breaks?|(?:is|are|was|were|gets?|got|has been|have been) (?:lost|dead|down|unavailable|unreachable)|dead (?:server|engine|process|container|worker|pod)|(?:went|goes) down|ends|ended|limit is hit|hits? (?:its |the |a )?(?:\w+ )?limit|too (?:big|large|much)|no room|answers? (?:with )?50[0-4]|137|139|143)\b/,
  /[,;] (?:down|gone|dead)\b|崩溃|崩了|失败|被(?:系统|内核)?杀|杀死|退出|重启|挂掉|挂了|消失|没了|不够|不足|溢出|爆|起不来|无法启动|启动不了/,
);
const GOES_WELL = anyOf(
  'i',
  /\b(?:(?:server|service|engine|it|model|everything|all|both|others?|pod|requests?|prompts?)(?: \w+){0,2} (?:(?:answers?|responds?)(?! (?:with )?\d)|serves?|works?|runs?|ready|(?:is|are) (?:fine|ok|normal|healthy|answered|served|happy|good))|(?:is|are|were|gets?|being) (?:answered|served)|answers (?:fine|normally|in time|arrive)|up and (?:running|answering|serving|ready)|works? (?:fine|well|normally|as designed|as before)|all (?:is )?(?:fine|well|good|ok|normal)|(?:server|service|rest) (?:fine|ok|good)|health[^\n]{0,12}\b200\b|nothing (?:failed|fails|breaks|restarted|died|ended|is wrong|broke|crashed|happened|else)|no (?:crash\w*|errors?|restarts?|failures?|complaints?|oom\w*|problems?)|without (?:any )?incidents?|never (?:stopped|crashed|restarted)|uptime|serving|not dead)\b/,
  /能正常|业务(?:都|也|一切)?正常|一切正常|服务正常|推理正常|运行正常|可以正常|正常(?:回答|返回|响应|服务|推理|使用)|没有?(?:崩溃|报错|重启|失败|异常)|没崩/,
);

/** Whether a text tells of an end, a refusal or a start that did not succeed. */
export function tellsOfFailure(text: string): boolean {
  return says(text, FAILURE);
}

const END = anyOf(
  'i',
  /\b(?:kill(?:s|ed)|shot|crash\w*|dies|died|gone|vanish\w*|disappear\w*|abort\w*|terminated|evict\w*|exits|exited|exit(?:s|ed)? code|ends|restart(?:s|ed)|137|CrashLoopBackOff)\b/,
  /崩溃|崩了|被(?:系统|内核)?杀|杀死|退出|重启|挂掉|挂了|消失|没了|命令行/,
);

const LACK =
  /\boom(?:[- _]?kill\w*|s|ed)?\b|\bout[- ]of[- ](?:\w+[- ])?memory\b|OutOfMemory|\bMemoryError\b|\bbad_alloc\b|[显内]存(?:不足|溢出|不够|耗尽)/i;

/** Whether a text names a want of memory, whoever else is to blame. */
export function tellsOfLack(text: string): boolean {
  return says(text, LACK);
}

/** Whether a text tells that a process came to an end. */
export function tellsOfEnd(text: string): boolean {
  return says(text, END);
}

/** Whether a text tells that there is service. */
export function goesWell(text: string): boolean {
  return GOES_WELL.test(text);
}

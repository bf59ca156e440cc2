import { type Finding, known } from '../../pod/finding.ts';
import { anyOf } from '../../text/patterns.ts';
import type { Evidence } from '../evidence.ts';
import { toldLines } from '../growth/growth-noted.ts';
import { readToldGrowth } from '../growth/told-growth.ts';
import { says } from '../guess/no-memory/speech.ts';
import { quotedPhrases } from '../guess/quoted-phrases.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { POOL_REFUSED } from '../guess/told/pool-refused.ts';
import { STILL_LOADING } from '../guess/told/still-loading.ts';
import { isProved } from './proved.ts';
import { rowsOfStart } from './rows-of-start.ts';
import type { Life } from './time-of-life.ts';

const NEVER = String.raw`\b(?:(?:does|did|do|will|would|can|could|is|was)(?:n['’]?t| not)|never|not|cannot|fail(?:s|ed)? to|refuses? to|unable to|no longer|neither|nor)\b(?: \w+){0,2}? (?:starts?|started|come up|comes? up|came up|boots?|loads?|launch(?:es)?|initiali[sz]e|be loaded|get (?:up|past|ready|through|to ready)|got (?:up|past|ready|through)|become ready|ready|fits?)\b|\b(?:is|was|are|were)(?:n['’]?t| not| never) (?:yet )?up\b`;
const AMID = String.raw`\b(?:while|when|during|amid|on|at|in|as it|after|before|until|of|in the middle of) (?:the |it |its |a )?(?:model |weights? |shards? |checkpoint |engine |server |first |every |each |cold |(?:CUDA |HPU )?graphs? ){0,2}(?:is |was |are |were )?(?:load(?:s|ing)?|start(?:s|ing|-?up)?|boot(?:ing)?|launch(?:ing)?|init\w{0,12}|import\w{0,3}|warm-?up|capture|compil\w{1,6}|quanti[sz]ing|download(?:ing|s)?)\b(?! (?:test|balanc\w+|of \d|average)|ed\b|,? (?:it|the \w+) (?:uses?|used|takes?|took|had|has|held) (?:only |about |some |just )?\d)`;
const STEPS = String.raw`\bnew (?:[\w-]+ ){0,2}pods? (?:initially |at first |first )?(?:fails?|crash(?:es)?|encounters?|runs? out|OOMs?)\b|\bsafetensors \d+ ?\/ ?\d+|\bnever passes\b|\bbefore "?(?:the )?(?:server|application)\b|\bNCCL version line\b|\b(?:lived|after) \d{1,2} s\b|\b\d{1,2} s after (?:the )?start|\bbefore the weights\b|\bwarm(?:ing)?[- ]?up\b|\b(?:memory )?profil(?:e|ing)[ _]run\b|\bduring (?:the )?(?:\w+ )?profiling\b|\b(?:KV cache|ready) line (?:is|was) (?:not|never)\b|\bbefore the KV cache line\b|\bweights are in\b|\bserver is fired up\b|(?:->|=>) (?:refuses|exits at once)\b|\bshards? \d{1,4}\b|\b\d{1,3} ?(?:%|percent) (?:of the (?:dots|shards|weights|load|bar)|loaded)|\bmodel load\b|\bbefore (?:it is |being |it was |it got |anything )?(?:ready|served)\b|\b(?:warm-?up|start(?:-?up)?|init\w{0,12}|NCCL init) (?:is where|does(?:n['’]?t| not)|never|fails|stops)|\b(?:first|during the) (?:all[-_]?reduce|handshake)\b|\btorch\.compile is at work\b|\branks first talk\b|\bgets? past it\b|\bwhile (?:each|every|all) (?:rank|worker|card)\w* (?:makes?|sets? up|builds?|takes?|reads?|loads?)\b|\bcrash\w* on start\b|\b(?:full|whole|entire) (?:checkpoint|state[_ ]dict)\b|\beven with (?:an? )?(?:very )?(?:small|low|little|short|tiny|minimal)(?:er)? (?:--)?(?:max[-_ ]model[-_ ]len|context[-_ ]length)|\bwhile (?:[\w-]+ ){1,4}(?:is|are|was|were) (?:being )?(?:loaded|initiali[sz]ed|started|built|created|compiled)\b|\b(?:actors?|workers?|engines?|replicas?|ranks?) (?:is|are|was|were) (?:being )?(?:created|initiali[sz]ed)\b|${STILL_LOADING}|${POOL_REFUSED}|\bat start(?:-?up)?\b(?!,? (?:it|the \w+) (?:uses?|used|takes?|took|had|has|held|is|was) (?:only |about |some |just )?\d)|\b(?:load|start|launch) (?:stops|ends|fails|dies|breaks)\b|\b(?:re)?loading (?:an?|the|any|one|two|this|that) [^.;,\n]{0,60}\b(?:OOMs?|out of memory)\b`;
const STARTS_ZH = String.raw`加载[^\n]{0,12}(?:到|时|中|过程|模型|权重|分片)|启动(?:时|失败|不了|不起来|过程|阶段|就|后就)|(?:无法|不能|没法)(?:启动|加载)|起不来|个分片|分片（|初始化|图捕获|预热`;
/** What people say of something that did not come up, or went before it had. */
const STARTING = anyOf('i', NEVER, AMID, STEPS, STARTS_ZH);

const WORK =
  'requests?(?! of)|prompts?|prefills?|(?:prompt_|top_)?logprobs|wak(?:es?|ing) ?up|training|backward(?: pass)?|optimi[sz]er steps?|epochs?|rollouts?|users?|clients?|traffic|load tests?|lm[-_]eval\\w*|(?:under|at|with|high|heavy|same|full) load|benchmark\\w*|locust|concurren\\w+|(?<![-_/])chats?(?! model)|questions?|paste\\w*|conversations?|generat(?:es|ing|ion)|inference|streams?|batch(?:es)?|uploads?|posts?|documents?|images(?! \\d)|multi-?images?|multi-?turn|pictures?|photos?|videos?|clips?|audio|batch files?|sessions?|agents?(?! (?:container|sidecar))|turns?|callers?|contexts (?:up to|of|over|beyond) \\d+\\w?|(?<=\\d ?k )contexts|haystack|kv[ _-]?cache usage|kv[ _-]?cache[^.;\\n]{0,24} exhausted|peak(?: hours?)?';
/** What people say of something that was at work. */
const SERVING = new RegExp(
  String.raw`\b(?:${WORK})\b|\b(?:after|for|over|within|inside) (?:an?|some|a few|several|two|three|\d{1,4}) ?(?:s|min|minutes?|h|hours?|days?|weeks?)\b|请求|請求|并发|並發|对话|對話|推理|压测|问答|上传|提问|用户|轮|[图圖]片`,
  'i',
);
// Where another setting is told to start, what failed did not.
const STARTS_ELSEWHERE = anyOf(
  'i',
  /(?<!\b(?:traceback|trace|log|excerpt|output|paste|line|text) )\b(?:starts?|started|(?:comes?|came) up|boots?|loads?|(?:turns?|gets?|becomes?) ready|fits?|launches)\b/,
  /(?:可以|能|才能|正常)(?:启动|加载)|启动(?:成功|正常)|加载(?:成功|正常)/,
);
const THEN =
  /\b(?:starts?|started|(?:comes?|came) up|loads?|boots?)\b[^.;\n]{0,16}(?:,|\band\b|\bbut\b) ?(?:then|after|serves|runs)\b/i;

// Shared memory of the ranks, and caches that are set aside at once.
const TAKEN_AT_START =
  /\bbus error\b|--ipc[= ]host\b|\bshm[-_]size\b|\bhi(?:erarchical-)?cache\b|\bhicache|\bLM_?CACHE|\bexperts? on (?:the )?CPU\b|--swap-space\b/i;

// The work itself is told to end for want of memory.
const WORK_FAILED =
  /\b(?:requests?|prompts?|inputs?|\/?wak(?:e|es|ing)[-_ ]?up|prefills?|generation|inference)\b[^.;:,\n]{0,24}\b(?:fails?|failed|dies|died|crash(?:es|ed)|kills?|killed|ends?|ended|raise[sd]?|throws?|threw|cause[sd]?|triggers?|triggered|hits?|leads? to|results? in)\b[^.;\n]{0,40}(?:out[- ]of[- ]memory|OutOfMemory|\bOOM)|\b(?:after|on|upon|at|during) (?:the |each |every )?(?:wak(?:e|ing)[-_ ]?up|first request|a request|prefill|inference)\b[^.;\n]{0,24}\b(?:OOM|out[- ]of[- ]memory)/i;

/** Whoever says that a request ended for want of memory dates a log of the start alone, in which nothing failed. */
export function workThatFailed(evidence: Evidence): Finding<Life> | undefined {
  if (isProved(evidence)) return undefined;
  const line = remarkLines(evidence).find(({ text }) => says(text, WORK_FAILED));
  return line && known<Life>('serving', line.from);
}

// A sentence of an engine that people quote is said at one time.
function quotedLife(evidence: Evidence): Finding<Life> | undefined {
  const quoted = quotedPhrases(evidence).find(({ phrase }) => phrase.phase === 'startup' || phrase.phase === 'burst');
  return quoted && known<Life>(quoted.phrase.phase === 'startup' ? 'starting' : 'serving', quoted.from);
}

/** When in its life it failed, as people tell it: the last resort. It makes nothing certain. */
export function lifeAsTold(evidence: Evidence): Finding<Life> | undefined {
  const lines = [...remarkLines(evidence), ...rowsOfStart(evidence)];
  const told = (test: (text: string) => boolean, life: Life) => {
    const line = lines.find(({ text }) => test(text));
    return line && known<Life>(life, line.from);
  };
  const growth = readToldGrowth(toldLines(evidence))[0];
  if (growth !== undefined) return known<Life>('serving', growth.from);
  return (
    told((text) => says(text, WORK_FAILED), 'serving') ??
    quotedLife(evidence) ??
    told((text) => STARTING.test(text), 'starting') ??
    told((text) => SERVING.test(text) || THEN.test(text), 'serving') ??
    told((text) => STARTS_ELSEWHERE.test(text) || TAKEN_AT_START.test(text), 'starting')
  );
}

import type { LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { known, type Reading } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tailLines } from '../evidence/tail-lines.ts';
import { citeHit } from '../evidence/weigh.ts';
import { beginsAsOfStart } from './start-lines.ts';
import { isOfStart, isSetUp } from './start-modules.ts';

// What engines of all makes say while they start, in the order of a start.
const STARTS = anyOf(
  'i',
  /\bPOST \/[\w/]{0,40}\bmodels?\/load\b/,
  /\b(?:re)?load(?:s|ing|ed)?\b[^.:]{0,40}\b(?:models?|weights?|checkpoints?|tensors?|shards?|pipelines?|adapters?)\b/,
  /\b(?:models?|weights?|tensors?)\b[^.:]{0,20}\bload(?:ing|ed)\b/,
  /\b(?:initiali[sz]|launch|start)ing\b[^.:]{0,30}\b(?:server|engine|model|backend|runner|worker|pipeline)s?\b/,
  /\bwarm(?:ing)?[- ]?up\b|\bdownload(?:ing|ed)\b|\bquantiz(?:ing|ed)\b/,
);
// What they say at work.
const SERVES = anyOf(
  'i',
  /\b(?:POST|GET) \/|\b(?:new |received |incoming )?requests?\b(?!ed|:\s*$)/,
  /\bprompt (?:processing|eval)|\bprompt tokens\b|\bprocessing prompt/,
  /\bgenerat(?:ing|ed|ion)\b(?![^.:]{0,30}\b(?:auth\w*|keys?|secrets?|certificates?|config\w*|kernels?|code|schema|ids?)\b)/,
  /\btok(?:en)?s?\/s\b|\bprefill\b|\bdecod(?:e|ing)\b|\bchat\/completions\b/,
  /\binference (?:request|step|time)|\btranscri(?:be|bing|ption)\b|\bcompute[ _]log[ _]probs?\b/,
  /\bupdate (?:policy|actor|critic)\b/,
);
// Names of features that hold a word of work: what an engine says of them it says while it is set up.
const FEATURES = anyOf(
  'gi',
  /\b(?:chunked|piecewise|breakable|optimistic|disaggregated|partial|full) prefills?\b/,
  /\b(?:prefill|decode)[- ](?:only|server|backend|context|cuda|attention|kernels?|graphs?)\b/,
  /\bprefill for MLA\b|\b(?:speculative|guided|constrained|structured|spec)[- ]decod\w+/,
  /\bgenerating GPU P2P access cache\b|--[a-z][\w-]*|\bPD disaggregation\b|\btext-generation\b/,
);

// What the report itself says was being done when memory ran out.
const AT_WORK = anyOf(
  'i',
  /\b(?:during|while|in) (?:the |an? )?(?:inference|generat\w{2,4}|prefill\w{0,3}|decod\w{1,3}|prediction|completion|transcription)\b/,
  /\b(?:embed|rerank|predict|generate|prefill|decode)(?:_\w{1,12})?\{(?:inputs|parameters|id)=/,
  /\b(?:inference|generation|prediction|completion|request|transcription) (?:error|fail\w{0,4})\b/,
  /\bEngineGenerateError\b|\bprocessing prompt\b|推理|生成/,
);
const FAILED = /out[ _]of[ _](?:device |gpu )?memory|\booms?\b|[显内]存/i;

/**
 * When a failure was, by the words of the lines above it: the last of them that speaks of a start or of work. The last
 * resort, for engines whose milestones nobody knows.
 */
export function lifeInWords({ log, weighing }: Evidence): Reading<'starting' | 'serving'> | undefined {
  const failed = weighing.decisive;
  if (log.main === undefined || failed === undefined || failed.file !== log.main.file) return undefined;
  const own = lifeOfReport(failed.hit.text);
  if (own !== undefined) return known(own, citeHit(failed));
  const lines = tailLines(log.main);
  return datedBy(lines.filter(({ line }) => line < failed.hit.line)) ?? workOfRay(lines) ?? startOfEngine(lines);
}

/** The same where nothing decides: by the last line that speaks of a start or of work, whoever wrote it. */
export function lifeOfLastWords({ log, weighing }: Evidence): Reading<'starting' | 'serving'> | undefined {
  if (log.main === undefined || weighing.decisive !== undefined) return undefined;
  return datedBy(tailLines(log.main));
}

function datedBy(lines: readonly LineCitation[]): Reading<'starting' | 'serving'> | undefined {
  const last = lines.findLast((line) => lifeOf(line) !== undefined);
  const life = last && lifeOf(last);
  if (life !== undefined && last !== undefined) return known(life, last);
  const set = lines.find(({ text }) => isSetUp(text));
  return set && known('starting', set);
}

// Ray names a process by the call that it is in; `execute_method` and `__ray_call__` carry calls of both times.
const RAY_AT_WORK = /\bray::\w{1,80}\.\w{0,40}(?:generate|rollout|log_prob|update_|train|\bfit\b|predict|infer)/;

// An engine that is built: the frame, and the call below one whose frame is cut away (vllm-project/vllm
// engine/async_llm_engine.py, v1/engine/core.py; sgl-project/sglang srt/managers/scheduler.py, tp_worker.py).
const BUILDS =
  /, in from_engine_args\b|\b\w{0,20}Engine\.from_engine_args\(|= EngineCoreProc\(\*args|= executor_class\(vllm_config|= Scheduler\(\s*server_args|= TpModelWorker\(/;

function startOfEngine(lines: readonly LineCitation[]): Reading<'starting'> | undefined {
  const line = lines.find(({ text }) => BUILDS.test(text));
  return line && known('starting', line);
}

function workOfRay(lines: readonly LineCitation[]): Reading<'serving'> | undefined {
  const line = lines.find(({ text }) => RAY_AT_WORK.test(text));
  return line && known('serving', line);
}

function lifeOfReport(text: string): 'starting' | 'serving' | undefined {
  const said = cleanLine(text).clean;
  const before = said.slice(0, FAILED.exec(said)?.index);
  if (AT_WORK.test(before)) return 'serving';
  return STARTS.test(before) ? 'starting' : undefined;
}

function lifeOf({ text }: LineCitation): 'starting' | 'serving' | undefined {
  const { promptAt, echoAt } = findMasks(text);
  const own = cleanLine(text.slice(0, Math.min(promptAt, echoAt))).clean;
  if (isOfStart(own) || beginsAsOfStart(own) || STARTS.test(own)) return 'starting';
  return SERVES.test(own.replace(FEATURES, '')) ? 'serving' : undefined;
}

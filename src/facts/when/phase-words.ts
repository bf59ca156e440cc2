import type { LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { known, type Reading } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tailLines } from '../log/tail-lines.ts';

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

/**
 * When a failure was, by the words of the lines above it: the last of them that speaks of a start or of work. The last
 * resort, for engines whose milestones nobody knows.
 */
export function lifeInWords({ log, weighing, engine }: Evidence): Reading<'starting' | 'serving'> | undefined {
  const failed = weighing.decisive;
  if (log.main === undefined || failed === undefined || failed.file !== log.main.file) return undefined;
  const lines = tailLines(log.main);
  const above = lines.filter(({ line }) => line < failed.hit.line);
  // What a script or a scheduler says of its settings dates no failure of an engine.
  return (engine.engine === 'unknown' ? spokenLife(above) : datedBy(above)) ?? startOfEngine(lines);
}

/** The same where nothing decides: by the last line that speaks of a start or of work, whoever wrote it. */
export function lifeOfLastWords({ log, weighing }: Evidence): Reading<'starting' | 'serving'> | undefined {
  // A line of the kernel decides which memory it was, and leaves the last words of the log what they are.
  if (log.main === undefined || weighing.decisive?.file === log.main.file) return undefined;
  return datedBy(tailLines(log.main));
}

function spokenLife(lines: readonly LineCitation[]): Reading<'starting' | 'serving'> | undefined {
  const last = lines.findLast((line) => lifeOf(line) !== undefined);
  const life = last && lifeOf(last);
  return life && last && known(life, last);
}

function datedBy(lines: readonly LineCitation[]): Reading<'starting' | 'serving'> | undefined {
  const spoken = spokenLife(lines);
  if (spoken !== undefined) return spoken;
  const set = lines.find(({ text }) => isSetUp(text));
  return set && known('starting', set);
}

// An engine that is built: the frame, and the call below one whose frame is cut away (vllm-project/vllm
// engine/async_llm_engine.py, v1/engine/core.py; sgl-project/sglang srt/managers/scheduler.py, tp_worker.py).
const BUILDS =
  /, in from_engine_args\b|\b\w{0,20}Engine\.from_engine_args\(|= EngineCoreProc\(\*args|= executor_class\(vllm_config|= Scheduler\(\s*server_args|= TpModelWorker\(/;

function startOfEngine(lines: readonly LineCitation[]): Reading<'starting'> | undefined {
  const line = lines.find(({ text }) => BUILDS.test(text));
  return line && known('starting', line);
}

function lifeOf({ text }: LineCitation): 'starting' | 'serving' | undefined {
  const { promptAt, echoAt } = findMasks(text);
  const own = cleanLine(text.slice(0, Math.min(promptAt, echoAt))).clean;
  if (STARTS.test(own)) return 'starting';
  return SERVES.test(own.replace(FEATURES, '')) ? 'serving' : undefined;
}

// What an engine logs of its settings, its platform and its communication. Most of it is said once, at the start; some may be
// said of a request, so that it counts where no line speaks of either time.
const SET_UP = [
  /\b(?:is|are|was|were|been)(?: now| automatically)? (?:(?:en|dis)abled|turned o(?:n|ff))\b|\b(?:en|dis)abling\b|\bturn(?:s|ing)? o(?:n|ff)\b/i,
  /\bdefaulting to\b|\bby default\b|\bfall(?:s|ing)? ?back to\b|\b(?:is|are) (?:set|adjusted|reset|forced|changed) (?:to|as)\b/i,
  /\bus(?:e|ing) (?:the )?(?:default )?[\w./+-]{1,40}(?: [\w-]{1,30}){0,3} (?:backend|kernels?|config\w*|implementation)\b/i,
  /\bautomatically (?:reduce|set|detect)|\bsubject to change\b|\b(?:up|down)?casting \S{1,30} to\b|\bsub-?optimal\b|\bdeprecated\b/i,
  /\binit(?:iali[sz]\w{1,4})? (?:torch |custom )?(?:distributed|process group)\b|\bnccl==|\bcustom (?:quick )?all-?reduce\b/i,
];
const LOGGED = /^\[?(?:\d{4}-\d\d-\d\d|\d\d[/:]\d\d)|\b(?:INFO|WARN(?:ING)?|DEBUG)\b/;

/** Whether a line of a log tells how its program is set up. */
function isSetUp(line: string): boolean {
  return LOGGED.test(line) && SET_UP.some((one) => one.test(line));
}

import type { Citation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import type { Cause } from '../../../model/taxonomy.ts';
import { known } from '../../pod/finding.ts';
import { endsNothing, goesOn } from '../../scan/life-signs.ts';
import { findMasks } from '../../scan/mask.ts';
import { isRunning } from '../death/death.ts';
import { fact, type Group } from '../draft.ts';
import { type Exception, firstException } from '../error/exception.ts';
import { readLayer } from '../error/layer.ts';
import { headless, isDeath } from '../error/raised.ts';
import { readStage } from '../error/stage.ts';
import type { Evidence } from '../evidence.ts';
import { FAILS } from '../guess/family.ts';
import { quotesAnother } from '../guess/remarks.ts';
import { FAMILIES } from '../guess/vocabulary.ts';
import { isGuess } from '../guess/words.ts';
import { goesRound, linesOfNoWeight, RETRIES, warnedInPassing } from '../weigh/of-no-weight.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';
import { readEndsInNccl } from './ends-in-nccl.ts';
import { killReports, readKilledAlone } from './killed-alone.ts';
import { readSidePool } from './side-pool.ts';
import { readTimedOut } from './timed-out.ts';
import { readVanished, readWorkerLost } from './vanished.ts';
import { readWorkDone } from './work-done.ts';

/** What the log says, weighed. */
export function deriveLog(evidence: Evidence): Group {
  const { weighing, log } = evidence;
  const { decisive, looksLike } = weighing;
  const last = lastLine(log.main);
  const silent = <T extends string | boolean>(value: T) => last && known(value, last);
  const hint = firstHint(evidence);
  const stage = readStage(evidence);
  const error = firstError(evidence);
  const complaint = firstComplaint(evidence);
  const guess = guessOf(evidence);
  return {
    'log.first-plane': decisive && fact(decisive.phrase.plane, [citeHit(decisive)]),
    'log.first-cause': decisive && causeOf(decisive),
    'log.looks-like': looksLike && causeOf(looksLike),
    'log.hint-plane': hint ? fact(planeOfHint(hint), [citeHit(hint)]) : silent('nothing'),
    'log.hint-cause': hint && (causeInWords(hint) ?? causeOf(hint)),
    'log.child-killed': killed(evidence) ?? silent(false),
    'log.killed-alone': readKilledAlone(
      evidence,
      complaint !== undefined || terminated(evidence, complaint) !== undefined,
    ),
    'log.terminated': terminated(evidence, error) ?? silent(false),
    'log.error-seen': error ? known(true, error) : silent(false),
    'log.ends-in-silence': silence(evidence, error),
    'log.side-pool-full': readSidePool(evidence) ?? silent(false),
    'log.blames-another': guess ? known(true, guess) : silent(false),
    'log.ends-in-nccl': readEndsInNccl(evidence, error),
    'log.work-done': readWorkDone(evidence, error),
    'log.timed-out': readTimedOut(evidence, error),
    'log.vanished': readVanished(evidence, error),
    'log.worker-lost': readWorkerLost(evidence),
    'log.ends-in-load': last && known(LOADS.test(last.text), last),
    'log.layer': readLayer(evidence),
    'log.stage': stage ? fact(stage.stage, [stage.from]) : silent('nothing'),
  };
}

// Pages that could not be locked: the engine says so and takes ordinary ones. A rank that is waited for: what keeps it stands
// elsewhere. They tell something where nothing else does.
const WARNED = /^(?:host\.lock-limit|llamacpp\.pinned|vllm\.run\.shm-broadcast|vllm\.cfg\.no-platform)$/;

const WAITS = /^vllm\.run\.shm-broadcast$/;

// Who waits for one that is dead waits for nothing else.
function isOfDead({ phrase }: Weighed, { log }: Evidence): boolean {
  return WAITS.test(phrase.id) && log.main !== undefined && tailLines(log.main).some(({ text }) => isDeath(text));
}

const STEP_ONLY = /\.frame|\.graph-failed$|\.kv-config$/;

// A frame tells what was being done; beside an error of another kind it is no hint at memory.
function firstHint(evidence: Evidence): Weighed | undefined {
  const hints = evidence.weighing.hints.filter(
    (one) =>
      planeOfHint(one) !== undefined &&
      (STEP_ONLY.test(one.phrase.id) || !goesRound(one.hit.text)) &&
      !isOutlived(one, evidence) &&
      !isOfDead(one, evidence),
  );
  const said =
    hints.find(({ phrase }) => !STEP_ONLY.test(phrase.id) && !WARNED.test(phrase.id)) ??
    hints.find(({ phrase }) => WARNED.test(phrase.id));
  if (said !== undefined || guessOf(evidence) !== undefined) return said;
  const exception = firstException(evidence);
  if (exception === undefined) return quotesAnother(evidence) ? undefined : hints[0];
  return hints.find((one) => isRefusedPin(one, exception));
}

// The runtime answers a want of page-locked RAM with "invalid argument" too, and the innermost frame of the error asks for it.
function isRefusedPin({ phrase, hit }: Weighed, { type, message, from }: Exception): boolean {
  if (phrase.id !== 'cuda.pinned.frame' || from.kind !== 'line') return false;
  const above = from.line - hit.line;
  return REFUSED_PIN.test(`${type}: ${message}`) && above > 0 && above <= INNERMOST_LINES;
}

const REFUSED_PIN = /: (?:CUDA|HIP) error: invalid argument$/;

/** A frame takes two lines and, from Python 3.11 on, a third that marks the place. */
const INNERMOST_LINES = 3;

// A line may leave the plane open and name a cause all the same.
function planeOfHint({ phrase }: Weighed): 'gpu' | 'host' | 'none' | undefined {
  if (phrase.plane === 'gpu' || phrase.plane === 'host' || phrase.plane === 'none') return phrase.plane;
  const plane = phrase.causes[0]?.split('.')[0];
  return plane === 'gpu' || plane === 'host' || plane === 'none' ? plane : undefined;
}

// What points at a start that will fail is untrue of one that came to its end.
function isOutlived(hint: Weighed, evidence: Evidence): boolean {
  const { hit, phrase, file } = hint;
  if (RETRIES.test(phrase.id)) return wentOn(hint, evidence);
  if (phrase.phase !== 'startup') return false;
  return evidence.engine.milestones.some(
    ({ milestone, from }) =>
      (milestone === 'ready' || milestone === 'served') &&
      from.kind === 'line' &&
      from.file === file &&
      from.line > hit.line,
  );
}

function wentOn({ hit, file }: Weighed, evidence: Evidence): boolean {
  const later = evidence.weighing.all.filter((one) => one.file === file && one.hit.line > hit.line);
  if (later.some(({ phrase }) => goesOn(phrase.id))) return true;
  return isRunning(evidence) && firstError(evidence) === undefined;
}

/** The cause that a line names by itself; undefined where it decides the plane alone. */
export function causeOf(weighed: Weighed): Fact | undefined {
  return fact(weighed.phrase.causes[0], [citeHit(weighed)]);
}

// A message of many causes may repeat, in the same line, the one that it had.
function causeInWords(hint: Weighed): Fact | undefined {
  if (hint.phrase.plane !== 'none') return undefined;
  const { promptAt, echoAt } = findMasks(hint.hit.text);
  const own = hint.hit.text.slice(0, Math.min(promptAt, echoAt));
  const named = FAMILIES.find(
    ({ plane, weight, starting, pattern }) =>
      plane === 'none' && weight === FAILS && NAMED.has(starting) && pattern.test(own),
  );
  return named && fact<string>(named.starting, [citeHit(hint)]);
}

const NAMED: ReadonlySet<Cause> = new Set(['none.gpu-fault', 'none.driver']);

const KILLED =
  /^(?:host\.(?:child-sigkill|signal-killed|dataloader-killed|killed-word(?:\.translated)?)|tgi\.shard\.signal)$/;
const SIGNAL_9 = /^-?9$|^SIGKILL$|^137$/i;

function killed({ weighing }: Evidence): Fact | undefined {
  const hits = weighing.all.filter(
    ({ hit, phrase }) =>
      (KILLED.test(phrase.id) && phrase.weight !== 'context') ||
      SIGNAL_9.test(hit.captures.code ?? hit.captures.sig ?? ''),
  );
  return fact(hits.length > 0 ? true : undefined, hits.map(citeHit));
}

// Transformers and vLLM, SGLang, KTransformers, llama.cpp. At 100 % the load is over.
const LOADS =
  /\b[Ll]oading (?:[\w-]{1,20} ){0,2}(?:shards|weights): {0,8}\d{1,2}%|\bloading \S{0,80}(?:layers|blk)\.\d{1,4}\.\S{1,120} to \w|\bload_tensors: loading model tensors\b|\bRunai Model Streamer: {1,8}\d{1,2}%|\[RunAI Streamer\] CPU Buffer size:|^Read throughput is [\d.]{1,12} GB per second$/;

// The words of servers that close in order: uvicorn, gunicorn, vLLM, SGLang, TGI, Triton. One that ends on an error closes, too.
const CLOSES =
  /\bSIGTERM\b|\bsignal received, starting graceful shutdown|^Signal \(15\) received|\bShutting down FastAPI|\bFinished server process\b|\bHandling signal: term\b|\bApplication shutdown complete\b|\bWaiting for (?:application shutdown\.|connections to close)|\b(?:stopped|shut down) (?:cleanly|gracefully)\b/;

function terminated({ weighing, log }: Evidence, error: Citation | undefined): Fact | undefined {
  const hits = weighing.all.filter(({ phrase }) => phrase.id === 'vllm.die.terminated');
  if (hits.length > 0) return fact(true, hits.map(citeHit));
  const stopped = interruption({ weighing, log });
  if (stopped !== undefined) return known(true, stopped);
  if (error !== undefined || log.main === undefined) return undefined;
  const closes = tailLines(log.main).find(({ text }) => CLOSES.test(ownWords(text)));
  return closes && known(true, closes);
}

const INTERRUPTED = /^(?:\[rank\d{1,4}\]:?\s+)?KeyboardInterrupt\s*$/;

// Python's word for signal 2, where nothing but frames stands above it: who ends a rank so is its parent, or somebody at a keyboard.
function interruption({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Citation | undefined {
  if (log.main === undefined || weighing.decisive !== undefined || firstException({ log }) !== undefined)
    return undefined;
  const points = weighing.hints.some((one) => !STEP_ONLY.test(one.phrase.id) && planeOfHint(one) !== undefined);
  return points ? undefined : tailLines(log.main).find(({ text }) => INTERRUPTED.test(headless(text)));
}

const TRACEBACK = /\bTraceback \(most recent/;
const ERROR = new RegExp(
  String.raw`${TRACEBACK.source}|(?:^|\s|\])(?:ERROR|CRITICAL|FATAL)\b|(?:Error|Exception)(?::|\()|\bpanicked at\b|^\s*raise\b`,
);

function guessOf({ log }: Evidence): Citation | undefined {
  return log.main === undefined ? undefined : tailLines(log.main).find(({ text }) => isGuess(ownWords(text)));
}

/** The first sign of a failure: a weighed line that is one, else an error in what the log ends with. */
function firstError(
  { weighing, log }: Evidence,
  isSign: (weighed: Weighed) => boolean = isFailure,
  reports: ReadonlySet<number> = new Set(),
): Citation | undefined {
  const hit = weighing.all.find((weighed) => isSign(weighed));
  if (hit !== undefined) return citeHit(hit);
  if (log.main === undefined) return undefined;
  const passed = warnedInPassing(weighing);
  const ofNoWeight = linesOfNoWeight(weighing);
  // A wrapper decides nothing, but the traceback that begins in its line is one.
  const isMute = ({ line, text }: { line: number; text: string }) => ofNoWeight.has(line) && !TRACEBACK.test(text);
  return tailLines(log.main).find(
    (line) => ERROR.test(ownWords(line.text)) && !isMute(line) && !reports.has(line.line) && !passed(line),
  );
}

// A line may repeat settings or a user's words: neither is an error of the engine.
function ownWords(text: string): string {
  return text.slice(0, findMasks(text).echoAt);
}

function isFailure(weighed: Weighed): boolean {
  const { weight, id, plane } = weighed.phrase;
  if (weight === 'context') return id.includes('.die.');
  if (weight === 'hint') return id.includes('.frame') || (plane === 'host' && !id.startsWith('note.'));
  return !endsNothing(weighed.phrase);
}

// What complains beside the report of a kill.
function firstComplaint(evidence: Evidence): Citation | undefined {
  const reports = killReports(evidence).map(({ hit }) => hit.line);
  return firstError(evidence, (one) => isFailure(one) && !isOfHost(one), new Set(reports));
}

function isOfHost({ phrase }: Weighed): boolean {
  return phrase.plane === 'host' && phrase.weight === 'hint';
}

function silence({ log }: Evidence, error: Citation | undefined): Fact | undefined {
  const last = log.main === undefined ? undefined : tailLines(log.main).at(-1);
  if (last === undefined) return undefined;
  return known(error === undefined, error ?? last);
}

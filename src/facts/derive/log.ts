import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { known } from '../pod/finding.ts';
import { findMasks } from '../scan/mask.ts';
import { isRunning } from './death.ts';
import { fact, type Group } from './draft.ts';
import type { Evidence } from './evidence.ts';
import { type Exception, firstException } from './exception.ts';
import { readLayer } from './layer.ts';
import { GOES_ON, linesOfNoWeight, RETRIES, warnedInPassing } from './of-no-weight.ts';
import { readStage } from './stage.ts';
import { lastLine, tailLines } from './tail-lines.ts';
import { citeHit, isLesser, type Weighed } from './weigh.ts';
import { isGuess } from './words.ts';

/** What the log says, weighed. */
export function deriveLog(evidence: Evidence): Group {
  const { weighing, log } = evidence;
  const { decisive, looksLike } = weighing;
  const last = lastLine(log.main);
  const silent = <T extends string | boolean>(value: T) => last && known(value, last);
  const hint = firstHint(evidence);
  const stage = readStage(evidence);
  const error = firstError(evidence);
  const guess = guessOf(evidence);
  return {
    'log.first-plane': decisive && fact(decisive.phrase.plane, [citeHit(decisive)]),
    'log.first-cause': decisive && causeOf(decisive),
    'log.looks-like': looksLike && causeOf(looksLike),
    'log.hint-plane': hint ? fact(planeOfHint(hint), [citeHit(hint)]) : silent('nothing'),
    'log.hint-cause': hint && causeOf(hint),
    'log.child-killed': killed(evidence) ?? silent(false),
    'log.terminated': terminated(evidence, error) ?? silent(false),
    'log.error-seen': error ? known(true, error) : silent(false),
    'log.ends-in-silence': silence(evidence, error),
    'log.blames-another': guess ? known(true, guess) : silent(false),
    'log.ends-in-nccl': last && known(NCCL_SETS_UP.test(last.text), last),
    'log.ends-in-load': last && known(LOADS.test(last.text), last),
    'log.layer': readLayer(evidence),
    'log.stage': stage ? fact(stage.stage, [stage.from]) : silent('nothing'),
  };
}

// Pages that could not be locked: the engine says so and takes ordinary ones. It tells something where nothing else does.
const WARNED = /^(?:host\.lock-limit|llamacpp\.pinned)$/;

const STEP_ONLY = /\.frame|\.graph-failed$/;

// A frame tells what was being done; beside an error of another kind it is no hint at memory.
function firstHint(evidence: Evidence): Weighed | undefined {
  const hints = evidence.weighing.hints.filter((one) => planeOfHint(one) !== undefined && !isOutlived(one, evidence));
  const said =
    hints.find(({ phrase }) => !STEP_ONLY.test(phrase.id) && !WARNED.test(phrase.id)) ??
    hints.find(({ phrase }) => WARNED.test(phrase.id));
  if (said !== undefined || guessOf(evidence) !== undefined) return said;
  const exception = firstException(evidence);
  return exception === undefined ? hints[0] : hints.find((one) => isRefusedPin(one, exception));
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
  if (later.some(({ phrase }) => GOES_ON.test(phrase.id))) return true;
  return isRunning(evidence) && firstError(evidence) === undefined;
}

/** The cause that a line names by itself; undefined where it decides the plane alone. */
export function causeOf(weighed: Weighed): Fact | undefined {
  return fact(weighed.phrase.causes[0], [citeHit(weighed)]);
}

const KILLED =
  /^(?:host\.(?:child-sigkill|signal-killed|dataloader-killed|killed-word(?:\.translated)?)|tgi\.shard\.signal)$/;
const SIGNAL_9 = /^-?9$|^SIGKILL$|^137$/i;

function killed({ weighing }: Evidence): Fact | undefined {
  const hits = weighing.all.filter(
    ({ hit, phrase }) => KILLED.test(phrase.id) || SIGNAL_9.test(hit.captures.code ?? hit.captures.sig ?? ''),
  );
  return fact(hits.length > 0 ? true : undefined, hits.map(citeHit));
}

// NCCL_DEBUG=INFO; a start that hangs or breaks off there waits for a peer. `Init COMPLETE` means that it was done.
const NCCL_SETS_UP = /\bNCCL (?:INFO|WARN) (?!.*Init COMPLETE)/;

// Transformers and vLLM, KTransformers, llama.cpp. At 100 % the load is over.
const LOADS =
  /\bLoading (?:[\w-]{1,20} ){0,2}(?:shards|weights): {0,8}\d{1,2}%|\bloading \S{0,80}(?:layers|blk)\.\d{1,4}\.\S{1,120} to \w|\bload_tensors: loading model tensors\b/;

// The words of servers that close in order: uvicorn, gunicorn, vLLM, SGLang, TGI, Triton. One that ends on an error closes, too.
const CLOSES =
  /\bSIGTERM\b|\bsignal received, starting graceful shutdown|^Signal \(15\) received|\bShutting down FastAPI|\bFinished server process\b|\bHandling signal: term\b|\bApplication shutdown complete\b|\b(?:stopped|shut down) (?:cleanly|gracefully)\b/;

function terminated({ weighing, log }: Evidence, error: Citation | undefined): Fact | undefined {
  const hits = weighing.all.filter(({ phrase }) => phrase.id === 'vllm.die.terminated');
  if (hits.length > 0) return fact(true, hits.map(citeHit));
  if (error !== undefined || log.main === undefined) return undefined;
  const closes = tailLines(log.main).find(({ text }) => CLOSES.test(ownWords(text)));
  return closes && known(true, closes);
}

const ERROR =
  /\bTraceback \(most recent|(?:^|\s|\])(?:ERROR|CRITICAL|FATAL)\b|(?:Error|Exception)(?::|\()|\bpanicked at\b|^\s*raise\b/;

function guessOf({ log }: Evidence): Citation | undefined {
  return log.main === undefined ? undefined : tailLines(log.main).find(({ text }) => isGuess(ownWords(text)));
}

/** The first sign of a failure: a weighed line that is one, else an error in what the log ends with. */
function firstError({ weighing, log }: Evidence): Citation | undefined {
  const hit = weighing.all.find((weighed) => isFailure(weighed));
  if (hit !== undefined) return citeHit(hit);
  if (log.main === undefined) return undefined;
  const passed = warnedInPassing(weighing);
  const ofNoWeight = linesOfNoWeight(weighing);
  return tailLines(log.main).find(
    (line) => ERROR.test(ownWords(line.text)) && !ofNoWeight.has(line.line) && !passed(line),
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
  return !isLesser(weighed);
}

function silence({ log }: Evidence, error: Citation | undefined): Fact | undefined {
  const last = log.main === undefined ? undefined : tailLines(log.main).at(-1);
  if (last === undefined) return undefined;
  return known(error === undefined, error ?? last);
}

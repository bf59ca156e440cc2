import { goesOn } from '../../read/log/signs-of-work.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { type Exception, firstException } from '../evidence/exception.ts';
import { goesRound, RETRIES } from '../evidence/ignored-lines.ts';
import { isDeath } from '../evidence/raised-exception.ts';
import { isRunning } from '../evidence/running-instance.ts';
import { tailLines } from '../evidence/tail-lines.ts';
import { isBeside, isOfEitherMemory, type Weighed } from '../evidence/weigh.ts';
import { namesPoolOfGgml } from '../guess/pool-of-ggml.ts';
import { firstError, guessOf } from './first-error.ts';

// Pages that could not be locked: the engine says so and takes ordinary ones. A rank that is waited for: what keeps it stands
// elsewhere. They tell something where nothing else does.
const WARNED = /^(?:host\.lock-limit|llamacpp\.pinned|vllm\.run\.shm-broadcast|vllm\.cfg\.no-platform)$/;

const WAITS = /^vllm\.run\.shm-broadcast$/;

// Who waits for one that is dead waits for nothing else.
function isOfDead({ phrase, hit }: Weighed, { log }: Evidence): boolean {
  if (!WAITS.test(phrase.id) || log.main === undefined) return false;
  return tailLines(log.main).some(({ text, line }) => isDeath(text) || (line > hit.line && FAILED.test(text)));
}

// A server that tries one program after another: what the first of them died of is not that the next does not know the file.
const OF_NEXT = /^ggml\.bad-magic$/;
const FIRST_DIED = /\bdesc = error reading from server: EOF\b/;
// The frame of the first call to the device, above the error that it ended with.
const FIRST_CALL = /^torch\.cuda\.lazy-init$/;

function isTriedFor({ phrase, hit }: Weighed, evidence: Evidence): boolean {
  if (FIRST_CALL.test(phrase.id)) return firstException(evidence) !== undefined;
  const { main } = evidence.log;
  if (main === undefined) return false;
  const lines = tailLines(main);
  if (FETCHES.test(phrase.id)) return lines.some(({ line, text }) => line > hit.line && LOADS.test(text));
  return OF_NEXT.test(phrase.id) && lines.some(({ line, text }) => line < hit.line && FIRST_DIED.test(text));
}

// Whoever loads has its files.
const FETCHES = /^nim\.cfg\.fetch$/;
const LOADS = /\b[Ll]oading (?:[\w-]{1,20} ){0,3}shards: /;

// vllm-project/vllm vllm/v1/engine/core.py, run_engine_core; a wait that ran out says so itself.
const FAILED = /\bEngineCore (?:failed to start|encountered a fatal error)\b/;

// ggml aborts by itself where its pool can not grow (ggml-org/ggml src/ggml-cuda/ggml-cuda.cu, ggml_cuda_error).
function isEndOfPool({ phrase, hit, file }: Weighed, { log }: Evidence): boolean {
  if (phrase.id !== 'native.crash' || log.main?.file !== file) return false;
  return tailLines(log.main).some(({ text, line }) => line < hit.line && namesPoolOfGgml(text));
}

/** Phrases that tell a step of the work and no failure. */
export const STEP_ONLY = /\.frame|\.graph-failed$|\.kv-config$/;

/** The first line that points at something; a frame tells what was being done, and beside an error of another kind hints at nothing. */
export function firstHint(evidence: Evidence): Weighed | undefined {
  const hints = evidence.weighing.hints.filter(
    (one) =>
      planeOfHint(one) !== undefined &&
      (STEP_ONLY.test(one.phrase.id) || !goesRound(one.hit.text)) &&
      !isOutlived(one, evidence) &&
      !isOfDead(one, evidence) &&
      !isTriedFor(one, evidence) &&
      !isEndOfPool(one, evidence),
  );
  const said =
    hints.find(({ phrase }) => !STEP_ONLY.test(phrase.id) && !WARNED.test(phrase.id)) ??
    hints.find(({ phrase }) => WARNED.test(phrase.id));
  if (said !== undefined || guessOf(evidence) !== undefined) return said;
  const exception = firstException(evidence);
  if (exception === undefined) {
    return hints.find((one) => isShortOfPinned(one, evidence)) ?? hints[0];
  }
  return hints.find((one) => isRefusedPin(one, exception));
}

// The frames of the load stand above it, and what the innermost one asked for is RAM.
function isShortOfPinned(one: Weighed, { weighing }: Evidence): boolean {
  return one.phrase.id === PINS && weighing.all.some((other) => isOfEitherMemory(other) && isBeside(one, other));
}

const PINS = 'cuda.pinned.frame';

// The runtime answers a want of page-locked RAM with "invalid argument" too, and the innermost frame of the error asks for it.
function isRefusedPin({ phrase, hit }: Weighed, { type, message, from }: Exception): boolean {
  if (phrase.id !== PINS || from.kind !== 'line') return false;
  const above = from.line - hit.line;
  return REFUSED_PIN.test(`${type}: ${message}`) && above > 0 && above <= INNERMOST_LINES;
}

const REFUSED_PIN = /: (?:CUDA|HIP) error: invalid argument$/;

/** A frame takes two lines and, from Python 3.11 on, a third that marks the place. */
const INNERMOST_LINES = 3;

/** A line that names a cause and leaves open whether it was memory at all, where nothing points anywhere. */
export function openHint({ weighing }: Evidence): Weighed | undefined {
  return weighing.hints.find((one) => one.phrase.causes.length > 0 && planeOfHint(one) === undefined);
}

/** What a hint points at: a line that leaves the plane open names it by its likeliest cause, unless it may be no memory at all. */
export function planeOfHint({ phrase }: Weighed): 'gpu' | 'host' | 'none' | undefined {
  if (phrase.plane === 'gpu' || phrase.plane === 'host' || phrase.plane === 'none') return phrase.plane;
  const planes = phrase.causes.map((cause) => cause.split('.')[0]);
  const [plane] = planes;
  if (plane === 'none') return planes.every((one) => one === 'none') ? plane : undefined;
  return plane === 'gpu' || plane === 'host' ? plane : undefined;
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

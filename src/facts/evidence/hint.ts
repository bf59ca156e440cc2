import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { Cause } from '../../model/taxonomy.ts';
import { findMasks } from '../../read/log/mask.ts';
import { endsNothing, goesOn } from '../../read/log/signs-of-work.ts';
import { known } from '../../read/reading.ts';
import { fact } from '../log/draft.ts';
import { kindOf } from '../log/exception-kind.ts';
import { firstException } from '../log/first-exception.ts';
import { LOG } from '../log/needs.ts';
import { isGuess } from '../log/peer-death.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import { defineFacts } from './define.ts';
import { type Evidence, isRunning } from './evidence.ts';
import { goesRound, linesOfNoWeight, RETRIES, warnedInPassing } from './ignored-lines.ts';
import { citeHit, OF_SOME_POD, type Weighed } from './weigh.ts';

/** What lines that decide nothing hint at, and whether there is any error. */
export const HINT_FACTS = defineFacts(
  {
    'log.hint-plane': {
      unit: 'choice',
      values: ['gpu', 'host', 'none', 'nothing'],
      says: 'what some line hints at',
      needs: LOG,
    },
    'log.hint-cause': {
      unit: 'choice',
      values: [...Cause.options],
      says: 'cause that some line hints at',
      needs: LOG,
    },
    'log.error-seen': {
      unit: 'yes-no',
      says: 'the log holds an error, a traceback or the death of an engine',
      saysNot: 'the log holds no error',
      needs: LOG,
    },
    'log.side-pool-full': {
      unit: 'yes-no',
      says: 'a cache or buffer pool next to the KV pool is full, and the engine goes on without it',
      needs: LOG,
    },
  },
  (evidence) => {
    const hint = firstHint(evidence);
    const error = firstError(evidence);
    const last = lastLine(evidence.log.main);
    return {
      'log.hint-plane': hint ? fact(planeOfHint(hint), [citeHit(hint)]) : last && known('nothing', last),
      'log.hint-cause': causeOfHint(hint ?? openHint(evidence)),
      'log.error-seen': error ? known(true, error) : last && known(false, last),
      'log.side-pool-full': readSidePool(evidence) ?? (last && known(false, last)),
    };
  },
);

function causeOfHint(hint: Weighed | undefined): Fact | undefined {
  return hint && (causeInWords(hint) ?? fact(hint.phrase.causes[0], [citeHit(hint)]));
}

const CAUSE_OF_KIND: Readonly<Record<string, Cause>> = { 'gpu-fault': 'none.gpu-fault', driver: 'none.driver' };

// A message with many causes may repeat, in the same line, the one that it had.
function causeInWords(hint: Weighed): Fact | undefined {
  if (hint.phrase.plane !== 'none') return undefined;
  const { promptAt, echoAt } = findMasks(hint.hit.text);
  const own = hint.hit.text.slice(0, Math.min(promptAt, echoAt));
  return fact<string>(CAUSE_OF_KIND[kindOf({ type: '', message: own })], [citeHit(hint)]);
}

// LMCache, Mooncake's store and Triton's buffer pools take their memory at the start, and none for what does not fit.
const FULL = /^(?:lmcache\.pool-full|mooncake\.(?:store|put)-full|triton\.(?:pool-falls-back|pinned-full))$/;

function readSidePool({ weighing }: Evidence): Fact | undefined {
  const hits = weighing.all.filter(({ phrase }) => FULL.test(phrase.id));
  return hits.length > 0 ? known(true, ...hits.slice(0, 3).map(citeHit)) : undefined;
}

// Pages that could not be locked: the engine says so and takes ordinary ones. A rank that is waited for: what keeps it stands
// elsewhere. They tell something where nothing else does.
const WARNED = /^(?:host\.lock-limit|llamacpp\.pinned|vllm\.run\.shm-broadcast|vllm\.cfg\.no-platform)$/;

/** Phrases that tell a step of the work and no failure. */
export const STEP_ONLY = /\.frame|\.graph-failed$|\.kv-config$/;

/** The first line that points at something; a frame tells what was being done, and beside an error of another kind hints at nothing. */
function firstHint(evidence: Evidence): Weighed | undefined {
  const hints = evidence.weighing.hints.filter(
    (one) =>
      planeOfHint(one) !== undefined &&
      (STEP_ONLY.test(one.phrase.id) || !goesRound(one.hit.text)) &&
      !isOutlived(one, evidence),
  );
  const said =
    hints.find(({ phrase }) => ![STEP_ONLY, WARNED, OF_SOME_POD].some((one) => one.test(phrase.id))) ??
    hints.find(({ phrase }) => WARNED.test(phrase.id));
  if (said !== undefined) return said;
  const { main } = evidence.log;
  const isGuessed = main !== undefined && tailLines(main).some(({ text }) => isGuess(ownWords(text)));
  return isGuessed || firstException(main) !== undefined ? undefined : hints[0];
}

/** A line that names a cause and leaves open whether it was memory at all, where nothing points anywhere. */
function openHint({ weighing }: Evidence): Weighed | undefined {
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

const TRACEBACK = /\bTraceback \(most recent/;
const ERROR = new RegExp(
  String.raw`${TRACEBACK.source}|(?:^|\s|\])(?:ERROR|CRITICAL|FATAL)\b|(?:Error|Exception)(?::|\()|\bpanicked at\b|^\s*raise\b`,
);

/** The first sign of a failure: a weighed line that is one, else an error in what the log ends with. */
export function firstError(
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

/** A line without the settings or a user's words that it may repeat: neither is an error of the engine. */
export function ownWords(text: string): string {
  return text.slice(0, findMasks(text).echoAt);
}

/** Whether a weighed line is of a failure. */
export function isFailure(weighed: Weighed): boolean {
  const { weight, id, plane } = weighed.phrase;
  if (weight === 'context') return id.includes('.die.');
  if (weight === 'hint') return id.includes('.frame') || (plane === 'host' && !id.startsWith('note.'));
  return !endsNothing(weighed.phrase);
}

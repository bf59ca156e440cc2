import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { Cause } from '../../model/taxonomy.ts';
import { findMasks } from '../../read/log/mask.ts';
import { endsNothing, goesOn, tellsOfDeath } from '../../read/log/signs-of-work.ts';
import { known } from '../../read/reading.ts';
import { fact } from '../log/draft.ts';
import { kindOf } from '../log/exception-kind.ts';
import { firstException } from '../log/first-exception.ts';
import { LOG } from '../log/needs.ts';
import { isGuess } from '../log/peer-death.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import { defineFacts } from './define.ts';
import { type Evidence, isRunning } from './evidence.ts';
import { goesRound, linesOfNoWeight, warnedInPassing } from './ignored-lines.ts';
import { citeHit, type Weighed } from './weigh.ts';

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
  return hint && (causeInWords(hint) ?? fact(hint.signature.causes[0], [citeHit(hint)]));
}

const CAUSE_OF_KIND: Readonly<Record<string, Cause>> = { 'gpu-fault': 'none.gpu-fault', driver: 'none.driver' };

// A message with many causes may repeat, in the same line, the one that it had.
function causeInWords(hint: Weighed): Fact | undefined {
  if (hint.signature.plane !== 'none') return undefined;
  const { promptAt, echoAt } = findMasks(hint.hit.text);
  const own = hint.hit.text.slice(0, Math.min(promptAt, echoAt));
  return fact<string>(CAUSE_OF_KIND[kindOf({ type: '', message: own })], [citeHit(hint)]);
}

// LMCache, Mooncake's store and Triton's buffer pools take their memory at the start, and none for what does not fit.
function readSidePool({ weighing }: Evidence): Fact | undefined {
  const hits = weighing.all.filter(({ signature }) => hasRole(signature, 'side-pool-full'));
  return hits.length > 0 ? known(true, ...hits.slice(0, 3).map(citeHit)) : undefined;
}

/**
 * The first line that points at something. A stack frame names the step, and hints at nothing if the log has an error of
 * another kind. Two warnings count only without other hints: memory that could not be pinned, since the engine goes on with
 * pageable memory, and a rank that is waited for, since its reason is in another log.
 */
export function firstHint(evidence: Evidence): Weighed | undefined {
  const hints = evidence.weighing.hints.filter(
    (one) =>
      planeOfHint(one) !== undefined &&
      (hasRole(one.signature, 'step') || !goesRound(one.hit.text)) &&
      !isOutlived(one, evidence),
  );
  const said =
    hints.find(({ signature }) => !ASIDE.some((role) => hasRole(signature, role))) ??
    hints.find(({ signature }) => hasRole(signature, 'warns'));
  if (said !== undefined) return said;
  const { main } = evidence.log;
  const isGuessed = main !== undefined && tailLines(main).some(({ text }) => isGuess(ownWords(text)));
  return isGuessed || firstException(main) !== undefined ? undefined : hints[0];
}

const ASIDE = ['step', 'warns', 'pod-status'] as const;

/** A line that names a cause and leaves open whether it was memory at all, where nothing points anywhere. */
function openHint({ weighing }: Evidence): Weighed | undefined {
  return weighing.hints.find((one) => one.signature.causes.length > 0 && planeOfHint(one) === undefined);
}

/** What a hint points at: a line that leaves the plane open names it by its likeliest cause, unless it may be no memory at all. */
export function planeOfHint({ signature }: Weighed): 'gpu' | 'host' | 'none' | undefined {
  if (signature.plane === 'gpu' || signature.plane === 'host' || signature.plane === 'none') return signature.plane;
  const planes = signature.causes.map((cause) => cause.split('.')[0]);
  const [plane] = planes;
  if (plane === 'none') return planes.every((one) => one === 'none') ? plane : undefined;
  return plane === 'gpu' || plane === 'host' ? plane : undefined;
}

// What points at a start that will fail is untrue of one that came to its end.
function isOutlived(hint: Weighed, evidence: Evidence): boolean {
  const { hit, signature, file } = hint;
  if (hasRole(signature, 'retries')) return wentOn(hint, evidence);
  if (signature.phase !== 'startup') return false;
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
  if (later.some(({ signature }) => goesOn(signature))) return true;
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
  const { weight, plane } = weighed.signature;
  if (weight === 'context') return tellsOfDeath(weighed.signature);
  if (weight === 'hint') {
    return hasRole(weighed.signature, 'frame') || (plane === 'host' && !hasRole(weighed.signature, 'shm-left-behind'));
  }
  return !endsNothing(weighed.signature);
}

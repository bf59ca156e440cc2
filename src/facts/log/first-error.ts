import type { Citation } from '../../model/citation.ts';
import { findMasks } from '../../read/log/mask.ts';
import { endsNothing } from '../../read/log/signs-of-work.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { linesOfNoWeight, warnedInPassing } from '../evidence/ignored-lines.ts';
import { tailLines } from '../evidence/tail-lines.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';
import { isGuess } from '../guess/shortage-words.ts';

const TRACEBACK = /\bTraceback \(most recent/;
const ERROR = new RegExp(
  String.raw`${TRACEBACK.source}|(?:^|\s|\])(?:ERROR|CRITICAL|FATAL)\b|(?:Error|Exception)(?::|\()|\bpanicked at\b|^\s*raise\b`,
);

/** Where a program guesses what another died of. */
export function guessOf({ log }: Evidence): Citation | undefined {
  return log.main === undefined ? undefined : tailLines(log.main).find(({ text }) => isGuess(ownWords(text)));
}

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

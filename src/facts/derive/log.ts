import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { known } from '../pod/finding.ts';
import { clip } from '../text/lines.ts';
import { fact, type Group } from './draft.ts';
import type { Evidence } from './evidence.ts';
import { readStage } from './stage.ts';
import { citeHit, isLesser, type Weighed } from './weigh.ts';

/** What the log says, weighed. */
export function deriveLog(evidence: Evidence): Group {
  const { weighing } = evidence;
  const { decisive, looksLike } = weighing;
  const hint = weighing.hints.find(({ phrase }) => phrase.plane !== 'unknown');
  const stage = readStage(weighing);
  const error = firstError(evidence);
  return {
    'log.first-plane': decisive && fact(decisive.phrase.plane, [citeHit(decisive)]),
    'log.first-cause': decisive && causeOf(decisive),
    'log.looks-like': looksLike && causeOf(looksLike),
    'log.hint-plane': hint && fact(hint.phrase.plane, [citeHit(hint)]),
    'log.hint-cause': hint && causeOf(hint),
    'log.child-killed': killed(evidence),
    'log.terminated': terminated(evidence),
    'log.error-seen': error && known(true, error),
    'log.ends-in-silence': silence(evidence, error),
    'log.stage': stage && fact(stage.stage, [citeHit(stage.of)]),
  };
}

/** The cause that a line names by itself; undefined where it decides the plane alone. */
export function causeOf(weighed: Weighed): Fact | undefined {
  return fact(weighed.phrase.causes[0], [citeHit(weighed)]);
}

const KILLED = /^(?:host\.(?:child-sigkill|signal-killed|dataloader-killed)|tgi\.shard\.signal)$/;
const SIGNAL_9 = /^-?9$|^SIGKILL$|^137$/i;

function killed({ weighing }: Evidence): Fact | undefined {
  const hits = weighing.all.filter(
    ({ hit, phrase }) => KILLED.test(phrase.id) || SIGNAL_9.test(hit.captures.code ?? hit.captures.sig ?? ''),
  );
  return fact(hits.length > 0 ? true : undefined, hits.map(citeHit));
}

function terminated({ weighing }: Evidence): Fact | undefined {
  const hits = weighing.all.filter(({ phrase }) => phrase.id === 'vllm.die.terminated');
  return fact(hits.length > 0 ? true : undefined, hits.map(citeHit));
}

const ERROR =
  /\bTraceback \(most recent|(?:^|\s|\])(?:ERROR|CRITICAL|FATAL)\b|(?:Error|Exception)(?::|\()|\bpanicked at\b|^\s*raise\b/;

/** The first sign of a failure: a weighed line that is one, else an error in what the log ends with. */
function firstError({ weighing, log }: Evidence): Citation | undefined {
  const hit = weighing.all.find((weighed) => isFailure(weighed));
  if (hit !== undefined) return citeHit(hit);
  return log.main === undefined ? undefined : tailLines(log.main).find(({ text }) => ERROR.test(text));
}

function isFailure(weighed: Weighed): boolean {
  const { weight, id } = weighed.phrase;
  if (weight === 'context') return id.includes('.die.');
  return (weight !== 'hint' || id.includes('.frame')) && !isLesser(weighed);
}

function silence({ log }: Evidence, error: Citation | undefined): Fact | undefined {
  const last = log.main === undefined ? undefined : tailLines(log.main).at(-1);
  if (last === undefined) return undefined;
  return known(error === undefined, error ?? last);
}

/** The last lines of a log that are evidence, with their numbers. A first line that the tail cuts through is left out. */
export function tailLines({ file, tail, lines, bytes }: LogReading): readonly (Citation & { kind: 'line' })[] {
  const texts = tail.replace(/\n$/, '').split('\n');
  const first = lines - texts.length + 1;
  const cut = Buffer.byteLength(tail) < bytes ? 1 : 0;
  return texts
    .map((text, index) => ({ kind: 'line' as const, file, line: first + index, text: clip(text.replace(/\r$/, '')) }))
    .slice(cut)
    .filter(({ text, line }) => line >= 1 && text.trim() !== '' && !text.startsWith('#'));
}

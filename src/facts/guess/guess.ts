import type { LineCitation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import type { WordFamily } from '../../model/guess-words.ts';
import { fromTables, tablesInForce } from '../../model/reference-tables.ts';
import { Cause } from '../../model/taxonomy.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { known } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { defineFacts } from '../evidence/define.ts';
import { type Evidence, isOfProcessor } from '../evidence/evidence.ts';
import { goesRound, linesOfNoWeight, warnedInPassing } from '../evidence/ignored-lines.ts';
import { fact } from '../log/draft.ts';
import { asksTheImpossible } from '../log/memory-wording.ts';
import { LOG } from '../log/needs.ts';
import { isEcho, isGuess } from '../log/peer-death.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import { headless, isFrame } from '../log/traceback.ts';
import { readLife } from '../when/life.ts';

// Of suggestions that weigh the same on one line, the one that is no memory counts.
const families = fromTables(({ wordFamilies }) =>
  wordFamilies.toSorted((a, b) => Number(b.plane === 'none') - Number(a.plane === 'none')),
);

const SCORES = { failure: 3, complaint: 2, part: 1 } as const satisfies Record<WordFamily['weight'], number>;

const causesOf = (plane: WordFamily['plane']) => Cause.options.filter((cause) => cause.startsWith(`${plane}.`));

/**
 * The last resort where no line decides: what the words of the last lines mean. A family that names a failure suggests the
 * memory; parts of the engine suggest the cause.
 */
export const GUESS_FACTS = defineFacts(
  {
    'guess.words-plane': {
      unit: 'choice',
      values: ['gpu', 'host', 'nothing'],
      says: 'memory that the last lines call short',
      needs: LOG,
    },
    'guess.plane': {
      unit: 'choice',
      values: ['gpu', 'host', 'none', 'nothing'],
      says: 'memory that the words of the last lines suggest',
      needs: LOG,
    },
    'guess.gpu-cause': {
      unit: 'choice',
      values: causesOf('gpu'),
      says: 'cause that these words suggest, if GPU memory ran out',
      needs: LOG,
    },
    'guess.host-cause': {
      unit: 'choice',
      values: causesOf('host'),
      says: 'cause that these words or the workers of a web server suggest, if RAM ran out',
      needs: LOG,
    },
    'guess.other-cause': {
      unit: 'choice',
      values: causesOf('none'),
      says: 'cause that these words suggest, if no memory ran out',
      needs: LOG,
    },
  },
  (evidence) => {
    const { main } = evidence.log;
    const tail = main === undefined ? [] : tailLines(main);
    const ofNoWeight = linesOfNoWeight(evidence.weighing);
    const lines = readOwn(tail, ofNoWeight, warnedInPassing(evidence.weighing));
    const life = readLife(evidence);
    const when = life.kind === 'known' ? life.value : 'serving';
    const inRam = isOfProcessor(evidence);
    const read = families()
      .flatMap((family) => readFamily(family, lines))
      .map((one) => (inRam ? onCpu(one) : one));
    const best = strongest(read.filter(({ score }) => score > SCORES.part));
    const last = lastLine(main);
    const causeIn = (plane: WordFamily['plane']) => {
      const own = read.filter((one) => one.plane === plane);
      // Failures of other kinds follow each other; of a shortage the more particular family, which stands first, says more.
      const first = plane === 'none' ? strongest(own) : own[0];
      return first && fact<string>(first[when], [first.from]);
    };
    return {
      'guess.words-plane': readShortage(tail, ofNoWeight) ?? (last && known('nothing', last)),
      'guess.plane': best ? fact(best.plane, [best.from]) : last && known('nothing', last),
      'guess.gpu-cause': causeIn('gpu'),
      'guess.host-cause': causeIn('host') ?? forkedWorkers(evidence),
      'guess.other-cause': causeIn('none'),
    };
  },
);

// Web servers fork their workers, and each holds a copy of what it loads (gunicorn and uvicorn, --workers, WEB_CONCURRENCY).
const FORKS = /\b(?:gunicorn|uvicorn|hypercorn|fastapi run)\b/;
const WORKERS = /(?:^|\s)(?:--workers|--web-concurrency|-w)[= ](\d{1,3})\b/;

function forkedWorkers({ spec }: Pick<Evidence, 'spec'>): Fact | undefined {
  const told = spec.words.map(({ value }) => value).join(' ');
  const [first] = spec.words;
  if (!FORKS.test(told) || first === undefined) return undefined;
  const variable = spec.env.find(({ name }) => name === 'WEB_CONCURRENCY')?.value;
  const workers = Number(WORKERS.exec(told)?.[1] ?? variable?.value ?? 1);
  return workers > 1 ? fact<string>('host.startup.workers', [first.from]) : undefined;
}

/** What a line suggests, how strongly, and where it stands. */
type Suggestion = Pick<WordFamily, 'plane' | 'starting' | 'serving'> & {
  readonly score: number;
  readonly from: LineCitation;
};

/** What a line says itself, with and without the head of its error; quiet if it reports work, mute if it is code or an echo. */
type OwnWords = {
  readonly text: string;
  readonly said: string;
  readonly quiet: boolean;
  readonly mute: boolean;
  readonly from: LineCitation;
};

const WARNING = /\bWARN(?:ING)?\b/;

// A frame and the call below it are code. The file whose logger writes may tell who complains (`mooncake_connector.py`), and
// says nothing of a memory (`pin_memory.py`).
function readFamily(family: WordFamily, lines: readonly OwnWords[]): readonly Suggestion[] {
  if (lines.some(({ text }) => family.unless?.test(text))) return [];
  const speaks = lines.find(({ text: whole, said, quiet, mute, from }) => {
    const text = family.plane === 'none' ? whole : said;
    if (quiet || (family.weight === 'part' ? WARNING.test(from.text) : mute)) return false;
    const at = family.pattern.exec(text)?.index;
    return at !== undefined && !tablesInForce().wording.advice.test(text.slice(0, at));
  });
  return speaks === undefined ? [] : [{ ...family, score: SCORES[family.weight], from: speaks.from }];
}

// A CPU engine calls its RAM device memory.
function onCpu(one: Suggestion): Suggestion {
  if (one.plane !== 'gpu') return one;
  return { ...one, plane: 'host', starting: 'host.startup.limit', serving: 'host.startup.limit' };
}

// The highest score, and among equals the earliest line: later ones repeat the failure.
function strongest(read: readonly Suggestion[]): Suggestion | undefined {
  return read.toSorted((a, b) => b.score - a.score || a.from.line - b.from.line)[0];
}

// What an engine reports in the course of its work.
const QUIET = anyOf(
  '',
  /\b(?:INFO|DEBUG|TRACE|level=(?:INFO|DEBUG|info|debug))\b|^[ID]\d{4} |\[[IW] ?\d{3,4} [\d:.]{8,20} /,
  /^\d{1,3}\.\d{2}\.\d{3}\.\d{3} [ID] |\bresource_tracker: |(?:^|\) )[NRH]CCL version \d[\w.:+-]{1,60}$/,
  /\[Gloo\] Rank \d{1,6} is connected to \d/,
);
// Triton's lines (glog) begin with the name of a source file.
const SOURCE = /^[EWIF]\d{4} [\d:.]{8,20} {1,4}\d{1,9} [\w.-]{1,80}:\d{1,6}\] /;
// PyTorch adds figures and advice to its message that mention graphs and settings whatever the cause is.
const PYTORCH_FIGURES =
  /Tried to allocate|of the allocated memory|private pools|\(e\.g\.,? (?:CUDA|HIP) Graphs|(?:allocated|reserved) by PyTorch/i;

function readOwn(
  lines: readonly LineCitation[],
  ofNoWeight: ReadonlySet<number>,
  passed: (line: LineCitation) => boolean,
): readonly OwnWords[] {
  let below = false;
  return lines.map((from) => {
    const { promptAt, echoAt } = findMasks(from.text);
    const own = from.text.slice(0, Math.min(promptAt, echoAt));
    const text = withoutHeads(cleanLine(own).clean);
    const frame = isFrame(text);
    const mute = frame || below || isEcho(text) || ofNoWeight.has(from.line);
    below = frame;
    const quiet = QUIET.test(from.text) || goesRound(from.text) || passed(from);
    return { text, said: withoutHeads(headless(own)), quiet, mute, from };
  });
}

function withoutHeads(own: string): string {
  return own
    .slice(0, PYTORCH_FIGURES.exec(own)?.index)
    .replace(SOURCE, '')
    .replaceAll(tablesInForce().wording.removed, '');
}

/** The first line that says both that memory was short and which. */
function readShortage(lines: readonly LineCitation[], ofNoWeight: ReadonlySet<number>): Fact | undefined {
  for (const line of lines) {
    const plane = ofNoWeight.has(line.line) || goesRound(line.text) ? undefined : planeOfShortage(line.text);
    if (plane !== undefined) return known<string>(plane, line);
  }
  return undefined;
}

function planeOfShortage(text: string): 'gpu' | 'host' | undefined {
  const words = tablesInForce().wording;
  const { promptAt, echoAt } = findMasks(text);
  const own = cleanLine(text.slice(0, Math.min(promptAt, echoAt))).clean.replaceAll(words.removed, '');
  const short = words.short.exec(own);
  if (short === null || words.exceptions.test(own) || isGuess(own)) return undefined;
  if (asksTheImpossible(own) || words.advice.test(own.slice(0, short.index))) return undefined;
  const host = words.host.test(own);
  const device = words.device.test(own) || (words.pool.test(own) && !host);
  if (device === host) return undefined;
  return device ? 'gpu' : 'host';
}

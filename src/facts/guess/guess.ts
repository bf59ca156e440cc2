import { known } from '../../read/reading.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { linesOfNoWeight, warnedInPassing } from '../evidence/ignored-lines.ts';
import { lastLine, tailLines } from '../evidence/tail-lines.ts';
import { readLife } from '../when/life.ts';
import type { Life } from '../when/time-of-life.ts';
import { inOwnMemory } from './cpu-engine-memory.ts';
import { readCut } from './cut-call.ts';
import { type Family, HINTS, PART, type Read } from './family.ts';
import { readLeftInRam } from './left-in-ram.ts';
import { type Own, readOwn } from './message-words.ts';
import { isAdvice } from './shortage-words.ts';
import { FAMILIES } from './word-families.ts';

const IN_PASSING = /\bWARN(?:ING)?\b/;

/**
 * The last resort: what the words of the last lines mean, by families. A family that names a failure may tell the plane;
 * parts of the engine tell the cause where the plane is known otherwise. A guess, whatever it says.
 */
export function deriveLikely(evidence: Evidence): Group {
  const { main } = evidence.log;
  const tail = main === undefined ? [] : tailLines(main);
  const lines = readOwn(tail, linesOfNoWeight(evidence.weighing), warnedInPassing(evidence.weighing));
  const life = readLife(evidence);
  const when = life.kind === 'known' ? life.value : 'serving';
  const whole = lines.map(({ said: text, quiet, mute, from }) => ({ said: text, weighs: !quiet && !mute, from }));
  const cut = readCut(whole, evidence.readings.phrases);
  const own = [...readAll(lines), ...(cut === undefined ? [] : [cut]), ...readLeftInRam(tail)];
  const read = inOwnMemory(evidence, pointed(own) ? own : [...own, ...readDescription(evidence)]);
  const best = pointed(read);
  const last = lastLine(main);
  return {
    'log.likely-plane': best ? fact(best.family.plane, [best.from]) : last && known('nothing', last),
    'log.cut-plane': cut ? fact(cut.family.plane, [cut.from]) : last && known('nothing', last),
    'log.likely-gpu-cause': causeIn(read, 'gpu', when),
    'log.likely-host-cause': causeIn(read, 'host', when),
    'log.likely-none-cause': causeIn(read, 'none', when),
  };
}

// An argument is read as one: what it does depends on the engine and its version, and its name alone tells of no failure.
const IS_ARGUMENT = /^\s*-{1,2}[a-z]/i;

// What `kubectl describe` says of a container that never ran and so has no log.
function readDescription({ log }: Evidence): readonly Read[] {
  const lines = readOwn(
    log.notes.filter(({ file }) => file === 'describe.txt').flatMap(tailLines),
    new Set(),
    () => false,
  );
  return readAll(lines.filter(({ from }) => !IS_ARGUMENT.test(from.text)));
}

function readAll(lines: readonly Own[], families: readonly Family[] = FAMILIES): readonly Read[] {
  return families.flatMap((family) => readFamily(family, lines));
}

function pointed(read: readonly Read[]): Read | undefined {
  return strongest(read.filter(({ score }) => score >= HINTS));
}

// A frame and the call below it are code, an echo is of another's death: they name parts and complain of nothing. The file
// whose logger writes may tell who complains (`mooncake_connector.py`); of a memory it is no word (`pin_memory.py`).
function readFamily(family: Family, lines: readonly Own[]): readonly Read[] {
  if (lines.some(({ text }) => family.unless?.test(text))) return [];
  const speaks = lines.find(({ text: whole, said, quiet, mute, from }) => {
    const text = family.plane === 'none' ? whole : said;
    if (quiet || (family.weight > PART ? mute : IN_PASSING.test(from.text))) return false;
    const at = family.pattern.exec(text)?.index;
    return at !== undefined && !isAdvice(text.slice(0, at));
  });
  return speaks === undefined ? [] : [{ family, score: family.weight, from: speaks.from }];
}

// The weightiest, and of equals the one that was written first: what follows a failure is its echo.
function strongest(read: readonly Read[]): Read | undefined {
  return read.toSorted((a, b) => b.score - a.score || a.from.line - b.from.line)[0];
}

function causeIn(read: readonly Read[], plane: Family['plane'], life: Life) {
  const own = read.filter(({ family }) => family.plane === plane);
  // Failures of other kinds follow each other; of a lack the more particular family, which stands first, says more.
  const best = plane === 'none' ? strongest(own) : own[0];
  return best && fact<string>(best.family[life], [best.from]);
}

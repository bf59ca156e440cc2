import type { LineCitation } from '../../../model/citation.ts';
import { isRemark } from '../../../model/citation.ts';
import { known } from '../../pod/finding.ts';
import { readNotedCourses } from '../course/noted-course.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { withoutLevels } from '../growth/said.ts';
import { readToldGrowth } from '../growth/told-growth.ts';
import { readLife } from '../life/life.ts';
import type { Life } from '../life/time-of-life.ts';
import { ranksOf } from '../ram/ranks.ts';
import { linesOfNoWeight, warnedInPassing } from '../weigh/of-no-weight.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { readCut } from './cut-call.ts';
import { FAILS, type Family, HINTS, PART, type Read } from './family.ts';
import { readLeftInRam } from './left-in-ram.ts';
import { leversOf, toldByLever, withLevers } from './levers/told-lever.ts';
import { isAtNone, readCalm, readRefusals } from './no-memory/calm.ts';
import { readRows } from './no-memory/rows.ts';
import { says } from './no-memory/speech.ts';
import { readNoMemory, readWaits } from './no-memory/told.ts';
import { NOTED_LACKS } from './noted-lacks.ts';
import { inOwnMemory, stepOfDevice } from './own-memory.ts';
import { type Own, readOwn } from './own-words.ts';
import { remarkLines } from './remark-lines.ts';
import { readRemarkedKill } from './remarked-lack.ts';
import { quotesRefusal, readQuoted } from './remarks.ts';
import { deriveStandstill, FROZEN } from './standstill.ts';
import { OTHER_REASON } from './told/ending.ts';
import { withAccount } from './told/with-account.ts';
import { FAMILIES } from './vocabulary/families.ts';
import { LACK } from './vocabulary/lack.ts';
import { isAdvice, NOT_KILLED, planeOfShortage } from './words.ts';

const IN_PASSING = /\bWARN(?:ING)?\b/;

/**
 * The last resort: what the words of the last lines mean, by families. A family that names a failure may tell the plane;
 * parts of the engine tell the cause where the plane is known otherwise. A guess, whatever it says.
 */
export function deriveLikely(evidence: Evidence): Group {
  const { main } = evidence.log;
  const tail = main === undefined ? [] : tailLines(main);
  const lines = readOwn(tail, linesOfNoWeight(evidence.weighing), warnedInPassing(evidence.weighing));
  const finding = readLife(evidence);
  const life = finding.kind === 'known' ? finding.value : undefined;
  const when = life ?? 'serving';
  const said = readAll(lines);
  const whole = lines.map(({ said: text, quiet, mute, from }) => ({ said: text, weighs: !quiet && !mute, from }));
  const cut = readCut(whole, evidence.readings.phrases);
  const own = [...said, ...(cut === undefined ? [] : [cut]), ...readLeftInRam(tail)];
  const { read: noted, account, both } = withAccount(evidence, life, readNoted(evidence, own));
  const levers = !both && isTold(pointed(noted)) ? leversOf(evidence, life) : [];
  const pointing = withLevers(levers, noted, account);
  const read = inOwnMemory(evidence, pointing);
  const best = pointed(read);
  const last = lastLine(main);
  return {
    'log.likely-plane': best ? fact(best.family.plane, [best.from]) : last && known('nothing', last),
    'log.cut-plane': cut ? fact(cut.family.plane, [cut.from]) : last && known('nothing', last),
    ...toldByLever(levers, best),
    ...(best === account && best !== undefined ? toldFacts(best, both) : {}),
    ...deriveStandstill(evidence, last),
    'log.likely-gpu-cause': causeIn(read, 'gpu', when),
    'log.likely-host-cause': causeIn(read, 'host', when),
    'log.likely-none-cause': causeIn(read, 'none', when),
  };
}

// No line of a machine's points anywhere.
function isTold(best: Read | undefined): boolean {
  return best === undefined || isRemark(best.from);
}

function toldFacts({ family, from }: Read, both: boolean): Group {
  return {};
}

// Of two things that are named in one line, the memory comes first.
const OF_MEMORY = FAMILIES.filter(({ plane }) => plane !== 'none');
const OF_OTHER = FAMILIES.filter(({ plane }) => plane === 'none');
// Beside a reason of another kind a kill is no want of RAM.
const OTHERWISE = OF_MEMORY.filter((family) => !LACK.includes(family) || family.plane !== 'host');

// The lines first, then what stands beside them, then what people say of those that they left out.
function readNoted(evidence: Evidence, own: readonly Read[]): readonly Read[] {
  const killed = pointed(own)?.family.serving === 'none.comm' ? readRemarkedKill(evidence) : [];
  if (killed.length > 0) return [...killed, ...own];
  const told = pointed(own) ? own : [...own, ...readBeside(evidence)];
  const noted = pointed(told) ? told : [...told, ...readRemarks(evidence)];
  return pointed(noted) ? noted : [...noted, ...calmOf(evidence)];
}

function calmOf({ log }: Evidence): readonly Read[] {
  const lines = [...(log.main === undefined ? [] : [log.main]), ...log.notes].flatMap(tailLines);
  const refusal = readRefusals(lines);
  const cause = refusal === undefined ? 'none.other' : 'none.request-rejected';
  const from = refusal ?? readCalm(lines);
  return from === undefined ? [] : [{ family: { plane: 'none', starting: cause, serving: cause }, score: HINTS, from }];
}

const NONE: ReadonlySet<number> = new Set();
const never = () => false;

// An argument is read as one: what it does hangs on the engine and its version, and its name alone tells of no failure.
const IS_ARGUMENT = /^\s*-{1,2}[a-z]/i;

// What `kubectl describe` and the runtime say of a container, which the log of one that never ran does not hold; and what
// people note of a growth that they watched.
function readBeside({ log }: Evidence): readonly Read[] {
  const linesOf = (name: string) =>
    readOwn(log.notes.filter(({ file }) => file === name).flatMap(tailLines), NONE, never);
  const figures = linesOf('metrics.txt').filter(({ from }) => !isAtNone(from.text));
  return [
    ...readAll(linesOf('describe.txt').filter(({ from }) => !IS_ARGUMENT.test(from.text))),
    ...figures.flatMap(({ text, from }) => lackOf(planeOfShortage(text), from)),
    ...readAll(figures, LACK),
    ...readToldGrowth(linesOf('metrics.txt')),
    ...readRows([...(log.main === undefined ? [] : [log.main]), ...log.notes].flatMap(tailLines)),
  ];
}

function readAll(lines: readonly Own[], families: readonly Family[] = FAMILIES): readonly Read[] {
  return families.flatMap((family) => readFamily(family, lines));
}

function pointed(read: readonly Read[]): Read | undefined {
  return strongest(read.filter(({ score }) => score >= HINTS));
}

// Where no line points anywhere, what people say of the lines that they left out still may.
function readRemarks(evidence: Evidence): readonly Read[] {
  const lines = remarkLines(evidence);
  const whole = lines.map(({ text, from }) => ({ text: text.replaceAll(NOT_KILLED, ''), from }));
  const own = whole.map(({ text: all, from }) => {
    // What a remark tells of a memory that held its level is no complaint.
    const text = withoutLevels(all);
    return { text, said: text, quiet: false, mute: false, from };
  });
  const short = own.flatMap(({ text, from }) => lackOf(quotesRefusal(text) ? 'gpu' : planeOfShortage(text), from));
  const read = [
    ...readQuoted(evidence),
    ...readNotedCourses(evidence),
    ...readToldGrowth(lines, stepOfDevice(evidence)),
    ...readAll(own, own.some(({ text }) => OTHER_REASON.test(text)) ? OTHERWISE : OF_MEMORY),
    ...short,
    ...readNoMemory(whole),
    ...readAll(own, OF_OTHER),
  ];
  const all = [...read, ...readAll(own, NOTED_LACKS)];
  const ranks = ranksOf(evidence.args);
  return pointed(all)
    ? all
    : [...all, ...readAll(own, [FROZEN]), ...readWaits(whole, { ranks, ofMemory: showsUse(evidence) })];
}

function lackOf(plane: Family['plane'] | undefined, from: LineCitation): readonly Read[] {
  return LACK.filter((family) => family.plane === plane).map((family) => ({ family, score: FAILS, from }));
}

// Rows of nvidia-smi, free and top: so much is in use.
const USE = /\d ?MiB ?\/ {0,3}\d{1,7} ?MiB|^Mem: +\d|\bVIRT +RES\b/m;

function showsUse({ readings }: Evidence): boolean {
  return readings.logs.some(({ tail }) => USE.test(tail));
}

// A frame and the call below it are code, an echo is of another's death: they name parts and complain of nothing. The file
// whose logger writes may tell who complains (`mooncake_connector.py`); of a memory it is no word (`pin_memory.py`).
function readFamily(family: Family, lines: readonly Own[]): readonly Read[] {
  if (lines.some(({ text }) => family.unless?.test(text))) return [];
  const speaks = lines.find(({ text: whole, said, quiet, mute, from }) => {
    const text = family.plane === 'none' ? whole : said;
    if (quiet || (family.weight > PART ? mute : IN_PASSING.test(from.text))) return false;
    if (isRemark(from) && family.weight > PART) return says(text, family.pattern);
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

import type { LogReading } from '../../model/log-reading.ts';
import type { Phrase } from '../../model/phrase.ts';
import { parseLogName } from '../../model/snapshot.ts';
import { type DeathReading, deathTime } from '../../read/cluster/death.ts';
import { lastRun } from '../../read/log/last-run.ts';
import { NOTHING_SORTED, type Sorted } from '../../read/text/lines.ts';
import { areApart, momentAt } from '../when/moment.ts';
import { runOfLog } from '../when/run-of-log.ts';
import { lastWords } from './end-of-log.ts';
import { lastFailure, lastThatEnded } from './last-failed-run.ts';
import { unsaid } from './tail-lines.ts';

/** The logs of the container that matters. `main` is cut to its last run; `whole` is the same log with all its runs. */
export type LogChoice = {
  /** Holds the failure that is looked at. */
  readonly main: LogReading | undefined;
  readonly whole: LogReading | undefined;
  /** The instance after the one that died, where `main` is the previous log. */
  readonly next: LogReading | undefined;
  /** The instance before the one that died, where `main` is the current log. */
  readonly before: LogReading | undefined;
  /** Scans of text files that are no logs: what people noted and pasted. */
  readonly notes: readonly LogReading[];
  /** Lines of the notes, by file, of which it can not be told whose they are: no proof of anything. */
  readonly unsure?: ReadonlyMap<string, ReadonlySet<number>>;
};

/** The death's place decides which log holds it: a container that has restarted left its last words in the previous log. */
export function chooseLogs(
  readings: readonly LogReading[],
  death: DeathReading,
  byId: ReadonlyMap<string, Phrase>,
  whose: ReadonlyMap<string, Sorted>,
): LogChoice {
  const container = death.kind === 'death' ? death.death.container : death.engine;
  const own = readings.filter(({ file }) => !isOfOther(parseLogName(file)?.container, death));
  const previous = pick(own, container, 'previous');
  const current = pick(own, container, 'current');
  const notes = notesOf(readings, death, whose);
  if (previous === undefined && current === undefined) return withLastWords(notes, death);
  return { ...choosePair({ previous, current }, death, byId), ...notes };
}

// A container that is in the status, and neither the one that ended nor the engine, tells nothing of that end.
function isOfOther(container: string | undefined, death: DeathReading): boolean {
  if (death.kind === 'none' || death.isOpen || container === undefined || container === death.engine) return false;
  return container !== death.death.container && death.others.includes(container);
}

type Notes = Required<Pick<LogChoice, 'notes' | 'unsure'>>;

function notesOf(readings: readonly LogReading[], death: DeathReading, whose: ReadonlyMap<string, Sorted>): Notes {
  return {
    notes: readings
      .filter((reading) => parseLogName(reading.file) === undefined)
      .map((note) => ofOwn(note, death, whose.get(note.file))),
    unsure: new Map([...whose].map(([file, { unsure }]) => [file, unsure])),
  };
}

type Pair = Readonly<Record<'previous' | 'current', LogReading | undefined>>;

function choosePair({ previous, current }: Pair, death: DeathReading, byId: ReadonlyMap<string, Phrase>) {
  const diedNow = death.kind === 'death' && death.death.place === 'state';
  const isNewer = current !== undefined && previous !== undefined && failedLater(current, death, byId);
  const whole = (diedNow || isNewer) && current !== undefined ? current : (previous ?? current);
  const other = whole === previous ? current : previous;
  const runsOn = whole === current && !diedNow;
  return {
    main: whole && (runsOn ? lastThatEnded(whole, byId) : lastRun(whole)),
    whole,
    next: whole === previous && whole !== undefined ? other : undefined,
    before: whole === current && whole !== previous ? other : undefined,
  };
}

// Where no log was kept, the status may hold the end of it.
function withLastWords({ notes, unsure }: Notes, death: DeathReading): LogChoice {
  const words = lastWords(notes, death);
  const main = words?.log;
  const others = notes.map((note) => (words !== undefined && note.file === words.note.file ? words.note : note));
  return { main, whole: main, next: undefined, before: undefined, notes: others, unsure };
}

/** Whether the run that followed ended as well, so long after the death that it is another incident. */
function failedLater(current: LogReading, death: DeathReading, byId: ReadonlyMap<string, Phrase>): boolean {
  const died = deathTime(death);
  const failure = lastFailure(current, byId);
  if (died === undefined || failure === undefined) return false;
  const { instance, moment } = runOfLog({ death, kernel: undefined }, current);
  const at = moment(failure.line);
  return instance === 1 && at.from > died && areApart(at, momentAt(died));
}

function ofOwn(note: LogReading, death: DeathReading, { others, unsure }: Sorted = NOTHING_SORTED): LogReading {
  const own = unsaid(note, others);
  const hits = withoutStatus({ ...note, hits: note.hits.filter(({ line }) => !unsure.has(line)) }, death).hits;
  return {
    ...own,
    hits: note.hits.filter(
      (hit) => !others.has(hit.line) && ((unsure.has(hit.line) && !LABEL.test(hit.text)) || hits.includes(hit)),
    ),
  };
}

const STATUS = 'k8s.last-state.oomkilled';
// Labels of metrics, which are there for every reason that could be, and rules made of them.
const LABEL = /\breason="OOMKilled/;
// Rows of `kubectl get pods` besides.
const OF_ONE = /\breason="OOMKilled|\b\d{1,3}\/\d{1,3}\s+(?:Init:)?OOMKilled/;

// As a status, a label or a row, the reason stands at its container, and a reader knows whose it is; as a word in a text it
// could be any other's.
function withoutStatus(note: LogReading, death: DeathReading): LogReading {
  const isTold = death.kind === 'death' && death.death.end.reason !== undefined;
  const hits = note.hits.filter(({ id, text }) => id !== STATUS || !(isTold || OF_ONE.test(text)));
  return { ...note, hits };
}

function pick(readings: readonly LogReading[], container: string | undefined, instance: 'previous' | 'current') {
  const ofInstance = readings.filter((reading) => {
    const name = parseLogName(reading.file);
    return name?.instance === instance && reading.evidenceLines > 0;
  });
  const own = ofInstance.find((reading) => {
    const name = parseLogName(reading.file)?.container;
    return name === undefined || name === container;
  });
  return own ?? ofInstance[0];
}

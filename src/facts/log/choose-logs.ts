import type { Hit, LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { parseLogName } from '../../model/snapshot.ts';
import { type DeathReading, deathTime } from '../../read/cluster/death.ts';
import { lastRun, MOST_RUNS } from '../../read/log/last-run.ts';
import { isEndOfProcess, isFailure } from '../../read/log/signs-of-work.ts';
import { NOTHING_SORTED, type Sorted } from '../../read/text/lines.ts';
import { areApart, momentAt, runOfLog } from './run-of-log.ts';
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
  /** Scans of the text files that are not logs. */
  readonly notes: readonly LogReading[];
  /** Their lines, by file, that may belong to another container: no proof of anything. */
  readonly unsure?: ReadonlyMap<string, ReadonlySet<number>>;
};

/** The death's place decides which log holds it: a container that has restarted left its last words in the previous log. */
export function chooseLogs(
  readings: readonly LogReading[],
  death: DeathReading,
  whose: ReadonlyMap<string, Sorted>,
): LogChoice {
  const container = death.kind === 'death' ? death.death.container : death.engine;
  const own = readings.filter(({ file }) => !isOfOther(parseLogName(file)?.container, death));
  const previous = pick(own, container, 'previous');
  const current = pick(own, container, 'current');
  const notes = notesOf(readings, whose);
  return { ...choosePair({ previous, current }, death), ...notes };
}

// A container that is in the status, and neither the one that ended nor the engine, tells nothing of that end.
function isOfOther(container: string | undefined, death: DeathReading): boolean {
  if (death.kind === 'none' || death.isOpen || container === undefined || container === death.engine) return false;
  return container !== death.death.container && death.others.includes(container);
}

type Notes = Required<Pick<LogChoice, 'notes' | 'unsure'>>;

function notesOf(readings: readonly LogReading[], whose: ReadonlyMap<string, Sorted>): Notes {
  return {
    notes: readings
      .filter((reading) => parseLogName(reading.file) === undefined)
      .map((text) => ofOwn(text, whose.get(text.file))),
    unsure: new Map([...whose].map(([file, { unsure }]) => [file, unsure])),
  };
}

type Pair = Readonly<Record<'previous' | 'current', LogReading | undefined>>;

function choosePair({ previous, current }: Pair, death: DeathReading) {
  const diedNow = death.kind === 'death' && death.death.place === 'state';
  const isNewer = current !== undefined && previous !== undefined && failedLater(current, death);
  const whole = (diedNow || isNewer) && current !== undefined ? current : (previous ?? current);
  const other = whole === previous ? current : previous;
  return {
    main: whole && (whole === current && !diedNow ? lastThatEnded(whole) : lastRun(whole)),
    whole,
    next: whole === previous && whole !== undefined ? other : undefined,
    before: whole === current && whole !== previous ? other : undefined,
  };
}

/** Whether the run that followed ended as well, so long after the death that it is another incident. */
function failedLater(current: LogReading, death: DeathReading): boolean {
  const died = deathTime(death);
  const failure = lastRun(current).hits.findLast(({ signature }) => isEndOfProcess(signature) || isFailure(signature));
  if (died === undefined || failure === undefined) return false;
  const { instance, moment } = runOfLog({ death, kernel: undefined }, current);
  const at = moment(failure.line);
  return instance === 1 && at.from > died && areApart(at, momentAt(died));
}

// Labels of metrics, which are there for every reason that could be.
const LABEL = /\breason="OOMKilled/;

// Whose a status is, the readers of the status know; as a word in a text it could be any container's, and where it cannot be
// told whose, it is a hint.
function ofOwn(text: LogReading, { others, unsure }: Sorted = NOTHING_SORTED): LogReading {
  const isHint = (hit: Hit) => unsure.has(hit.line) && !LABEL.test(hit.text);
  return {
    ...unsaid(text, others),
    hits: text.hits.filter((hit) => !others.has(hit.line) && (!hasRole(hit.signature, 'pod-status') || isHint(hit))),
  };
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

/**
 * Of a log that is still written: its last run, or the last one above that came to an end where those below did not. A run
 * that only warns, loads or serves says nothing of why it was started.
 */
function lastThatEnded(whole: LogReading): LogReading {
  const hasEnded = ({ hits }: LogReading) =>
    hits.some(({ signature }) => isEndOfProcess(signature) || isFailure(signature));
  const last = lastRun(whole);
  let run = last;
  for (let i = 0; i < MOST_RUNS && !hasEnded(run); i++) {
    const start = startOf(run);
    const above = { ...whole, hits: whole.hits.filter(({ line }) => line < start) };
    if (above.hits.length === 0) break;
    run = lastRun(above);
  }
  return hasEnded(run) ? withOwnTail(run, whole) : last;
}

function startOf({ hits }: LogReading): number {
  return hits[0]?.line ?? 0;
}

// What stands in the tail of other runs is not what this one ended with.
function withOwnTail(run: LogReading, whole: LogReading): LogReading {
  if (run.hits.length === whole.hits.length) return run;
  const start = startOf(run);
  const end = whole.hits.find(({ line }) => line > (run.hits.at(-1)?.line ?? 0))?.line ?? Number.POSITIVE_INFINITY;
  const lines = Array.from({ length: whole.tail.split('\n').length + 1 }, (_, i) => whole.lines - i);
  return unsaid(run, new Set(lines.filter((line) => line < start || line >= end)));
}

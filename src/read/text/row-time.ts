import { parseTime, parseTimeOfDay, utc } from './when.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAY_MS = 86_400_000;
const CLOCK = String.raw`(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?`;
const WEEKDAY = `(${WEEKDAYS.join('|')})(?:s|nes|rs?|ur)?(?:day)?\\.?,?`;
const DATE = String.raw`(?:(\d{4})[-/])?(\d{2})[-/](\d{2})`;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = String.raw`(${MONTHS.join('|')})[a-z]{0,6}\.? (\d{1,2})`;
// Prometheus and its tools write a sample and its time in seconds: `18210 @1759276800`.
const EPOCH = String.raw`@\[?(1\d{9})(?:\.\d{1,3})?\]?`;
const COUNTED = String.raw`(?:day|d|week|w)[ +#]{0,2}(\d{1,3})`;
const OF_WEEKDAY = new RegExp(`^${WEEKDAY}${CLOCK}$`, 'i');
const OF_DATE = new RegExp(`^${DATE}${CLOCK}Z?$`);
const OF_DAY = new RegExp(`^${COUNTED}${CLOCK}$`, 'i');
const OF_MONTH = new RegExp(`^${MONTH}${CLOCK}$`, 'i');
const OF_EPOCH = new RegExp(`^${EPOCH}$`);
const ROW_HEAD = new RegExp(
  `^((?:${WEEKDAY}|${DATE}|${COUNTED}|${MONTH}|${EPOCH})${CLOCK}Z?)(?:\\s*[:|,]|\\s+-)?\\s+(\\S.*)$`,
  'i',
);

/** A time as people head a row with it, and after how long its like comes again; ms from any beginning. */
export type RowTime = { readonly at: number; readonly again: number | undefined };

/** `2026-03-01T10:00`, `14:02:10`, `Mon 03:00`, `02-03 06:00`, `day 3`: the time of a row in a table that people keep. */
export function parseRowTime(text: string): RowTime | undefined {
  const own = text.trim();
  const full = parseTime(own);
  if (full !== undefined) return { at: full, again: undefined };
  const ofDay = parseTimeOfDay(own);
  if (ofDay !== undefined) return { at: ofDay, again: DAY_MS };
  return ofWeekday(own) ?? ofDate(own) ?? ofMonth(own) ?? ofCount(own) ?? ofEpoch(own);
}

/** The time at the head of a row that names what it tells, and the rest of it: `day 3  container_memory_rss 12.4 GiB`. */
export function splitRowTime(text: string): { readonly time: RowTime; readonly rest: string } | undefined {
  const match = ROW_HEAD.exec(text.trim());
  const time = parseRowTime(match?.[1] ?? '');
  const rest = match?.at(-1);
  return time === undefined || rest === undefined ? undefined : { time, rest };
}

/** Behind Sunday comes Monday, behind midnight the next day: the time of a row that stands below one of the time `before`. */
export function rowTimeAfter(before: number, { at, again }: RowTime): number {
  const laps = again === undefined ? 0 : Math.max(0, Math.ceil((before - at) / again));
  return at + laps * (again ?? 0);
}

function ofWeekday(text: string): RowTime | undefined {
  const [all, day = '', ...clock] = OF_WEEKDAY.exec(text) ?? [];
  if (all === undefined) return undefined;
  const at = WEEKDAYS.indexOf(day.toLowerCase()) * DAY_MS + clockMs(clock);
  return { at, again: 7 * DAY_MS };
}

// Without a year it is of the leap year, so that no date is refused.
function ofDate(text: string): RowTime | undefined {
  const [all, year = '2024', month, day, ...clock] = OF_DATE.exec(text) ?? [];
  const at =
    all === undefined ? undefined : utc([Number(year), Number(month), Number(day), 0, 0, 0], 'Z', clockMs(clock));
  return at === undefined ? undefined : { at, again: undefined };
}

function ofMonth(text: string): RowTime | undefined {
  const [all, month = '', day, ...clock] = OF_MONTH.exec(text) ?? [];
  const number = MONTHS.indexOf(month.toLowerCase()) + 1;
  const at = all === undefined ? undefined : utc([2024, number, Number(day), 0, 0, 0], 'Z', clockMs(clock));
  return at === undefined ? undefined : { at, again: undefined };
}

function ofEpoch(text: string): RowTime | undefined {
  const [all, seconds] = OF_EPOCH.exec(text) ?? [];
  return all === undefined ? undefined : { at: Number(seconds) * 1000, again: undefined };
}

function ofCount(text: string): RowTime | undefined {
  const [all, count, ...clock] = OF_DAY.exec(text) ?? [];
  if (all === undefined) return undefined;
  return { at: Number(count) * (/^w/i.test(text) ? 7 : 1) * DAY_MS + clockMs(clock), again: undefined };
}

function clockMs([hour = '0', minute = '0', second = '0']: readonly string[]): number {
  return ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const ISO =
  /\b(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:\s?(Z|UTC|[+-]\d{2}:?\d{2}))?/;
// kubectl describe: `Mon, 02 Jan 2026 10:00:00 +0000`.
const RFC1123 = /\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2})(?: (GMT|UTC|Z|[+-]\d{4}))?/;
// nvidia-smi and date(1): `Sat Nov 21 03:50:00 2026`, with AM or PM and a zone in some locales.
const ASCTIME = /\b([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2})(?: ([AP]M))?(?: [A-Z]{2,5})? (\d{4})\b/;

/** A time with a date, anywhere in the text, as epoch ms; without a zone it is taken as UTC. Undefined where there is none. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return isoTime(text) ?? rfcTime(text) ?? ascTime(text);
}

function isoTime(text: string): number | undefined {
  const m = ISO.exec(text);
  if (m === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = m;
  const ms = Math.trunc(Number(`0.${fraction ?? '0'}`) * 1000);
  return utc([year, month, day, hour, minute, second].map(Number), zone, ms);
}

function rfcTime(text: string): number | undefined {
  const m = RFC1123.exec(text);
  if (m === null) return undefined;
  const [, day, month, year, hour, minute, second, zone] = m;
  return utc([Number(year), monthOf(month), Number(day), Number(hour), Number(minute), Number(second)], zone, 0);
}

function ascTime(text: string): number | undefined {
  const m = ASCTIME.exec(text);
  if (m === null) return undefined;
  const [, month, day, hour, minute, second, half, year] = m;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  return utc([Number(year), monthOf(month), Number(day), hours, Number(minute), Number(second)], undefined, 0);
}

function monthOf(name: string | undefined): number {
  return MONTHS.indexOf(name?.toLowerCase() ?? '') + 1;
}

// Date.UTC would roll 2026-13-45 over into another day; a time like that is no time.
function utc(parts: readonly number[], zone: string | undefined, ms: number): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  const at = Date.UTC(year, month - 1, day, hour, minute, second, ms) - zoneOffsetMs(zone);
  // Kubernetes prints the zero time for what it does not know.
  return at > 0 ? at : undefined;
}

function zoneOffsetMs(zone: string | undefined): number {
  const m = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  if (m === null) return 0;
  return (m[1] === '-' ? -1 : 1) * (Number(m[2]) * 60 + Number(m[3])) * 60_000;
}

/** A time of the day without a date (`14:02:10`) as ms since midnight. */
export function parseTimeOfDay(text: string): number | undefined {
  const m = /^(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,6}))?Z?$/.exec(text.trim());
  if (m === null) return undefined;
  const [, hour, minute, second, fraction] = m;
  return (
    Number(hour) * 3_600_000 +
    Number(minute) * 60_000 +
    Number(second) * 1000 +
    Math.trunc(Number(`0.${fraction ?? '0'}`) * 1000)
  );
}

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAY_MS = 86_400_000;
const CLOCK = String.raw`(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?`;
const WEEKDAY = `(${WEEKDAYS.join('|')})(?:s|nes|rs?|ur)?(?:day)?\\.?,?`;
const DATE = String.raw`(?:(\d{4})[-/])?(\d{2})[-/](\d{2})`;
const COUNTED = String.raw`(?:day|d|week|w)[ +#]{0,2}(\d{1,3})`;
const OF_WEEKDAY = new RegExp(`^${WEEKDAY}${CLOCK}$`, 'i');
const OF_DATE = new RegExp(`^${DATE}${CLOCK}Z?$`);
const OF_DAY = new RegExp(`^${COUNTED}${CLOCK}$`, 'i');
const ROW_HEAD = new RegExp(`^((?:${WEEKDAY}|${DATE}|${COUNTED})${CLOCK}Z?)(?:\\s*[:|]|\\s+-)?\\s+(\\S.*)$`, 'i');

/** A time as people head a row with it, and after how long its like comes again; ms from any beginning. */
export type RowTime = { readonly at: number; readonly again: number | undefined };

/** `2026-03-01T10:00`, `14:02:10`, `Mon 03:00`, `02-03 06:00`, `day 3`: the time of a row in a table that people keep. */
export function parseRowTime(text: string): RowTime | undefined {
  const own = text.trim();
  const full = parseTime(own);
  if (full !== undefined) return { at: full, again: undefined };
  const ofDay = parseTimeOfDay(own);
  if (ofDay !== undefined) return { at: ofDay, again: DAY_MS };
  return ofWeekday(own) ?? ofDate(own) ?? ofCount(own);
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

function ofCount(text: string): RowTime | undefined {
  const [all, count, ...clock] = OF_DAY.exec(text) ?? [];
  if (all === undefined) return undefined;
  return { at: Number(count) * (/^w/i.test(text) ? 7 : 1) * DAY_MS + clockMs(clock), again: undefined };
}

function clockMs([hour = '0', minute = '0', second = '0']: readonly string[]): number {
  return ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

const UNITS: Readonly<Record<string, number>> = { y: 31_536_000, w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };
const AGE = /^(?:\d{1,6}[ywdhms])+$/;

/** An age as kubectl prints it (`41s`, `4m11s`, `2d3h`) in seconds. */
export function parseAge(text: string): number | undefined {
  if (!AGE.test(text)) return undefined;
  let seconds = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+)([ywdhms])/g))
    seconds += Number(digits) * (UNITS[unit ?? ''] ?? 0);
  return seconds;
}

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

/** Epoch ms of year, month, day and time. Date.UTC would roll 2026-13-45 over into another day; a time like that is no time. */
export function utc(parts: readonly number[], zone: string | undefined, ms: number): number | undefined {
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

/** Clocks of node, API server and engine may differ by some seconds, and a line is written a little after what it tells. */
export const CLOCK_SKEW_MS = 60_000;

const ZONE_STEP_MS = 30 * 60_000;
const FARTHEST_ZONE_MS = 14 * 3_600_000;
// Clocks of two machines, and what lies between an event and the line about it.
const ZONE_SLACK_MS = 120_000;

/** Whether two times that lie this far apart can be of the same moment, one of them told without its zone. */
export function isOfOtherZone(off: number): boolean {
  const rest = Math.abs(off - Math.round(off / ZONE_STEP_MS) * ZONE_STEP_MS);
  return rest <= ZONE_SLACK_MS && Math.abs(off) <= FARTHEST_ZONE_MS + ZONE_SLACK_MS;
}

// Under this much no zone is in between.
const LEAST_ZONE_MS = 900_000;

/** Whether one of two times that lie this far apart may be told in another zone, and not just by another clock. */
export function mayBeOfOtherZone(off: number): boolean {
  return Math.abs(off) > LEAST_ZONE_MS && isOfOtherZone(off);
}

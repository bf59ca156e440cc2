const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS, w: 7 * DAY_MS };

type TimeRead = { readonly kind: 'time'; readonly at: number } | { readonly kind: 'none'; readonly why: string };

/** `7d` before now, `2026-11-01` or `2026-11-01T08:30` in UTC, as epoch ms. The end of a span that names a day is the end of that day. */
export function readTime(typed: string, { now, isEnd }: { readonly now: number; readonly isEnd: boolean }): TimeRead {
  const at = agoOf(typed, now) ?? dateOf(typed, isEnd);
  if (at === undefined) return { kind: 'none', why: ': use `7d`, `12h`, `2026-11-01` or `2026-11-01T08:30`' };
  if (Number.isNaN(at)) return { kind: 'none', why: ': there is no such date' };
  if (!isEnd && at > now) return { kind: 'none', why: ', which is in the future' };
  return { kind: 'time', at };
}

function agoOf(typed: string, now: number): number | undefined {
  const [, count = '', unit = ''] = /^([1-9]\d{0,3})([mhdw])$/.exec(typed.toLowerCase()) ?? [];
  return count === '' ? undefined : now - Number(count) * (UNITS[unit] ?? Number.NaN);
}

// Date.parse takes February 30 for March 2.
function dateOf(typed: string, isEnd: boolean): number | undefined {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?(?:Z| UTC)?$/i.exec(typed) ?? [];
  if (day === undefined) return undefined;
  const at = Date.parse(`${day}T${clock ?? '00:00'}Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day) return Number.NaN;
  return isEnd && clock === undefined ? at + DAY_MS : at;
}

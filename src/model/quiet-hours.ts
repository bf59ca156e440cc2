/** Times of day such as `22:00` in an IANA time zone; `to` before `from` is the next day. */
export type QuietHours = { readonly from: string; readonly to: string; readonly timeZone: string };

/** Whether the wall clock of the time zone is in them at `at`, epoch ms; `from` is, `to` is not. */
export function isInQuietHours({ from, to, timeZone }: QuietHours, at: number): boolean {
  const now = Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timeZone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' });
  return from <= to ? from <= now && now < to : from <= now || now < to;
}

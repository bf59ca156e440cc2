import { z } from 'zod';
import { WEEKDAYS } from '../model/weekday.ts';

function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

export const timeOfDay = () =>
  z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'is no time of day: write it as `08:00`, in quotes' });

export const timeZone = () =>
  z
    .string()
    .refine(isTimeZone, { error: 'is no time zone: use a name such as `Europe/Berlin`, or `UTC`' })
    .default('UTC');

/** When a channel gets its shift handover. */
export const ShiftConfig = z.strictObject({
  channel: z.string().min(1).describe('Channel id, such as `C0123456789`. Invite oombot to it.'),
  at: z.array(timeOfDay()).min(1).describe('Times of day, such as `["08:00", "20:00"]`.'),
  timeZone: timeZone().describe('IANA time zone of these times.'),
  days: z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .default([...WEEKDAYS])
    .describe('Days of the week.'),
  skipIfQuiet: z.boolean().default(false).describe('Post nothing if nothing is open, running, waiting or temporary.'),
});

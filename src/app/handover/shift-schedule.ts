import type { Actor } from '../../model/authorise.ts';
import { WEEKDAYS, type Weekday } from '../../model/weekday.ts';
import { shiftMessage } from '../../report/shift.ts';
import type { Outbox } from '../outbox.ts';
import { shiftSubject } from '../outbox-ports.ts';
import type { Log } from '../ports.ts';
import { isQuiet, readShift, type ShiftDeps } from './shift-handover.ts';

/** When a channel gets its shift handover. `at` are times such as `08:00` in the IANA time zone. */
export type ShiftSchedule = {
  readonly channel: string;
  readonly at: readonly string[];
  readonly timeZone: string;
  readonly days: readonly Weekday[];
  /** Nothing is posted where nothing is to be told. */
  readonly skipIfQuiet: boolean;
};

export type ScheduleDeps = ShiftDeps & {
  readonly schedules: readonly ShiftSchedule[];
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly commandName: string;
  readonly log: Log;
};

// A bot that was down for longer has missed the change of the shift.
const LATE_MS = 60 * 60_000;

/**
 * One look for handovers that are due; those that this process has settled are in `settled`. Each is stored once for its
 * channel and minute, so of several replicas one posts it, and a clock that is set back repeats none. Never rejects.
 */
export async function postDueShifts(deps: ScheduleDeps, settled: Set<string>, stop?: AbortSignal): Promise<void> {
  for (const schedule of deps.schedules) {
    if (stop?.aborted) return;
    await postIfDue(deps, schedule, { settled, stop }).catch((error: unknown) =>
      deps.log.error('shift handover not posted', { error, channel: schedule.channel }),
    );
  }
}

type Round = { readonly settled: Set<string>; readonly stop: AbortSignal | undefined };

async function postIfDue(deps: ScheduleDeps, schedule: ShiftSchedule, { settled, stop }: Round): Promise<void> {
  const { channel, skipIfQuiet } = schedule;
  const now = await deps.acts.now();
  const slot = lastSlot(schedule, now);
  if (slot === undefined || now - slot > LATE_MS) return;
  const name = `${channel}/${slot}`;
  if (settled.has(name)) return;
  const shared = await deps.isShared(channel);
  if (shared) {
    deps.log.error('shift handover not posted: the channel is shared with another organization', { channel });
  } else {
    const actor: Actor = { place: 'slack', user: 'oombot', groups: [], channel, externallyShared: false };
    const shift = await readShift(deps, actor, stop);
    if (skipIfQuiet && isQuiet(shift)) deps.log.info('shift handover skipped: nothing to report', { channel });
    else {
      const message = shiftMessage(shift, deps.commandName);
      const kind = `shift/${slot}` as const;
      await deps.outbox.enqueue({
        incidentId: shiftSubject(channel),
        kind,
        conversation: channel,
        message,
        once: true,
      });
    }
  }
  settled.add(name);
  forgetOld(settled, now);
}

function forgetOld(settled: Set<string>, now: number): void {
  for (const name of settled) {
    if (now - Number(name.slice(name.lastIndexOf('/') + 1)) > 2 * LATE_MS) settled.delete(name);
  }
}

/** The last time before `now` (epoch ms, included) at which the handover of a channel is due; undefined where there is none within two days. */
export function lastSlot({ at, timeZone, days }: ShiftSchedule, now: number): number | undefined {
  const here = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const slots = [0, 1, 2].flatMap((back) => {
    const date = here.toPlainDate().subtract({ days: back });
    const day = WEEKDAYS[date.dayOfWeek - 1];
    if (day === undefined || !days.includes(day)) return [];
    // A time that summer time leaves out is the one an hour later; one that comes twice is the first.
    return at.map((time) => date.toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds);
  });
  const past = slots.filter((slot) => slot <= now);
  return past.length === 0 ? undefined : Math.max(...past);
}

import type { LogReading } from '../../model/log-reading.ts';
import { cleanLine, nearestTime } from '../../read/log/clean-line.ts';
import { isOfOtherZone, mayBeOfOtherZone } from '../../read/text/when.ts';
import { tailLines } from './tail-lines.ts';

/** Between which times something happened, epoch ms; infinite on the side that nothing bounds. */
export type Moment = { readonly from: number; readonly to: number };

export const ANY_TIME: Moment = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** The moment of one known time; any where it is not known. */
export function momentAt(at: number | undefined): Moment {
  return at === undefined ? ANY_TIME : { from: at, to: at };
}

/** A container that is restarted in a loop fails again within minutes (kubelet, MaxContainerBackOff of 300 s and the start). */
export const ONE_INCIDENT_MS = 3_600_000;

/** Whether one failure is seen to lie so long after the other that they are two incidents. */
export function areApart(a: Moment, b: Moment): boolean {
  const between = Math.max(a.from - b.to, b.from - a.to);
  return between > ONE_INCIDENT_MS && !isOfOtherZone(between);
}

/** Whether what lies between two times tells their order: not where one of them may be told in another time zone. */
export function tellsOrder(between: number): boolean {
  const off = Math.abs(between);
  return off > 0 && off <= ONE_INCIDENT_MS && !mayBeOfOtherZone(off);
}

/** When the lines of a run were written: by their own time, else by those of the lines around, else in the life of what wrote them. */
export function momentsIn(run: LogReading, life: Moment, anchor: number): (line: number) => Moment {
  const dated = datedLines(run, anchor);
  return (line) => ({
    from: dated.findLast((one) => one.line <= line)?.at ?? life.from,
    to: dated.find((one) => one.line >= line)?.at ?? life.to,
  });
}

type Dated = { readonly line: number; readonly at: number };

function datedLines(run: LogReading, anchor: number): readonly Dated[] {
  const hits = run.hits.map(({ line, text, at }) => ({ line, at: at ?? timeIn(text, anchor) }));
  const tail = tailLines(run).map(({ line, text }) => ({ line, at: timeIn(text, anchor) }));
  return [...hits, ...tail]
    .flatMap(({ line, at }) => (at === undefined ? [] : [{ line, at }]))
    .toSorted((a, b) => a.line - b.line);
}

function timeIn(text: string, anchor: number): number | undefined {
  const { at, head } = cleanLine(text);
  return at ?? (head && nearestTime(head, anchor));
}

import { createMovedClock } from '../test/whole/moved-clock.ts';

const RealDate = Date;
let moved = 0;

class MovedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [MovedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + moved;
  }
}

/** The clock of a bot whose time can be moved. */
export const clock = createMovedClock();

/** Moves the time of the whole process on, by so many ms: a watch of minutes takes moments. */
export function leap(ms: number): void {
  moved += ms;
  globalThis.Date = MovedDate as DateConstructor;
  clock.wake();
}

// The process lives so many ms later than the others, so that a lease that a killed process held has run out.
const shift = Number(process.env.OOM_TEST_SHIFT_MS ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(args[0]);
  }
  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;

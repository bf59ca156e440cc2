import type { Ids } from '../../src/app/ports.ts';

/** Ids in order: `inc_00000000000000000001`. */
export function createFakeIds(): Ids {
  let last = 0;
  return {
    next(prefix) {
      last += 1;
      return `${prefix}_${String(last).padStart(20, '0')}`;
    },
  };
}

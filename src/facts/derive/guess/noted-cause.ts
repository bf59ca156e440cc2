import type { Group } from '../draft.ts';

/**
 * What people note beside a failure that is proved, where the proof leaves its cause open: the setting that made the
 * difference, what had been sent, who else holds the card, what was put into RAM. It makes nothing certain.
 */
export function deriveNotedCauses(): Group {
  return {};
}

// Beside a line that proves it of the GPU, a memory that nobody names is that one.

// Of another time, another program or nothing at all.

// How many there were is noted with every failure of a server.

// So much of this card: that something runs beside the engine says less.

// Whoever shares cards out put several on one.

// Its size right behind its name, and not none.

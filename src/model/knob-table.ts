import type { Knob } from './knobs-file.ts';
import { fromTables, tablesInForce } from './reference-tables.ts';

export type { Knob };

// The engine whose names playbooks write, whatever engine they will meet.
const WRITTEN = 'vllm';

const namesByEngine = fromTables(
  ({ knobs }): ReadonlyMap<string, readonly (readonly [Knob, string])[]> =>
    new Map(
      Object.entries(knobs).map(([engine, { knobs = {} }]) => [engine, Object.entries(knobs) as [Knob, string][]]),
    ),
);

/** The knob that a playbook means by a flag. */
export function knobMeant(flag: string): Knob | undefined {
  return knobOf(WRITTEN, flag.replaceAll('_', '-'));
}

/** The knob that a flag moves in an engine; undefined for any other flag. */
export function knobOf(engine: string, flag: string): Knob | undefined {
  return namesByEngine()
    .get(engine)
    ?.find(([, name]) => name === flag)?.[0];
}

/** What an engine calls a knob; undefined where it has none, or is not known. */
export function flagOfKnob(engine: string, knob: Knob): string | undefined {
  return tablesInForce().knobs[engine]?.knobs?.[knob];
}

/** The knob that a flag moves in whichever engine has it: no two engines mean different knobs by one name. */
export function knobOfAny(flag: string): Knob | undefined {
  for (const engine of namesByEngine().keys()) {
    const knob = knobOf(engine, flag);
    if (knob !== undefined) return knob;
  }
  return undefined;
}

/** What becomes of requests above the sequences of an engine. */
export function excessOf(engine: string): 'waits' | 'is refused' {
  return tablesInForce().knobs[engine]?.excess ?? 'waits';
}

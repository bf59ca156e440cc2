import { flagOf } from './flag-table.ts';
import { Knob, SetBy, TextKnob } from './knobs-file.ts';
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

/** Why no argument sets the limits of an engine, and the way to change them all the same, where one is known; undefined where arguments set its limits. */
export function fixedLimits(
  engine: string,
  told: unknown,
): { readonly why: string; readonly way?: string } | undefined {
  const setBy = SET_BY.find((one) => one === told) ?? 'unknown';
  if (setBy === 'command-line' || takesArguments({ engine, setBy: undefined })) return undefined;
  return tablesInForce().knobs[engine]?.setBy?.[setBy];
}

/** What a person turns: the four knobs that every engine's edits know, and three more that only texts name. */
const TOLD_KNOBS = TextKnob.options;
export type ToldKnob = (typeof TOLD_KNOBS)[number];

/** Where an engine has its limits from: arguments, a file that overrides them, the built engine, a server's model repository. */
export const SET_BY = SetBy.options;
export type { SetBy };

/** An engine, its version where it is known, and the flags that its own error names. */
type Spoken = {
  readonly engine: string;
  readonly version: string | undefined;
  readonly named?: string | undefined;
  /** What sets the limits of an engine that may be built with them. */
  readonly setBy?: SetBy | undefined;
};

/** What an engine in a version calls a knob, with the value where one is meant (`--kv-cache-dtype fp8`); undefined where it has none, or that is not known. */
export function spellKnob(spoken: Spoken, knob: ToldKnob): string | undefined {
  const { engine, setBy } = spoken;
  const { texts, setBy: setters = {} } = tablesInForce().knobs[engine] ?? {};
  const elsewhere = setBy === undefined || setBy === 'command-line' ? undefined : setters[setBy]?.texts?.[knob];
  if (elsewhere !== undefined) return elsewhere;
  const edited = Knob.safeParse(knob).data;
  const flag = edited !== undefined && takesArguments(spoken) ? flagOfKnob(engine, edited) : undefined;
  const spellings = [flag === undefined ? undefined : { flag, to: undefined }, texts?.[knob]];
  const spelling = spellings.find((one) => one !== undefined && hasFlag(spoken, one.flag));
  if (spelling === undefined) return undefined;
  const { flag: name, to } = spelling;
  return to === undefined ? name : `${name}${name.startsWith('--') ? ' ' : '='}${to}`;
}

/** Whether an engine has a flag: its version has, or its own error names it. */
export function hasFlag({ engine, version, named = '' }: Spoken, flag: string): boolean {
  const answer = flagOf(engine, version, flag);
  return answer.kind === 'exists' || (answer.kind === 'unknown' && named.split(' ').includes(flag));
}

/** Whether the limits of an engine are what its command line says. */
export function takesArguments({ engine, setBy }: Pick<Spoken, 'engine' | 'setBy'>): boolean {
  return setBy === 'command-line' || tablesInForce().knobs[engine]?.setBy === undefined;
}

import type { KnownValue } from '../model/action-entry.ts';
import { flagOf, isTabled } from '../model/flag-table.ts';
import { flagOfKnob, knobMeant } from '../model/knob-table.ts';

/**
 * What the engine at hand calls a flag of a playbook; undefined where that engine in that version has none. Where the
 * version is not known, only what every version has. A flag that no engine's table holds is its author's own word.
 */
export function flagOfEngine(flag: string, known: KnownValue): string | undefined {
  const engine = textOf(known('engine.name'));
  const knob = knobMeant(flag);
  const name = knob === undefined ? flag : engine && flagOfKnob(engine, knob);
  if (name === undefined || !isTabled(name)) return name;
  return flagOf(engine ?? 'unknown', textOf(known('engine.version')), name).kind === 'exists' ? name : undefined;
}

function textOf(value: ReturnType<KnownValue>): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

import type { KnownValue } from '../model/action-entry.ts';
import { isTabled } from '../model/flag-table.ts';
import { hasFlag, SET_BY, takesArguments } from '../model/knob-spelling.ts';
import { flagOfKnob, knobMeant } from '../model/knob-table.ts';

/**
 * What the engine at hand calls a flag of a playbook; undefined where that engine in that version has none. Where the
 * version is not known, only what every version has or the engine's own error names. A flag that no engine's table holds is its author's own word.
 * None of an engine whose limits come from elsewhere.
 */
export function flagOfEngine(flag: string, known: KnownValue): string | undefined {
  const engine = textOf(known('engine.name'));
  const knob = knobMeant(flag);
  const name = knob === undefined ? flag : engine && flagOfKnob(engine, knob);
  if (name === undefined || !isTabled(name)) return name;
  const setBy = SET_BY.find((one) => one === known('engine.set-by'));
  if (knob !== undefined && !takesArguments({ engine: engine ?? 'unknown', setBy })) return undefined;
  const version = textOf(known('engine.version'));
  const named = textOf(known('log.named-flags'));
  return hasFlag({ engine: engine ?? 'unknown', version, named }, name) ? name : undefined;
}

function textOf(value: ReturnType<KnownValue>): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

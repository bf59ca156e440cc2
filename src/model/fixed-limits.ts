import { SET_BY, takesArguments } from './knob-spelling.ts';
import { tablesInForce } from './reference-tables.ts';

/** Why no argument sets the limits of an engine, and the way to change them all the same, where one is known; undefined where arguments set its limits. */
export function fixedLimits(
  engine: string,
  told: unknown,
): { readonly why: string; readonly way?: string } | undefined {
  const setBy = SET_BY.find((one) => one === told) ?? 'unknown';
  if (setBy === 'command-line' || takesArguments({ engine, setBy: undefined })) return undefined;
  return tablesInForce().knobs[engine]?.setBy?.[setBy];
}

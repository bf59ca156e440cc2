import { tablesInForce } from './reference-tables.ts';

/** The variable that sets a flag where the flag itself is not given; undefined where an engine has none of the same name for it. */
export function variableOfFlag(engine: string, flag: string): string | undefined {
  if (tablesInForce().commandLines[engine]?.variables !== 'upper-case' || !flag.startsWith('--')) return undefined;
  return flag.slice(2).replaceAll('-', '_').toUpperCase();
}

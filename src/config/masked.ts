import type { Config } from './schema.ts';

/** The configuration in force as YAML, with nothing left of its secrets. */
export function effectiveConfig(_config: Config): string {
  throw new Error('not built yet');
}

import { stringify } from 'yaml';
import { rightsOf } from './derived-settings.ts';
import type { Config } from './schema.ts';
import { childShape, plainShape, rootShape, type Shape } from './shape.ts';

const MASK = '***';

/** The configuration in force as YAML, with nothing left of its secrets. What channels may read is printed as it is meant. */
export function effectiveConfig(config: Config): string {
  return stringify(mask({ ...config, defaultChannel: rightsOf(config).defaultChannel }, rootShape()), {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}

function mask(value: unknown, shape: Shape | undefined): unknown {
  if (value === undefined) return undefined;
  if (shape?.secret) return MASK;
  if (typeof value === 'string') return maskUrl(value);
  if (Array.isArray(value)) return value.map((element, i) => mask(element, childShape(shape, i)));
  if (typeof value !== 'object' || value === null) return value;
  const inner = shape === undefined ? undefined : plainShape(shape);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mask(one, childShape(inner, key))]));
}

// Any address may hold credentials before the host, or a token behind the question mark.
function maskUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is, `$1?${MASK}`);
}

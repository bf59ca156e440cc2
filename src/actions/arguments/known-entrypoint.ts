import { fromTables } from '../../model/reference-tables.ts';

const imagesByEngine = fromTables(
  ({ commandLines }): ReadonlyMap<string, readonly RegExp[]> =>
    new Map(
      Object.entries(commandLines).map(([engine, line]) => [engine, (line.entrypointImages ?? []).map(asPattern)]),
    ),
);

// A mirror keeps the end of the name; behind a tag that is only begun (`:server`) its build may stand.
function asPattern(image: string): RegExp {
  const end = image.includes(':') ? '[-@]' : '[:@]';
  return new RegExp(`(?:^|/)${image.replaceAll('.', String.raw`\.`)}(?:${end}|$)`);
}

/** Whether the entrypoint of an image is known to be this engine; of all other images nothing is known. */
export function knownEntrypoint(image: unknown, engine: string): 'engine' | 'unknown' {
  if (typeof image !== 'string') return 'unknown';
  return imagesByEngine()
    .get(engine)
    ?.some((pattern) => pattern.test(image))
    ? 'engine'
    : 'unknown';
}

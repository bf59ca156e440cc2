/**
 * One of several as a pattern of its own, in their order and under these flags; a part is a literal or a source. A flag of
 * a part would be lost, and is an error.
 */
export function anyOf(flags: string, ...parts: readonly (RegExp | string)[]): RegExp {
  return new RegExp(parts.map(sourceOf).join('|'), flags);
}

function sourceOf(part: RegExp | string): string {
  if (typeof part === 'string') return part;
  if (part.flags !== '') throw new TypeError(`${part} has flags of its own; give them to anyOf`);
  return part.source;
}

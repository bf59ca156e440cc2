import type { Citation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { formatBytes } from '../../../model/quantity.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { visibleCards } from './visible.ts';

// What every card of a maker has in its name.
const MAKER = /^(?:NVIDIA|AMD)\s(?:GeForce\s|Radeon\s)?/;

/** The cards that the engine sees, by name and memory, where they differ; known only then. */
export function cardsUnlike(evidence: Evidence): Fact | undefined {
  const cards = visibleCards(evidence).flatMap(({ name, total }) =>
    total === undefined
      ? []
      : [{ name: name?.value.replace(MAKER, '') ?? 'GPU', bytes: total.value, from: total.from }],
  );
  const kinds = new Map<string, number>();
  for (const { name, bytes } of cards) {
    const kind = `${name} with ${formatBytes(bytes)}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  if (new Set(cards.map(({ bytes }) => bytes)).size < 2) return undefined;
  const listed = [...kinds].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`));
  return fact(
    listed.join(', '),
    cards.map(({ from }): Citation => from),
  );
}

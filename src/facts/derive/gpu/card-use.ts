import type { Fact } from '../../../model/fact.ts';
import { GIB } from '../../../model/quantity.ts';
import { computed } from '../draft.ts';
import type { Evidence } from '../evidence.ts';

// A context takes up to this; less is a card that nobody works on.
const AT_WORK = GIB;

/** How much more of its memory the fullest card has in use than the emptiest of those that are worked on, by nvidia-smi. */
export function readLead({ smi }: Pick<Evidence, 'smi'>): Fact | undefined {
  const shares = (smi?.gpus ?? []).flatMap(({ used, total }) =>
    used === undefined || total === undefined || used.value < AT_WORK
      ? []
      : [{ value: used.value / total.value, from: used.from }],
  );
  const ordered = shares.toSorted((a, b) => b.value - a.value);
  return ordered.length < 2 ? undefined : computed([ordered[0], ordered.at(-1)], (most, least) => most - least);
}

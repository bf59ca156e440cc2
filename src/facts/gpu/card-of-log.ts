import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { gpuByProduct, gpuMemoryBytes } from '../../model/gpu-table.ts';
import { MIB } from '../../model/quantity.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';

const TAKEN = 'llamacpp.num.free';
const LISTED = 'llamacpp.num.device';

/** The name of the cards as ggml prints it, of those that it takes where it says so; undefined where they differ. */
export function nameInLog(evidence: Pick<Evidence, 'weighing'>): Cited<string> | undefined {
  const [first, ...rest] = namedCards(evidence);
  const name = first?.hit.captures.name;
  if (first === undefined || name === undefined || rest.some(({ hit }) => hit.captures.name !== name)) return undefined;
  return { value: name, from: citeHit(first) };
}

/** Memory of one of these cards: as printed, else by its name; no card has less than was free of it. */
export function totalInLog(evidence: Pick<Evidence, 'weighing'>): Cited<number> | undefined {
  const name = nameInLog(evidence);
  if (name === undefined) return undefined;
  const printed = hitsOf(evidence, LISTED).find(
    ({ hit: { captures } }) => captures.name === name.value && captures.mib !== undefined,
  );
  if (printed !== undefined) return { value: Number(printed.hit.captures.mib) * MIB, from: citeHit(printed) };
  const found = gpuByProduct(name.value);
  if (found === undefined) return undefined;
  const value = found.mig === undefined ? gpuMemoryBytes(found.gpu) : found.mig.approxMib * MIB;
  return hitsOf(evidence, TAKEN).some(({ hit }) => Number(hit.captures.mib) * MIB > value)
    ? undefined
    : { value, from: name.from };
}

/** How many cards ggml lists at its start, where it is more than one: it takes all of them unless it is told otherwise. */
export function cardsInLog(evidence: Pick<Evidence, 'weighing'>): Fact | undefined {
  const listed = hitsOf(evidence, LISTED);
  const count = new Set(listed.map(({ hit }) => hit.captures.gpu)).size;
  return fact(count > 1 ? count : undefined, listed.map(citeHit));
}

function namedCards(evidence: Pick<Evidence, 'weighing'>): readonly Weighed[] {
  const taken = hitsOf(evidence, TAKEN);
  return taken.length > 0 ? taken : hitsOf(evidence, LISTED);
}

function hitsOf({ weighing }: Pick<Evidence, 'weighing'>, id: string): readonly Weighed[] {
  return weighing.all.filter(({ phrase }) => phrase.id === id);
}

import type { FindingName } from '../model/feedback.ts';
import type { Plane } from '../model/taxonomy.ts';
import type { Verdict } from '../model/verdict.ts';
import { PHASE_WORDS } from './words/verdict-words.ts';

export type CauseGroup = { readonly label: string; readonly names: readonly FindingName[] };

type Said = Pick<Verdict, 'finding' | 'plane' | 'phase' | 'alternatives' | 'notRuledOut'>;

const PLANES: readonly (readonly [Plane, string])[] = [
  ['gpu', 'GPU memory'],
  ['host', 'RAM'],
  ['both', 'GPU memory and RAM'],
  ['none', 'Not memory'],
];

/** What a wrong finding may have been, the likeliest first: what it did not rule out, then its own memory and phase. */
export function causeGroups(findings: readonly FindingName[], said: Said): readonly CauseGroup[] {
  const others = findings.filter(({ id, name }, i) => id !== said.finding && i === firstOf(findings, name));
  const named = others.filter((one) => isNamed(one, said));
  const rest = others.filter((one) => !named.includes(one));
  const own = PLANES.filter(([plane]) => plane === said.plane);
  const foreign = PLANES.filter(([plane]) => plane !== said.plane);
  return [
    { label: 'Not ruled out', names: named },
    ...own.flatMap((plane) => ownGroups(rest, plane, said)),
    ...foreign.map(([plane, label]) => ({ label, names: sortedByPhase(within(rest, plane), said) })),
  ].filter(({ names }) => names.length > 0);
}

// Two findings may have one name: a person cannot tell them apart.
function firstOf(findings: readonly FindingName[], name: string): number {
  return findings.findIndex((one) => one.name === name);
}

function isNamed({ id, causes, plane }: FindingName, { alternatives, notRuledOut }: Said): boolean {
  if (plane === 'unknown') return false;
  return notRuledOut.some(({ finding }) => finding === id) || causes.some((cause) => alternatives.includes(cause));
}

function ownGroups(rest: readonly FindingName[], [plane, label]: readonly [Plane, string], said: Said): CauseGroup[] {
  const all = within(rest, plane);
  const when = PHASE_WORDS[said.phase];
  if (when === '') return [{ label, names: all }];
  return [
    { label: `${label}${when}`, names: all.filter((one) => isOfPhase(one, said)) },
    { label: `${label}, other phases`, names: all.filter((one) => !isOfPhase(one, said)) },
  ];
}

function within(findings: readonly FindingName[], plane: Plane): readonly FindingName[] {
  return findings.filter((one) => one.plane === plane);
}

function sortedByPhase(findings: readonly FindingName[], said: Said): readonly FindingName[] {
  return findings.toSorted((a, b) => Number(isOfPhase(b, said)) - Number(isOfPhase(a, said)));
}

function isOfPhase({ phases }: FindingName, { phase }: Said): boolean {
  return phases.includes(phase);
}

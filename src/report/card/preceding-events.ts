import type { Facts, FactValue } from '../../model/fact.ts';
import { formatValue } from '../../model/format-value.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { Cited } from '../words/citations.ts';
import { knownNumber, knownValue, shownValue } from '../words/report-input.ts';

/** Longest quote and longest citation of each. */
export const EVENT_PROOF = [90, 200] as const;

type About = Pick<Verdict, 'plane' | 'phase'>;
type Told = Pick<Verdict, 'evidence'>;
type Rule = { readonly fact: string; readonly says: (facts: Facts, about: About) => string | undefined };

// Most useful first.
const RULES: readonly Rule[] = [
  { fact: 'revision.changed', says: saysRollout },
  { fact: 'requests.prompt-p95', says: saysLengths },
  { fact: 'death.restarts', says: saysRestarts },
  { fact: 'pod.siblings-dead-share', says: saysSiblings },
];

/** Known events before the failure that matter for this verdict and are not in its evidence. */
export function beforeOf(facts: Facts, verdict: About & Told): Cited[] {
  const told = new Set(verdict.evidence.map(({ fact }) => fact));
  return RULES.flatMap(({ fact: id, says }) => {
    const fact = facts.get(id);
    if (fact?.kind !== 'known' || told.has(id) || (id === 'revision.changed' && isCause(told, fact.value))) return [];
    const text = says(facts, verdict);
    return text === undefined ? [] : [{ fact: id, says: text, from: fact.from }];
  });
}

// A single change that is the cause; of several, the others are listed here.
function isCause(told: ReadonlySet<string>, changed: FactValue): boolean {
  return [...told].some((id) => id.startsWith('revision.took-')) && !String(changed).includes('; ');
}

function saysRollout(facts: Facts): string | undefined {
  const changed = knownValue(facts, 'revision.changed');
  if (typeof changed !== 'string' || changed === 'nothing') return undefined;
  const when = shownValue(facts, 'revision.rollout', 'text');
  return `The last rollout${when === undefined ? '' : ` ${when}`} changed ${changed.replaceAll(' -> ', ' → ')}`;
}

const OF_LOAD: ReadonlySet<string> = new Set(['burst', 'chronic', 'prefix-cache', 'n/a']);

function isOfLoad({ plane, phase }: About): boolean {
  return plane !== 'none' && OF_LOAD.has(phase);
}

function saysLengths(facts: Facts, about: About): string | undefined {
  if (!isOfLoad(about)) return undefined;
  return `P95 prompt length before: ${shownValue(facts, 'requests.prompt-p95', 'tokens')}`;
}

function saysRestarts(facts: Facts, { plane }: About): string | undefined {
  const restarts = knownNumber(facts, 'death.restarts') ?? 0;
  if (restarts < 2 || plane === 'none' || plane === 'both') return undefined;
  return `The container restarted ${restarts} times in this pod`;
}

function saysSiblings(facts: Facts): string | undefined {
  const share = knownNumber(facts, 'pod.siblings-dead-share');
  if (share === undefined) return undefined;
  if (share === 0) return 'No other replica died in the 20 minutes before: check this pod, its node and its requests';
  return `${formatValue('share', share)} of the other replicas died within 20 minutes: not this pod alone`;
}

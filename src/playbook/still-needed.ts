import type { Citation } from '../model/citation.ts';
import type { Facts } from '../model/fact.ts';

type Source = {
  readonly words: RegExp;
  readonly isThere: (facts: Facts) => boolean;
  /** Left out where nobody would look into it for the answer. */
  readonly name?: string;
};

// What a person would go and get in vain, since the evidence holds it.
const SOURCES: readonly Source[] = [
  {
    words: /^the (?:engine arguments|arguments of the engine)(?: \(.*\))?$/,
    name: 'the engine arguments',
    isThere: (facts) => [...facts.values()].some((fact) => fact.kind === 'known' && fact.from.some(isArgument)),
  },
  {
    words: /^the scheduler dump (?:(?! or ).)*$/,
    name: 'the scheduler dump',
    isThere: (facts) => isKnown(facts, 'step.scheduled-tokens') || isKnown(facts, 'step.requests'),
  },
  { words: /^the memory limit$/, name: 'the memory limit', isThere: (facts) => isKnown(facts, 'ram.limit') },
  { words: /^the version of vLLM\b/, isThere: (facts) => isKnown(facts, 'engine.generation') || isOther(facts) },
];

// `X, and Y`, and `X and the Y`: each of them is needed.
const PARTS = /, and | and (?=the )/;

/** What of a fact's needs is not in the evidence: that sends nobody for what is there already. */
export function stillNeeded(needs: string, facts: Facts): string {
  const parts = needs.split(PARTS);
  const there = (part: string) => SOURCES.find(({ words, isThere }) => words.test(part) && isThere(facts));
  const missing = parts.filter((part) => there(part) === undefined);
  if (missing.length === parts.length) return needs;
  if (missing.length > 0) return missing.join(', and ');
  const names = parts.flatMap((part) => there(part)?.name ?? []);
  return `what ${names.join(' and ')} in the evidence can not tell`;
}

function isOther(facts: Facts): boolean {
  const engine = facts.get('engine.name');
  return engine?.kind === 'known' && engine.value !== 'vllm';
}

function isKnown(facts: Facts, id: string): boolean {
  return facts.get(id)?.kind === 'known';
}

function isArgument(citation: Citation): boolean {
  if (citation.kind === 'field') return /\/(?:args|command)(?:\/|$)/.test(citation.path);
  return citation.file === 'args.txt';
}

import type { Citation } from '../model/citation.ts';
import type { FactEntry, Facts, UnknownFact } from '../model/fact.ts';
import type { NotRuledOut } from '../model/verdict.ts';
import type { MissingFact } from './judge.ts';

type Source = {
  readonly words: RegExp;
  readonly isThere: (facts: Facts) => boolean;
  /** Left out where nobody would look into it for the answer. */
  readonly name?: string;
  /** What would tell though this is there. */
  readonly instead?: string;
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
    isThere: (facts) => isKnown(facts, 'step.scheduled-tokens'),
  },
  {
    words: /^the age of the process(?: .*)?$/,
    instead: 'the log from its start',
    isThere: (facts) => isKnown(facts, 'death.uptime'),
  },
  { words: /^the memory limit$/, name: 'the memory limit', isThere: (facts) => isKnown(facts, 'ram.limit') },
  { words: /^the version of vLLM\b/, isThere: (facts) => isKnown(facts, 'engine.generation') || isOther(facts) },
];

// `X, and Y`, and `X and the Y`: each of them is needed.
const PARTS = /, and | and (?=the )/;

type Needed = Pick<NotRuledOut['missing'][number], 'needs' | 'held'>;

/** What of a fact's needs is not in the evidence; where all of it is, that it does not show the fact. So nobody is sent for what is there already. */
export function stillNeeded({ entry, fact }: MissingFact, facts: Facts): Needed {
  const parts = entry.needs.split(PARTS).map((part) => lookUp(part, fact, facts));
  const missing = parts.flatMap((part) => part.missing ?? []);
  if (missing.length > 0) return { needs: missing.join(', and ') };
  const names = [...new Set(parts.flatMap((part) => part.held))];
  if (names.length === 0) return { needs: entry.needs };
  const [are, do_] = names.length > 1 || names[0] === 'the engine arguments' ? ['are', 'do'] : ['is', 'does'];
  return { needs: `${names.join(' and ')} ${are} there, but ${do_} not show ${lackOf(entry)}`, held: true };
}

type LookedUp = { readonly missing?: string | undefined; readonly held: readonly string[] };

function lookUp(part: string, { held = [] }: UnknownFact, facts: Facts): LookedUp {
  const source = SOURCES.find(({ words }) => words.test(part));
  if (source !== undefined) {
    return source.isThere(facts)
      ? { missing: source.instead, held: source.name === undefined ? [] : [source.name] }
      : { missing: part, held: [] };
  }
  // Where one of two would tell, the other is still to be had.
  const isChoice = part.replaceAll(/\([^)]*\)/g, '').includes(' or ');
  const files = isChoice ? [] : held.filter((file) => part.includes(file) || (LOG.test(part) && file.endsWith('.log')));
  return files.length === 0 ? { missing: part, held: [] } : { held: files };
}

const LOG = /^the whole (?:previous )?log of the container/;

/** `whether a child process was ended by signal 9`, `the exit code`, `how far the start came`. */
function lackOf({ says, unit }: FactEntry): string {
  if (unit === 'yes-no') return `whether ${says}`;
  if (/^(?:free|held|in use|reserved) /.test(says)) return `what is ${says}`;
  return /^(?:an?|how|the|what|which|whose) /.test(says) ? says : `the ${says}`;
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

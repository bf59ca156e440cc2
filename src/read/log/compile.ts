import { type Phrase, phraseExpression, scanRange } from '../../model/phrase.ts';
import { buildGate, type Gate, shortest } from './gate.ts';

/** One phrase with its expression, and its literals as bytes read as latin1. `decides` is false for weight `context`. */
export type Matcher = {
  readonly phrase: Phrase;
  readonly expression: RegExp;
  readonly bytes: readonly string[];
  readonly decides: boolean;
};

/** Phrases ready to scan with: compile once, share between scanners. */
export type CompiledPhrases = {
  readonly byId: ReadonlyMap<string, Phrase>;
  /** What the gate over the whole log looks for: every line that a phrase of that range matches holds one of them. */
  readonly gateLiterals: readonly string[];
  /** Phrases looked for in the whole log. */
  readonly wholeGate: Gate<Matcher>;
  /** Phrases looked for at the ends of the log only. */
  readonly endsGate: Gate<Matcher>;
};

// People paste events and statuses into logs and notes, so by default all places are looked for everywhere.
const EVERYWHERE: readonly Phrase['where'][] = ['log', 'kernel', 'k8s-event', 'k8s-status', 'k8s-api'];

/** Compiles the phrases of the given places (all by default); throws SyntaxError for a pattern that is none. */
export function compilePhrases(
  phrases: readonly Phrase[],
  where: readonly Phrase['where'][] = EVERYWHERE,
): CompiledPhrases {
  const used = phrases.filter((phrase) => where.includes(phrase.where));
  const whole = used.filter((phrase) => scanRange(phrase) === 'whole').map(toMatcher);
  const ends = used.filter((phrase) => scanRange(phrase) === 'ends').map(toMatcher);
  return {
    byId: new Map(used.map((phrase) => [phrase.id, phrase])),
    gateLiterals: shortest(whole.flatMap((matcher) => matcher.phrase.literals)),
    wholeGate: gateOf(whole),
    endsGate: gateOf(ends),
  };
}

function toMatcher(phrase: Phrase): Matcher {
  return {
    phrase,
    expression: phraseExpression(phrase),
    bytes: phrase.literals.map(toLatin1),
    decides: phrase.weight !== 'context',
  };
}

function gateOf(matchers: readonly Matcher[]): Gate<Matcher> {
  return buildGate(matchers.flatMap((owner) => owner.bytes.map((literal) => ({ literal, owner }))));
}

// The gate runs over bytes read as latin1, so a literal beyond ASCII is looked for in the bytes of its UTF-8 form.
function toLatin1(literal: string): string {
  return Buffer.from(literal, 'utf8').toString('latin1');
}

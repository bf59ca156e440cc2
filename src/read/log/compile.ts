import { type LineExpression, type Phrase, phraseExpression, scanRange } from '../../model/phrase.ts';
import { buildGate, type Gate, shortest } from './gate.ts';

/** One phrase with its expression, and its literals as bytes read as latin1. `decides` is false for weight `context`. */
export type Matcher = {
  readonly phrase: Phrase;
  readonly expression: LineExpression;
  readonly bytes: readonly string[];
  readonly decides: boolean;
};

/** Phrases ready to scan with: compile once, share between scanners. */
export type CompiledPhrases = {
  /** What the gate over the whole log looks for: every line that a phrase of that range matches holds one of them. */
  readonly gateLiterals: readonly string[];
  /** Phrases looked for in the whole log. */
  readonly wholeGate: Gate<Matcher>;
  /** Phrases looked for at the ends of the log only. */
  readonly endsGate: Gate<Matcher>;
};

/** Compiles the phrases, those of all places: people paste events and statuses into logs and notes. Throws for a pattern that is none. */
export function compilePhrases(phrases: readonly Phrase[]): CompiledPhrases {
  const whole = phrases.filter((phrase) => scanRange(phrase) === 'whole').map(toMatcher);
  const ends = phrases.filter((phrase) => scanRange(phrase) === 'ends').map(toMatcher);
  return {
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

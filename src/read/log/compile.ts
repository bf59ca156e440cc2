import { type LineExpression, type Signature, scanRange, signatureExpression } from '../../model/signature.ts';
import { buildGate, type Gate, shortest } from './gate.ts';

/** One signature with its expression, and its literals as bytes read as latin1. `decides` is false for weight `context`. */
export type Matcher = {
  readonly signature: Signature;
  readonly expression: LineExpression;
  readonly bytes: readonly string[];
  readonly decides: boolean;
};

/** Signatures ready to scan with: compile once, share between scanners. */
export type CompiledSignatures = {
  /** What the gate over the whole log looks for: every line that a signature of that range matches holds one of them. */
  readonly gateLiterals: readonly string[];
  /** Signatures looked for in the whole log. */
  readonly wholeGate: Gate<Matcher>;
  /** Signatures looked for at the ends of the log only. */
  readonly endsGate: Gate<Matcher>;
};

/** Compiles the signatures, those of all places: people paste events and statuses into logs and notes. Throws for a pattern that is none. */
export function compileSignatures(signatures: readonly Signature[]): CompiledSignatures {
  const whole = signatures.filter((signature) => scanRange(signature) === 'whole').map(toMatcher);
  const ends = signatures.filter((signature) => scanRange(signature) === 'ends').map(toMatcher);
  return {
    gateLiterals: shortest(whole.flatMap((matcher) => matcher.signature.literals)),
    wholeGate: gateOf(whole),
    endsGate: gateOf(ends),
  };
}

function toMatcher(signature: Signature): Matcher {
  return {
    signature,
    expression: signatureExpression(signature),
    bytes: signature.literals.map(toLatin1),
    decides: signature.weight !== 'context',
  };
}

function gateOf(matchers: readonly Matcher[]): Gate<Matcher> {
  return buildGate(matchers.flatMap((owner) => owner.bytes.map((literal) => ({ literal, owner }))));
}

// The gate runs over bytes read as latin1, so a literal beyond ASCII is looked for in the bytes of its UTF-8 form.
function toLatin1(literal: string): string {
  return Buffer.from(literal, 'utf8').toString('latin1');
}

import fc from 'fast-check';
import { expect } from 'vitest';
import { type EditOutcome, REFUSALS } from '../../../src/actions/arguments/outcome.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import type { PatchOperation } from '../../../src/model/plan.ts';

/** What came of an edit: the JSON after it, and again after its inverse; or why there is none. */
export type Attempt =
  | { readonly kind: 'edited'; readonly after: unknown; readonly undone: unknown }
  | { readonly kind: 'refused'; readonly reason: string; readonly says: string };

/** One way in which people write flags down. */
export type Form<S extends { readonly isLiteral: boolean }> = {
  readonly specs: fc.Arbitrary<S>;
  /** The JSON that is edited. */
  before(spec: S): unknown;
  attempt(spec: S): Attempt;
  /** Throws where anything but what was intended differs. */
  check(spec: S, after: unknown): void;
  /** Reasons that are right for this one; where not told, any of the list is. */
  reasons?(spec: S): readonly string[];
};

export type Tally = {
  specs: number;
  edited: number;
  /** Those that hold the flag literally, with another value. */
  literal: number;
  literalEdited: number;
  readonly reasons: Map<string, number>;
};

/** Edits generated specs of one form, and holds every result against its oracle. */
export type RunForm = (numRuns: number, seed: number) => Tally;

export function formOf<S extends { readonly isLiteral: boolean }>(form: Form<S>): RunForm {
  return (numRuns, seed) => {
    const tally: Tally = { specs: 0, edited: 0, literal: 0, literalEdited: 0, reasons: new Map() };
    fc.assert(
      fc.property(form.specs, (spec) => {
        checkSpec(form, spec, tally);
      }),
      { numRuns, seed },
    );
    return tally;
  };
}

function checkSpec<S extends { readonly isLiteral: boolean }>(form: Form<S>, spec: S, tally: Tally): void {
  const outcome = form.attempt(spec);
  tally.specs++;
  if (spec.isLiteral) tally.literal++;
  if (outcome.kind === 'refused') {
    expect(form.reasons?.(spec) ?? REFUSALS).toContain(outcome.reason);
    expect(outcome.says).toMatch(/\.$/);
    const name = `${spec.isLiteral ? 'literal' : 'other'}: ${outcome.reason}`;
    tally.reasons.set(name, (tally.reasons.get(name) ?? 0) + 1);
    return;
  }
  tally.edited++;
  if (spec.isLiteral) tally.literalEdited++;
  expect(JSON.stringify(outcome.undone)).toBe(JSON.stringify(form.before(spec)));
  form.check(spec, outcome.after);
}

/** An edit's patch and its inverse, applied. */
export function attemptOf(before: unknown, outcome: EditOutcome): Attempt {
  if (outcome.kind === 'refused') return outcome;
  const after = applyOrFail(before, outcome.patch);
  return { kind: 'edited', after, undone: applyOrFail(after, outcome.inverse) };
}

export function applyOrFail(value: unknown, patch: readonly PatchOperation[]): unknown {
  const outcome = applyPatch(value, patch);
  if (outcome.kind === 'failed') throw new Error(`operation ${outcome.at}: ${outcome.why}`);
  return outcome.value;
}

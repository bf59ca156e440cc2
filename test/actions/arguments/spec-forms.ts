import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editArguments } from '../../../src/actions/arguments/edit-arguments.ts';
import { REFUSALS } from '../../../src/actions/arguments/edit-outcome.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import type { PatchOperation } from '../../../src/model/plan.ts';
import { type HazardSpec, hazardSpecs, listSpecs, type Spec, scriptSpecs } from './generated-specs.ts';
import { switchFlags } from './generated-switches.ts';
import { shortFlags, valuedFlags } from './generated-words.ts';
import { checkWords } from './word-oracle.ts';

/** `literal` counts those that hold the flag literally, with another value. */
type Tally = { specs: number; edited: number; literal: number; literalEdited: number };

type Form = {
  readonly name: string;
  /** How many of a hundred specs are of it. */
  readonly share: number;
  readonly specs: fc.Arbitrary<Spec | HazardSpec>;
};

const any = fc.oneof(valuedFlags, switchFlags);

/** Every way in which flags are written down. */
const FORMS: readonly Form[] = [
  { name: 'flag in a list', share: 22, specs: listSpecs(valuedFlags) },
  { name: 'flag in a script', share: 32, specs: scriptSpecs(valuedFlags) },
  { name: 'switch in a list', share: 14, specs: listSpecs(switchFlags) },
  { name: 'switch in a script', share: 14, specs: scriptSpecs(switchFlags) },
  { name: 'short form in a list', share: 8, specs: listSpecs(shortFlags) },
  { name: 'short form in a script', share: 8, specs: scriptSpecs(shortFlags) },
  { name: 'script that nobody can be sure of', share: 2, specs: hazardSpecs(scriptSpecs(any)) },
];

/** Edits the share of `total` specs that is of one form, and holds every result against its oracle. */
function checkForm({ name, share, specs }: Form, total: number, seed: number): Tally {
  const tally: Tally = { specs: 0, edited: 0, literal: 0, literalEdited: 0 };
  fc.assert(
    fc.property(specs, (spec) => checkSpec(spec, tally)),
    { numRuns: (total * share) / 100, seed: seed + FORMS.findIndex((form) => form.name === name) },
  );
  return tally;
}

function checkSpec(spec: Spec | HazardSpec, tally: Tally): void {
  const { engine, container, flag, to } = spec;
  const outcome = editArguments({ engine, container, at: '', edits: [{ flag, to }] });
  tally.specs++;
  if (spec.isLiteral) tally.literal++;
  if (outcome.kind === 'refused') {
    expect(reasonsOf(spec)).toContain(outcome.reason);
    expect(outcome.says).toMatch(/\.$/);
    return;
  }
  tally.edited++;
  if ('reason' in spec) return;
  if (spec.isLiteral) tally.literalEdited++;
  const after = applyOrFail(container, outcome.patch);
  expect(JSON.stringify(applyOrFail(after, outcome.inverse))).toBe(JSON.stringify(container));
  checkWords(container, after as Spec['container'], spec);
}

// What is so already is the only thing that there is nothing to do about; the editor's own check never has to step in.
function reasonsOf(spec: Spec | HazardSpec): readonly string[] {
  if ('reason' in spec) return [spec.reason];
  const isSoAlready = spec.steps.length === 0;
  return REFUSALS.filter((one) => one !== 'check-failed' && (one !== 'nothing-to-change' || isSoAlready));
}

function applyOrFail(value: unknown, patch: readonly PatchOperation[]): unknown {
  const outcome = applyPatch(value, patch);
  if (outcome.kind === 'failed') throw new Error(`operation ${outcome.at}: ${outcome.why}`);
  return outcome.value;
}

/** The share of those that hold the flag literally which are edited. */
function shareOf(tallies: readonly Tally[]): number {
  const sum = (key: 'literal' | 'literalEdited') => tallies.reduce((all, tally) => all + tally[key], 0);
  return sum('literalEdited') / sum('literal');
}

/** Edits `total` generated specs; of each form at least `share` are edited where the flag stands there literally. */
export function testForms(total: number, share: number): void {
  const tallies: Tally[] = [];

  describe(`edits of ${total} generated specs`, () => {
    it.each(FORMS)(
      'that hold a $name change exactly what was intended, as its own oracle reads it',
      (form) => {
        const tally = checkForm(form, total, 4);
        tallies.push(tally);

        expect(tally.specs).toBe((form.share * total) / 100);
        expect(tally.literal).toBeGreaterThan(0);
        if (form.name.startsWith('script that')) expect(tally.edited).toBe(0);
        else expect(shareOf([tally])).toBeGreaterThanOrEqual(share);
      },
      400_000,
    );

    it('are made where they hold the flag literally', () => {
      expect(shareOf(tallies)).toBeGreaterThanOrEqual(share);
    });
  });
}

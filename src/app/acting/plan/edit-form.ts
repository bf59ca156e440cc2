import { checkBounds, checkProtected, checkTaken } from '../../../actions/guards.ts';
import type { Bound } from '../../../model/plan.ts';

export { sayRange } from '../../../actions/guards.ts';

/** One value of a plan that a person may change; a bound is null where there is none. */
export type EditField = Bound & {
  readonly from: string | null;
  readonly to: string | null;
  readonly why: string;
};

/** What a person may change of a plan before it is approved. */
export type EditForm = { readonly planId: string; readonly name: string; readonly fields: readonly EditField[] };

/** A value as it was typed; empty takes the flag away. */
export type EditedValue = { readonly flag: string; readonly to: string | null };

/** What is wrong with the values, by their flag. Pure, so that a form can be answered before anything is read. */
export function checkValues(bounds: readonly Bound[], values: readonly EditedValue[]): ReadonlyMap<string, string> {
  const edits = values.map(({ flag, to }) => ({ flag, to, from: null, why: '', facts: [] }));
  // The last problem of a flag wins.
  const problems = [...checkTaken(edits, undefined), ...checkBounds(edits, bounds), ...checkProtected(edits)];
  return new Map(problems.map(({ flag, says }) => [flag, says.replace(`${flag}: `, '')]));
}

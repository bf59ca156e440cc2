import type { EngineState } from '../../budget/outcome.ts';
import { propose } from '../../budget/proposal.ts';
import type { StartAnswer } from '../../model/budget.ts';
import type { Edit, Verdict } from '../../model/verdict.ts';
import { parseWanted } from './budget.ts';

/** What a finding sets: `own` goes into the plan, `offered` is that and the values that its other offers have. */
export type Own = { readonly own: readonly Edit[]; readonly offered: readonly Edit[] };

/** What a finding itself sets now: by the first of its offers of arguments, and by all of them. */
export function ownOf({ remedies }: Pick<Verdict, 'remedies'>): Own {
  const sets = remedies.filter(
    ({ kind, action, edits }) =>
      kind === 'stop-bleed' && (action === 'set-args' || action === 'stop-bleed') && edits.length > 0,
  );
  return { own: sets[0]?.edits ?? [], offered: sets.flatMap(({ edits }) => edits) };
}

/** Whether an engine starts with values in the place of its own; an estimate refuses none. */
export function startWith(state: EngineState, edits: readonly Edit[]): StartAnswer {
  const wanted = edits.flatMap(({ flag, to }) => (isPositive(to) ? [parseWanted(`${flag}=${to}`)] : []));
  return propose(state, wanted).after.start;
}

// What is no number is told as outside of its bounds.
function isPositive(text: string | null): boolean {
  return text !== null && text.trim() !== '' && Number.isFinite(Number(text)) && Number(text) > 0;
}

/** The engine, and whether the signature raises its fraction. */
export type Around = { readonly state: EngineState; readonly raises: boolean };

/**
 * A profile beside what the finding computed: a flag has one value, and that is the finding's. The rest of the profile comes
 * with it as far as the engine still starts; a fraction is not raised for a start that needs no more.
 */
export function profileNextToFinding(
  profile: readonly Edit[],
  { own, offered }: Own,
  { state, raises }: Around,
): readonly Edit[] {
  let taken = own;
  for (const edit of profile) {
    const isSet = taken.some(({ flag }) => flag === edit.flag);
    const before = startWith(state, taken);
    const needsNoMore = raises && edit.flag === state.knobs.fraction && before.kind === 'starts' && before.proven;
    if (isSet || needsNoMore) continue;
    const next = [...taken, offered.find(({ flag }) => flag === edit.flag) ?? edit];
    if (startWith(state, next).kind === 'starts' || before.kind === 'refuses') taken = next;
  }
  return taken;
}

import type { ProfileBudget } from '../model/budget.ts';
import type { Remedy } from '../model/verdict.ts';
import { type Fit, fitProfile } from './fit-profile.ts';
import { type EngineState, outcomeOf } from './outcome.ts';
import { PROFILE_NAMES, type ProfileName, profileOf } from './profiles.ts';
import { outcomeWith, type WantedFlag } from './proposal.ts';

/** What each profile would set in an engine, and whether it would start with it. */
export function profilesFor(state: EngineState, direction: Remedy['direction']): readonly ProfileBudget[] {
  return PROFILE_NAMES.flatMap((name) => {
    const fit = fitOf(state, name, direction);
    return fit.kind === 'none' ? [] : [budgetOf(state, name, fit)];
  });
}

/** The values of a profile, as somebody would type them; none where it is refused. */
export function wantedOf(state: EngineState, name: ProfileName, direction: Remedy['direction']): readonly WantedFlag[] {
  const fit = fitOf(state, name, direction);
  return fit.kind === 'fitted' ? fit.edits.map(({ flag, to }) => ({ flag, text: to, number: Number(to) })) : [];
}

function fitOf(state: EngineState, profile: ProfileName, direction: Remedy['direction']): Fit {
  return fitProfile({ ...state, profile, direction });
}

function budgetOf(state: EngineState, name: ProfileName, fit: Exclude<Fit, { kind: 'none' }>): ProfileBudget {
  const says = profileOf(state.book, state.engine, name)?.says ?? '';
  if (fit.kind === 'refused') {
    return { name, says, edits: [], left: [], start: { kind: 'refuses', why: fit.why }, sum: fit.sum };
  }
  const { edits, left, sum } = fit;
  const wanted = edits.map(({ flag, to }) => ({ flag, text: to, number: Number(to) }));
  const { start } = edits.length === 0 ? outcomeOf(state) : outcomeWith(state, wanted);
  return { name, says, edits, left, start, sum };
}

import { knobsOf } from '../../../budget/engine-knobs.ts';
import { PROFILE_NAMES, type ProfileBook, type ProfileName } from '../../../budget/profiles.ts';
import { engineKey } from '../../../model/engine-names.ts';
import type { Bound } from '../../../model/plan.ts';
import type { Edit, Remedy, Verdict } from '../../../model/verdict.ts';
import { boundsFor, type EngineEvidence, fitFor, fractionDirection, summedState } from '../../budget/budget.ts';
import { textOf } from '../../budget/engine-figures.ts';
import { type Own, ownOf, profileFor, profileNextToFinding, startWith } from '../../budget/profile-of-finding.ts';
import { checkChosen } from './check-plan.ts';
import type { ChosenEdits } from './choose-edits.ts';
import type { PlanRequest } from './plan-request.ts';

export type Profiled =
  | { readonly kind: 'chosen'; readonly chosen: ChosenEdits; readonly profile: ProfileName | null }
  | { readonly kind: 'refused'; readonly says: string };

type ProfileAsk = {
  readonly verdict: Verdict;
  readonly request: PlanRequest;
  /** Undefined where the evidence cannot be read for its engine. */
  readonly engine: EngineEvidence | undefined;
  readonly book: ProfileBook | undefined;
};

type Known = { readonly engine: EngineEvidence; readonly book: ProfileBook; readonly profile: ProfileName };

/**
 * Puts the values of a profile into what was chosen: all of them where one was named, or where the finding offers an
 * action without values; else only its bounds. What the finding computed itself wins over the profile.
 */
export function applyProfile(chosen: ChosenEdits, { verdict, request, engine, book }: ProfileAsk): Profiled {
  const asked = request.profile;
  const takes = chosen.action === 'set-args' || chosen.action === 'stop-bleed';
  if (!takes && asked !== undefined)
    return refused(`${chosen.action} sets no arguments, so \`--profile\` does not apply.`);
  const profile =
    asked ?? PROFILE_NAMES.find((name) => name === chosen.profile) ?? profileFor(verdict, engine?.facts ?? new Map());
  const untouched: Profiled = { kind: 'chosen', chosen, profile: null };
  if (!takes || profile === undefined) return untouched;
  if (engine === undefined || book === undefined) {
    return asked === undefined ? untouched : refused(`Cannot compute the ${asked} profile: the engine is unknown.`);
  }
  const known = { engine, book, profile };
  const isWhole = request.isEdit !== true && (asked !== undefined || chosen.edits.length === 0);
  return isWhole ? withValues(chosen, verdict, known, request) : withBounds(chosen, verdict, known);
}

function wishOf({ engine, book, profile }: Known, verdict: Verdict) {
  const knobs = knobsOf(engineKey(textOf(engine.facts, 'engine.name') ?? ''));
  return { book, profile, direction: fractionDirection(verdict, knobs?.fraction, engine.facts) };
}

function withValues(chosen: ChosenEdits, verdict: Verdict, known: Known, request: PlanRequest): Profiled {
  const { engine, profile } = known;
  const wish = wishOf(known, verdict);
  const fit = fitFor(engine, wish);
  if (fit.kind === 'none') return refused(`Cannot apply the ${profile} profile: ${fit.why}.`);
  if (fit.kind === 'refused') return refused(`Cannot apply the ${profile} profile: ${fit.why}. Sum: ${fit.sum}.`);
  const edits = mergeProfile(fit.edits, chosen, { verdict, known, request, direction: wish.direction });
  if (edits.length === 0) {
    const left = fit.left.map(({ flag, why }) => `${flag}: ${why}`).join('; ');
    return refused(`The ${profile} profile changes nothing: ${left}.`);
  }
  const direction = chosen.edits.length === 0 ? 'none' : chosen.direction;
  return bounded({ ...chosen, edits, direction }, boundsFor(engine, wish), known);
}

type MergeInput = {
  readonly verdict: Verdict;
  readonly known: Known;
  readonly request: PlanRequest;
  readonly direction: Remedy['direction'];
};

function mergeProfile(profile: readonly Edit[], { edits }: ChosenEdits, of: MergeInput): readonly Edit[] {
  const { verdict, known, request, direction } = of;
  const state = summedState(known.engine, known.book);
  if (state === undefined) return profile;
  const typed = new Set(request.values.map(({ flag }) => flag));
  // What the finding computed is for the current engine: if that would not start with it, the profile's value counts.
  const own: Own =
    whyNoStart(edits, known) === undefined
      ? { own: edits, offered: [...edits, ...ownOf(verdict).offered] }
      : { own: edits.filter(({ flag }) => typed.has(flag)), offered: [] };
  return profileNextToFinding(profile, own, { state, raises: direction === 'raise' });
}

function withBounds(chosen: ChosenEdits, verdict: Verdict, known: Known): Profiled {
  return bounded(chosen, boundsFor(known.engine, wishOf(known, verdict)), known);
}

function bounded(chosen: ChosenEdits, bounds: readonly Bound[], known: Known): Profiled {
  const own = bounds.map((bound) =>
    widen(
      bound,
      chosen.offered.find(({ flag }) => flag === bound.flag),
    ),
  );
  const others = chosen.bounds.filter(({ flag }) => !bounds.some((bound) => bound.flag === flag));
  const touches = chosen.edits.some(({ flag }) => bounds.some((bound) => bound.flag === flag));
  const next = { ...chosen, bounds: [...own, ...others] };
  // The caller reports values outside their bounds.
  const why = checkChosen(next) === undefined ? whyNoStart(chosen.edits, known) : undefined;
  if (why !== undefined) return refused(`The engine would not start with these values: ${why}.`);
  return { kind: 'chosen', chosen: next, profile: touches ? known.profile : null };
}

// What the finding offers is never outside of the bounds of its own plan.
function widen(bound: Bound, offered: Edit | undefined): Bound {
  const value = offered?.to === null || offered === undefined ? Number.NaN : Number(offered.to);
  if (!Number.isFinite(value)) return bound;
  return {
    ...bound,
    min: bound.min === null ? null : Math.min(bound.min, value),
    max: bound.max === null ? null : Math.max(bound.max, value),
  };
}

function whyNoStart(edits: readonly Edit[], { engine, book }: Known): string | undefined {
  const state = summedState(engine, book);
  const start = state && edits.length > 0 ? startWith(state, edits) : undefined;
  return start?.kind === 'refuses' ? start.why : undefined;
}

function refused(says: string): Profiled {
  return { kind: 'refused', says };
}

import { profilesFor } from '../../budget/account.ts';
import type { Knobs } from '../../budget/engine-knobs.ts';
import type { EngineState } from '../../budget/outcome.ts';
import { type ProfileBook, type ProfileName, profileClass } from '../../budget/profiles.ts';
import { propose } from '../../budget/proposal.ts';
import type { ProfileBudget, StartAnswer } from '../../model/budget.ts';
import type { Facts } from '../../model/fact.ts';
import type { Edit, OfferedProfile, Verdict } from '../../model/verdict.ts';
import { type EngineEvidence, fractionDirection, parseWanted, summedState } from './budget.ts';

/** The profile of a finding: more memory for a startup refused over KV space, space outside the pool for a failure under load, less of everything for a failed startup. */
export function profileFor(verdict: Verdict, facts: Facts): ProfileName | undefined {
  const { plane, phase } = verdict;
  if (plane !== 'gpu' && plane !== 'both') return undefined;
  if (fractionDirection(verdict, undefined, facts) === 'raise') return 'performance';
  if (phase === 'startup') return 'conservative';
  return phase === 'burst' ? 'emergency' : undefined;
}

/**
 * The profile that bounds a finding's arguments, with its values for this engine and GPU next to those that the finding
 * computed; another profile if that one would not start, and why if none would. Undefined if the finding changes no engine
 * flag, if the engine is unknown, or if the profile adds nothing.
 */
export function profileOfFinding(
  verdict: Verdict,
  evidence: EngineEvidence,
  book: ProfileBook,
): OfferedProfile | undefined {
  const chosen = profileFor(verdict, evidence.facts);
  const state = summedState(evidence, book);
  if (chosen === undefined || state === undefined || !turnsKnobs(verdict)) return undefined;
  const { engine, version, product, figures, knobs } = state;
  const profiles = profilesFor(state, fractionDirection(verdict, knobs.fraction, evidence.facts));
  const own = startingOwn(verdict, state);
  const wantsRoom = fractionDirection(verdict, undefined, evidence.facts) === 'raise';
  const around = { state, raises: wantsRoom, isBlind: verdict.phase === 'startup' && isProven(startWith(state, [])) };
  const of = (name: ProfileName) => {
    const found = profiles.find((one) => one.name === name);
    return found && withFinding(found, own, around);
  };
  const first = of(chosen);
  if (first === undefined) return undefined;
  const card = { product: product ?? null, class: profileClass(book, { engine, name: chosen, card: figures }) ?? null };
  const offered = { engine, version: version ?? null, ...card };
  const mayCure = (one: ProfileBudget) => !wantsRoom || isProven(one.start) || makesRoom(one, knobs);
  if (first.start.kind !== 'refuses' && mayCure(first)) return fitted(first, own, offered);
  const others = ORDER.map(of).filter(
    (one) => one !== undefined && one.start.kind !== 'refuses' && one.edits.length > 0,
  );
  const next = others.find((one) => one !== undefined && mayCure(one));
  if (next !== undefined) return fitted(next, own, offered);
  if (first.start.kind !== 'refuses' || others.length > 0) return undefined;
  return { kind: 'none-starts', ...offered, name: chosen, why: first.start.why, sum: first.sum };
}

const ORDER = ['conservative', 'emergency', 'performance'] as const;

function isProven(start: StartAnswer): boolean {
  return start.kind === 'starts' && start.proven;
}

// Fewer sequences or tokens per step free little for a KV cache that was refused: unless the sums show a start, each
// sequence has to need less of it, or the memory fraction has to grow. A length that is not checked against the cache does
// not refuse the start.
function makesRoom({ edits }: ProfileBudget, { length, contexts, fraction, holdsLength }: Knobs): boolean {
  return edits.some(({ flag }) => (flag === length && holdsLength) || flag === contexts || flag === fraction);
}

type Described = Pick<OfferedProfile, 'engine' | 'version' | 'product' | 'class'>;

function fitted(
  { name, edits, start }: ProfileBudget,
  { offered: told }: Own,
  offered: Described,
): OfferedProfile | undefined {
  const adds = edits.some(({ flag }) => !told.some((one) => one.flag === flag));
  if (!adds || start.kind === 'refuses') return undefined;
  return { kind: 'fitted', ...offered, name, edits: [...edits], proven: start.proven };
}

// A playbook may offer what the engine would not start with.
function startingOwn(verdict: Verdict, state: EngineState): Own {
  const found = ownOf(verdict);
  const isRefused = found.own.length > 0 && startWith(state, found.own).kind === 'refuses';
  return isRefused ? { own: [], offered: [] } : found;
}

// Sums that predict a start which in fact failed miss its cause, so they prove nothing.
type MergeInput = Around & { readonly isBlind: boolean };

function withFinding(profile: ProfileBudget, own: Own, { isBlind, ...around }: MergeInput): ProfileBudget {
  if (profile.start.kind === 'refuses') return profile;
  const edits = profileNextToFinding(profile.edits, own, around);
  const start = startWith(around.state, edits);
  return { ...profile, edits, start: isBlind && start.kind === 'starts' ? { kind: 'starts', proven: false } : start };
}

// If the remedies are about processes and GPUs alone, arguments are not at fault.
function turnsKnobs({ remedies }: Verdict): boolean {
  return remedies.some(({ kind, direction, action }) => {
    if (kind !== 'stop-bleed' || action === 'raise-ram') return false;
    return direction === 'lower' || direction === 'raise' || action === 'set-args' || action === 'stop-bleed';
  });
}

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

// A value that is not a number is reported as out of bounds.
function isPositive(text: string | null): boolean {
  return text !== null && text.trim() !== '' && Number.isFinite(Number(text)) && Number(text) > 0;
}

/** The engine, and whether the signature raises its fraction. */
type Around = { readonly state: EngineState; readonly raises: boolean };

/**
 * A profile next to what the finding computed: a flag has one value, and that is the finding's. The rest of the profile comes
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

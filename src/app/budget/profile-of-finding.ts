import { profilesFor } from '../../budget/account.ts';
import type { Knobs } from '../../budget/engine-knobs.ts';
import type { EngineState } from '../../budget/outcome.ts';
import type { ProfileBook, ProfileName } from '../../budget/profiles.ts';
import { profileClass } from '../../budget/profiles.ts';
import type { ProfileBudget, StartAnswer } from '../../model/budget.ts';
import type { Facts } from '../../model/fact.ts';
import type { OfferedProfile, Verdict } from '../../model/verdict.ts';
import { type EngineEvidence, summedState } from './budget.ts';
import { fractionDirection } from './fraction-direction.ts';
import { type Around, type Own, ownOf, profileNextToFinding, startWith } from './profile-with-finding.ts';

/** The profile of a finding: a refusal for want of KV room asks for more, a failure while serving for room outside the pool, a start for less of it all. */
export function profileFor(verdict: Verdict, facts: Facts): ProfileName | undefined {
  const { plane, phase } = verdict;
  if (plane !== 'gpu' && plane !== 'both') return undefined;
  if (fractionDirection(verdict, undefined, facts) === 'raise') return 'performance';
  if (phase === 'startup') return 'conservative';
  return phase === 'burst' ? 'emergency' : undefined;
}

/**
 * The profile that a finding's arguments are bounded by, with its values for this engine and card beside those that the
 * finding computed; another one where that would not start, and why none would. Undefined where the finding turns no knob of
 * the engine, where nothing of it can be told, or where it adds nothing to what the finding offers.
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
    return found && beside(found, own, around);
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

// Fewer sequences or tokens of a pass give a cache little that was refused: without a sum that shows the start, what
// every sequence needs of it has to become less, or the fraction has to grow. A length that is not held against the cache
// is no reason to refuse the start.
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

// Sums by which a start that failed goes well do not hold what failed, and prove nothing of another.
type Beside = Around & { readonly isBlind: boolean };

function beside(profile: ProfileBudget, own: Own, { isBlind, ...around }: Beside): ProfileBudget {
  if (profile.start.kind === 'refuses') return profile;
  const edits = profileNextToFinding(profile.edits, own, around);
  const start = startWith(around.state, edits);
  return { ...profile, edits, start: isBlind && start.kind === 'starts' ? { kind: 'starts', proven: false } : start };
}

// Where the remedies are of processes and cards alone, arguments are not at fault.
function turnsKnobs({ remedies }: Verdict): boolean {
  return remedies.some(({ kind, direction, action }) => {
    if (kind !== 'stop-bleed' || action === 'raise-ram') return false;
    return direction === 'lower' || direction === 'raise' || action === 'set-args' || action === 'stop-bleed';
  });
}

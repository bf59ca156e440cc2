import { accountFor } from '../../budget/account.ts';
import { type Knobs, knobsOf, PLAIN_KNOBS } from '../../budget/engine-knobs.ts';
import type { Settings } from '../../budget/figures.ts';
import { type Fit, type FitInput, fitProfile, profileBounds } from '../../budget/fit-profile.ts';
import type { EngineState } from '../../budget/outcome.ts';
import { PROFILE_NAMES, type ProfileBook, type ProfileName } from '../../budget/profiles.ts';
import { checkWanted, type WantedFlag } from '../../budget/proposal.ts';
import type { StartupFigures } from '../../facts/engine/startup-figures.ts';
import type { Budget } from '../../model/budget.ts';
import { engineKey } from '../../model/engine-names.ts';
import type { EngineArgument } from '../../model/engine-reader.ts';
import { OomError } from '../../model/errors.ts';
import type { Facts } from '../../model/fact.ts';
import { entryOf, nearestFlag } from '../../model/flag-table.ts';
import { fixedLimits } from '../../model/knob-table.ts';
import type { MeasuredStart } from '../../model/measured-start.ts';
import type { Bound } from '../../model/plan.ts';
import type { Remedy, Verdict } from '../../model/verdict.ts';
import { effectiveArgument, parseCount } from '../../read/engine/arguments.ts';
import type { ModelConfig } from '../../read/engine/model-config.ts';
import type { SnapshotSource } from '../ports.ts';
import { figuresOf, numberOf, textOf, wrappingOf } from './engine-figures.ts';

/** The facts of a snapshot, and what the engine in it was told. */
export type EngineEvidence = {
  readonly facts: Facts;
  readonly args: readonly EngineArgument[];
  /** What the engine printed of its start. */
  readonly figures?: StartupFigures | undefined;
  /** The config.json of the model, where it is there. */
  readonly model?: ModelConfig | undefined;
  /** What the container sets in its environment, under the names of the variables. */
  readonly variables?: readonly EngineArgument[];
  /** How long the start took that the log shows; `isWhole` where it shows its end. */
  readonly start?: { readonly seconds: number; readonly isWhole: boolean } | undefined;
  /** What is found in it; absent where nobody judged. */
  readonly verdict?: Verdict | undefined;
};

export type BudgetDeps = {
  readonly book: ProfileBook;
  readonly evidence: (source: SnapshotSource) => Promise<EngineEvidence>;
  /** Earlier starts of the same cluster. */
  readonly starts?: readonly MeasuredStart[] | undefined;
};

type BudgetOutcome =
  | { readonly kind: 'budget'; readonly budget: Budget }
  /** No engine was recognised, or one without a sum. */
  | { readonly kind: 'none'; readonly engine: string | undefined };

/** Values to try: a profile, flags by name, or both. */
type BudgetWish = { readonly wanted?: readonly WantedFlag[]; readonly profile?: ProfileName | undefined };

/** The memory of one GPU of the engine in a snapshot, and what a change of arguments would do. */
export async function reckonBudget(
  source: SnapshotSource,
  deps: BudgetDeps,
  wish: BudgetWish = {},
): Promise<BudgetOutcome> {
  return reckonEvidence(await deps.evidence(source), { ...deps, id: source.id }, wish);
}

/** The same of evidence that was read before. */
export function reckonEvidence(
  evidence: EngineEvidence,
  { book, starts, id }: Pick<BudgetDeps, 'book' | 'starts'> & { readonly id: string },
  { wanted = [], profile }: BudgetWish,
): BudgetOutcome {
  const read = summedState(evidence, book);
  const state = read && { ...read, figures: { ...read.figures, ownStarts: starts } };
  if (state === undefined) return { kind: 'none', engine: textOf(evidence.facts, 'engine.name') };
  for (const flag of wanted) {
    refuseUnknown(state.engine, flag);
    const fault = checkWanted(state, flag);
    if (fault !== undefined) {
      throw new OomError('bad-input', fault, { next: `Type \`--set ${flag.flag}=…\`.` });
    }
  }
  const { facts } = evidence;
  return {
    kind: 'budget',
    budget: accountFor({
      id,
      state,
      usedShare: numberOf(facts, 'kv-cache.used-share'),
      running: numberOf(facts, 'requests.running'),
      wanted,
      profile,
      direction: directionOf(evidence, state.knobs),
      problems: evidence.model?.problems ?? [],
    }),
  };
}

// A flag without effect on memory would be answered with the sums of no change.
function refuseUnknown(engine: string, { flag }: WantedFlag): void {
  if (entryOf(engine, flag) !== undefined) return;
  const near = nearestFlag(engine, flag);
  throw new OomError('bad-input', `Unknown ${engine} flag ${flag.slice(0, 80)}.`, {
    next: near === undefined ? `\`explain ${engine}\` lists its flags that change memory.` : `Did you mean ${near}?`,
  });
}

function directionOf({ verdict, facts }: EngineEvidence, { fraction }: Knobs): Remedy['direction'] {
  // Without a failure a profile sets the fraction as well, as far as the pool then holds one sequence.
  return verdict === undefined || verdict.plane === 'none' ? 'set' : fractionDirection(verdict, fraction, facts);
}

/** A profile by its name. Throws OomError `bad-input`. */
export function parseProfileName(text: string): ProfileName {
  const name = PROFILE_NAMES.find((one) => one === text.trim().toLowerCase());
  if (name !== undefined) return name;
  throw new OomError('bad-input', `Unknown profile “${text.slice(0, 80)}”.`, {
    next: `Use one of ${PROFILE_NAMES.join(', ')}.`,
  });
}

/** Which profile; `direction` is the way in which the signature moves the memory fraction. */
type ProfileWish = {
  readonly book: ProfileBook;
  readonly profile: ProfileName;
  readonly direction: Remedy['direction'];
};

/** A profile for the engine of a snapshot; `direction` is that of the signature. */
export function fitFor(evidence: EngineEvidence, wish: ProfileWish): Fit {
  const input = fitInputOf(evidence, wish);
  return input === undefined ? { kind: 'none', why: 'the engine is unknown' } : fitProfile(input);
}

/** The bounds for editing the values of a profile; none if there is no such profile. */
export function boundsFor(evidence: EngineEvidence, wish: ProfileWish): readonly Bound[] {
  const input = fitInputOf(evidence, wish);
  return input === undefined ? [] : profileBounds(input);
}

function fitInputOf(evidence: EngineEvidence, wish: ProfileWish): FitInput | undefined {
  const engine = textOf(evidence.facts, 'engine.name');
  return engine === undefined ? undefined : { ...stateOf(evidence, wish.book), ...wish, engine };
}

/** The same; undefined where there is no engine whose memory could be added up. */
export function summedState(evidence: EngineEvidence, book: ProfileBook): EngineState | undefined {
  const state = stateOf(evidence, book);
  return knobsOf(state.engine) === undefined ? undefined : state;
}

/** The engine of a snapshot, for sums. */
export function stateOf(evidence: EngineEvidence, book: ProfileBook): EngineState {
  const { facts } = evidence;
  const engine = engineKey(textOf(facts, 'engine.name') ?? '');
  return {
    engine,
    version: textOf(facts, 'engine.version'),
    knobs: knobsOf(engine) ?? PLAIN_KNOBS,
    book,
    product: textOf(facts, 'gpu.product'),
    figures: figuresOf(evidence),
    settings: settingsIn(evidence),
    utilization: numberOf(facts, 'engine.utilization'),
    fixed: whyFixed(facts),
    wrapping: wrappingOf(facts),
    named: textOf(facts, 'log.named-flags'),
  };
}

// A flag goes before the variable of the same name.
function settingsIn({ variables = [], args }: EngineEvidence): Settings {
  return settingsOf([...variables, ...args]);
}

/** What an engine was told, flag by flag, with numbers as the engine reads them (`8k`, `0.9`). */
export function settingsOf(args: readonly EngineArgument[]): Settings {
  return (flag) => {
    const found = effectiveArgument(args, flag);
    return found && { text: found.value, number: numberIn(found.value) };
  };
}

function numberIn(text: string | null): number | undefined {
  const plain = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(plain) ? plain : parseCount(text);
}

const FLAG = /^(--?[A-Za-z][\w.-]*|[A-Za-z][\w.]*)(?:[=\s]\s*(.*))?$/s;

/** `--max-model-len=8192` as typed. Throws OomError `bad-input`. */
export function parseWanted(text: string): WantedFlag {
  const [, flag, value] = FLAG.exec(text.trim()) ?? [];
  if (flag === undefined) {
    throw new OomError('bad-input', `“${text.slice(0, 80)}” is not a flag.`, {
      next: 'Type it with its value: `--set --max-model-len=8192`.',
    });
  }
  const given = value === undefined || value === '' ? null : value;
  return { flag, text: given, number: numberIn(given) };
}

/** Why no argument sets the limits of an engine; undefined where arguments do. */
export function whyFixed(facts: Facts): string | undefined {
  return fixedLimits(textOf(facts, 'engine.name') ?? '', textOf(facts, 'engine.set-by'))?.why;
}

/** Which way the signature moves the memory fraction: by a remedy that has it, else as no remedy contradicts. */
export function fractionDirection(
  { remedies, phase, cause }: Pick<Verdict, 'remedies' | 'phase' | 'cause'>,
  fraction: string | undefined,
  facts: Facts,
): Remedy['direction'] {
  const own = remedies.find(({ edits }) => fraction !== undefined && edits.some(({ flag }) => flag === fraction));
  if (own !== undefined) return own.direction;
  const ways = remedies.filter(({ action }) => action !== 'raise-ram').map(({ direction }) => direction);
  // A startup refused for too little KV space needs more memory, even if its own step exceeds the GPU.
  if (ways.includes('raise') || cause === 'gpu.startup.kv-room') return 'raise';
  // At a start what is to be lowered may be the length alone; and a pool that was full is made no smaller.
  return phase !== 'startup' && textOf(facts, 'kv-cache.refused') !== 'true' && ways.includes('lower')
    ? 'lower'
    : 'none';
}

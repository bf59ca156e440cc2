import { generationOf } from '../model/default-table.ts';
import { engineKey } from '../model/engine-names.ts';
import { flagOf, isWithin, readVersion } from '../model/flag-table.ts';
import { hasFlag } from '../model/knob-table.ts';
import type { Edit, Remedy } from '../model/verdict.ts';
import { type Knobs, knobsOf } from './engine-knobs.ts';
import { cardGib, FACT_OF, type Figures, type InForce, isOn, type SummedEngine, settingOf } from './figures.ts';
import {
  bandOf,
  defaultIn,
  fractionIn,
  type Profile,
  type ProfileBook,
  type ProfileName,
  profileOf,
  rangeOf,
  type Setting,
  type Wrapping,
} from './profiles.ts';

export type EngineState = SummedEngine & {
  readonly book: ProfileBook;
  /** Name of the GPU, where it is known: vLLM counts an A100 as small. */
  readonly product: string | undefined;
  readonly utilization: number | undefined;
  /** What runs the engine and gives it values of its own. */
  readonly wrapping?: Wrapping | undefined;
  /** The flags that the engine's own error names: it has them, whatever its version. */
  readonly named?: string | undefined;
  /** Why no argument sets the limits of this engine; absent where arguments do. */
  readonly fixed?: string | undefined;
};

export type FitInput = Omit<EngineState, 'knobs' | 'utilization' | 'product'> &
  Partial<Pick<EngineState, 'product'>> & {
    readonly profile: ProfileName;
    /** Which way the signature moves the memory fraction; `none` and `set` leave it alone. */
    readonly direction: Remedy['direction'];
  };

export type LeftOut = { readonly flag: string; readonly why: string };

export type FitContext = Omit<FitInput, 'profile'> & {
  readonly knobs: Knobs;
  readonly profile: Profile;
};

/** What a profile is fitted to; undefined where there is no such profile. */
export function contextOf(input: FitInput): FitContext | undefined {
  const engine = engineKey(input.engine);
  const knobs = knobsOf(engine);
  const profile = profileOf(input.book, engine, input.profile);
  return knobs === undefined || profile === undefined ? undefined : { ...input, engine, knobs, profile };
}

export type Asked =
  | { readonly kind: 'asked'; readonly value: number; readonly setting: Setting }
  | { readonly kind: 'left'; readonly left: LeftOut }
  | { readonly kind: 'none' };

/** What the profile asks of a flag, if this version has the flag. `now` is what a `lower-by` counts from. */
export function askedOf(context: FitContext, flag: string | undefined, now?: number): Asked {
  const setting = flag === undefined ? undefined : settingFor(context, flag);
  if (setting === undefined) return { kind: 'none' };
  const absent = whyAbsent(context, setting.flag);
  if (absent !== undefined) return leave(setting.flag, absent);
  const value = valueFor(context, setting, now);
  return value === undefined
    ? leave(setting.flag, 'the GPU memory or the current value is unknown')
    : { kind: 'asked', value, setting };
}

/** Why a flag cannot be set; undefined where the engine has it. */
export function whyAbsent({ engine, version, named }: FitContext, flag: string): string | undefined {
  const known = flagOf(engine, version, flag);
  return known.kind === 'exists' || hasFlag({ engine, version, named }, flag) ? undefined : known.why;
}

function leave(flag: string, why: string): Asked {
  return { kind: 'left', left: { flag, why } };
}

// A setting of a range of versions counts only where the version is known.
function settingFor({ engine, version, profile }: FitContext, flag: string): Setting | undefined {
  const release = readVersion(engine, version);
  return profile.set.find((setting) => {
    if (setting.flag !== flag) return false;
    if (setting.since === undefined && setting.until === undefined) return true;
    return release !== undefined && isWithin(release, rangeOf(setting));
  });
}

function valueFor(context: FitContext, setting: Setting, now: number | undefined): number | undefined {
  const { figures, book, engine } = context;
  const by = setting['lower-by'];
  const lowerBy = by === 'step' ? fractionIn(book, engine)?.step : by;
  if (lowerBy !== undefined) return now === undefined ? undefined : Math.round((now - lowerBy) * 100) / 100;
  const bands = setting['by-card'];
  return bands === undefined ? setting.to : bandOf(bands, cardGib(figures));
}

/** What is in force for a flag: given, or between the lowest and the highest of the engine's defaults. */
export type Now = { readonly given: InForce | undefined; readonly low: number; readonly high: number };

/** An engine with what its defaults depend on. */
export type Told = SummedEngine & Partial<Pick<EngineState, 'product' | 'wrapping'>>;

/** What is in force for a number; undefined where neither argument nor default tells. Zero and less mean that the engine chooses. */
export function nowOf(state: Told, flag: string | undefined): Now | undefined {
  if (flag === undefined) return undefined;
  const { engine, version, figures, product, settings, wrapping } = state;
  const given = settingOf(engine, settings, flag);
  if (given !== undefined) {
    const number = given.number ?? Number.NaN;
    return number > 0 ? { given, low: number, high: number } : undefined;
  }
  const card = { totalBytes: figures.totalBytes, product, generation: figures.generation };
  const own = defaultIn({ engine, version, flag, card, wrapping });
  return own === undefined ? undefined : { given: undefined, ...own };
}

/** The length in force: told, else as the engine printed it. */
export function lengthOf(state: Told): number | undefined {
  const { maxModelLen } = state.figures;
  return (
    nowOf(state, state.knobs.length)?.high ?? (maxModelLen !== undefined && maxModelLen > 0 ? maxModelLen : undefined)
  );
}

/** Tokens per step in force; what is not given is no more than all sequences have. */
export function stepTokensOf(state: Told): number | undefined {
  const now = nowOf(state, state.knobs.batched);
  const whole = now?.given === undefined ? wholePromptTokens(state) : undefined;
  if (whole !== undefined) return whole;
  if (now === undefined || now.given !== undefined || !state.knobs.rowsInPass) return now?.high;
  const [sequences, length] = [nowOf(state, state.knobs.sequences)?.high, lengthOf(state)];
  return sequences === undefined || length === undefined ? now.high : Math.min(now.high, sequences * length);
}

// V0 takes prompts whole up to this length, and then in pieces (vllm/config.py, vllm/engine/arg_utils.py).
const LONGEST_WHOLE = 32_768;
const LEAST_STEP = 2048;

function wholePromptTokens(state: Told): number | undefined {
  const { engine, version, figures, settings } = state;
  const generation = figures.generation ?? generationOf(readVersion(engine, version));
  const length = lengthOf(state);
  if (engine !== 'vllm' || generation !== 'V0' || length === undefined || length > LONGEST_WHOLE) return undefined;
  return isOn(settingOf(engine, settings, '--enable-chunked-prefill')) ? undefined : Math.max(length, LEAST_STEP);
}

/** An edit of a number, with the facts that it was computed from. */
export function editOf(
  context: FitContext,
  change: { flag: string; to: number; why: string; from: readonly (keyof Figures)[] },
): Edit {
  const given = settingOf(context.engine, context.settings, change.flag);
  return {
    flag: change.flag,
    from: given === undefined ? null : (given.text ?? ''),
    to: String(change.to),
    why: change.why,
    facts: change.from.flatMap((key) => (context.figures[key] === undefined ? [] : (FACT_OF[key] ?? []))),
  };
}

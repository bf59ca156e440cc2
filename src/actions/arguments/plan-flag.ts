import type { ArgEdit, RefusalReason } from './edit-outcome.ts';
import { type Dialect, findNegated, isInVersion, type KnownFlag, negate, toKey } from './engine-flags.ts';
import type { Followed } from './follow-reference.ts';
import type { Located } from './locate-command.ts';
import { type FlagReading, type FlagUse, usesOf } from './read-flags.ts';

/** A change of one word: characters `from` to `to` of its value become `text`, or it is taken out. */
export type WordChange =
  | { readonly kind: 'replace'; readonly at: number; readonly from: number; readonly to: number; readonly text: string }
  | { readonly kind: 'remove'; readonly at: number };

export type FlagPlan = {
  readonly changes: readonly WordChange[];
  readonly appended: readonly string[];
  /** A variable to set instead, which says the same. */
  readonly variable: ArgEdit | null;
  /** The value in force before, null where there is none; a switch is `true` or `false`. */
  readonly from: string | null;
};

export type FlagContext = {
  readonly located: Located;
  readonly reading: FlagReading;
  readonly dialect: Dialect;
  readonly version: string | null;
  /** The value of a flag in the configuration file that the engine reads; `unknown` where the file cannot be seen. */
  readonly inFile: (
    key: string,
  ) => { readonly kind: 'value'; readonly value: string } | { readonly kind: 'none' | 'unknown' };
  readonly hasVariable: (name: string) => boolean;
  /** The variable of the container that a computed value is, where setting it sets this flag and nothing else. */
  readonly follow: (value: NonNullable<FlagUse['value']>, flag: string, to: string) => Followed | undefined;
  /** Words that are computed, but known not to hold a flag. */
  readonly mayHold: (at: number, key: string) => boolean;
  /** Appends even where another source may hold the flag: for what a person pastes after having looked. */
  readonly force: boolean;
};

const NOTHING: FlagPlan = { changes: [], appended: [], variable: null, from: null };

/** What has to change in the words for one edit, or why that is not certain. */
export function planFlag(edit: ArgEdit, context: FlagContext): FlagPlan | RefusalReason {
  const { dialect, reading } = context;
  const negative = findNegated(dialect, edit.flag);
  const known = dialect.find(edit.flag) ?? negative;
  const key = toKey(known?.name ?? edit.flag);
  const uses = usesOf(reading, key).filter((use) => negative === undefined || edit.to !== null || use.off);
  const doubt = context.force ? undefined : findDoubt(context, key, uses.at(-1));
  if (doubt !== undefined) return doubt;
  const to = negative === undefined ? edit.to : negate(edit.to);
  const parts = { context, known, key, uses, flag: known?.name ?? edit.flag };
  if (to === null) return planRemoval(parts);
  return known?.kind === 'switch' || known?.kind === 'negatable' ? planSwitch(parts, to) : planValue(parts, to);
}

type Parts = {
  readonly context: FlagContext;
  readonly known: KnownFlag | undefined;
  readonly key: string;
  readonly flag: string;
  readonly uses: readonly FlagUse[];
};

function findDoubt(context: FlagContext, key: string, last: FlagUse | undefined): RefusalReason | undefined {
  const { reading, dialect, mayHold } = context;
  if (reading.uses.some((use) => use.key === '--kaito-config-file')) return 'set-in-config-map';
  if (reading.uses.some((use) => dialect.mayMean(use.written, key))) return 'abbreviated';
  if (reading.uses.some((use) => use.key.startsWith(`${key}.`) || key.startsWith(`${use.key}.`))) return 'odd-form';
  const behind = dialect.lastWins ? (last?.at ?? -1) : -1;
  return reading.opaque.some((at) => at > behind && mayHold(at, key)) ? 'flag-in-variable' : undefined;
}

function planValue(parts: Parts, to: string): FlagPlan | RefusalReason {
  const { context, uses, known } = parts;
  if (known?.kind === 'list' && /\s/.test(to)) return 'several-values';
  const last = uses.at(-1);
  const isForced = context.force && (last?.odd ?? null) !== null;
  if (last === undefined || isForced) return planAbsent(parts, to);
  if (last.odd !== null) return planFollowed(parts, last, to) ?? last.odd;
  if (last.value === null) return planBare(parts, to);
  const { at, from, text } = last.value;
  if (text === to) return { ...NOTHING, from: text };
  return { ...NOTHING, from: text, changes: [{ kind: 'replace', at, from, to: from + text.length, text: to }] };
}

// `--max-model-len $(MAX_LEN)`: the value stands in the variable.
function planFollowed({ context, flag }: Parts, { odd, value }: FlagUse, to: string): FlagPlan | undefined {
  const followed = odd === 'computed-value' && value !== null ? context.follow(value, flag, to) : undefined;
  if (followed === undefined) return undefined;
  const { name, text } = followed;
  return { ...NOTHING, from: text, variable: text === to ? null : { flag: name, to } };
}

// A flag without a value that no table knows: a switch.
function planBare({ uses }: Parts, to: string): FlagPlan | RefusalReason {
  if (to === 'true') return { ...NOTHING, from: 'true' };
  return to === 'false' ? { ...NOTHING, from: 'true', changes: takeOut(uses) } : 'unfit-value';
}

function planSwitch(parts: Parts, to: string): FlagPlan | RefusalReason {
  if (to !== 'true' && to !== 'false') return 'unfit-value';
  const last = parts.uses.at(-1);
  if (last === undefined) return planAbsent(parts, to);
  if (last.odd !== null) return last.odd;
  if (last.value !== null) return planWrittenOut(last.value, to);
  const from = String(!last.off);
  if (from === to) return { ...NOTHING, from };
  const length = last.written.length;
  const rename = (text: string): FlagPlan => ({
    ...NOTHING,
    from,
    changes: [{ kind: 'replace', at: last.at, from: 0, to: length, text }],
  });
  if (to === 'true') return rename(last.written.replace(/^--no[-_]/, '--'));
  // A short form has no `--no-` form of its own.
  if (parts.known?.kind === 'negatable' && last.written.startsWith('--'))
    return rename(`--no-${last.written.slice(2)}`);
  const isMixed = parts.uses.some((use) => use.off || use.value !== null || use.odd !== null);
  return isMixed ? 'odd-form' : { ...NOTHING, from, changes: takeOut(parts.uses) };
}

// Older vLLM: `--enable-chunked-prefill False`; a capital stays a capital.
function planWrittenOut(value: NonNullable<FlagUse['value']>, to: string): FlagPlan | RefusalReason {
  const from = value.text.toLowerCase();
  if (from === to) return { ...NOTHING, from };
  if (from !== 'true' && from !== 'false') return 'odd-form';
  const text = /^[A-Z]/.test(value.text) ? to.replace(/^./, (c) => c.toUpperCase()) : to;
  const change = { kind: 'replace', at: value.at, from: value.from, to: value.from + value.text.length, text } as const;
  return { ...NOTHING, from, changes: [change] };
}

function planRemoval({ context, flag, key, uses }: Parts): FlagPlan | RefusalReason {
  const odd = uses.find((use) => use.odd !== null)?.odd;
  if (odd !== undefined && odd !== null) return odd;
  const inFile = context.inFile(key).kind;
  if (inFile !== 'none') return 'set-in-file';
  const variable = context.dialect.variableOf(flag);
  const isVariable = variable !== undefined && context.hasVariable(variable);
  return {
    changes: takeOut(uses),
    appended: [],
    variable: isVariable ? { flag: variable, to: null } : null,
    from: valueInForce(uses.at(-1)),
  };
}

function valueInForce(use: FlagUse | undefined): string | null {
  return use === undefined ? null : (use.value?.text ?? String(!use.off));
}

function takeOut(uses: readonly FlagUse[]): WordChange[] {
  const words = uses.flatMap(({ at, value }) => (value === null || value.at === at ? [at] : [at, value.at]));
  return words.map((at) => ({ kind: 'remove', at }));
}

function planAbsent({ context, known, key, flag }: Parts, to: string): FlagPlan | RefusalReason {
  const { dialect, located, version } = context;
  const inFile = context.inFile(key);
  const from = inFile.kind === 'value' ? inFile.value : null;
  const variable = dialect.variableOf(flag);
  if (variable !== undefined && context.hasVariable(variable)) return { ...NOTHING, variable: { flag: variable, to } };
  if (known === undefined) return 'unknown-flag';
  if (known.kind === 'switch' && to === 'false') return inFile.kind === 'none' ? NOTHING : 'set-in-file';
  if (!isInVersion(known, dialect.engine, version)) return 'flag-not-in-version';
  if (typeof located.insertion === 'string') return located.insertion;
  if (known.kind === 'switch') return { ...NOTHING, from, appended: [flag] };
  if (known.kind === 'negatable')
    return { ...NOTHING, from, appended: [to === 'true' ? flag : `--no-${flag.slice(2)}`] };
  return { ...NOTHING, from, appended: dialect.joint === '=' ? [`${flag}=${to}`] : [flag, to] };
}

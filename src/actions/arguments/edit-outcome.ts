import type { PatchOperation } from '../../model/plan.ts';

/** One flag (`--max-model-len`) or variable (`OLLAMA_NUM_PARALLEL`) to set; `to: null` takes it out. A switch is `true` or `false`. */
export type ArgEdit = { readonly flag: string; readonly to: string | null };

/** What an edit changes. `from` is null where the flag stands in none of the places that can be seen; `where` is for people. */
export type ArgChange = {
  readonly flag: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly where: string;
};

/** What a person may paste after having looked: a JSON Patch at the same paths, or text to put in by hand. */
export type Paste =
  | { readonly kind: 'patch'; readonly patch: readonly PatchOperation[] }
  | { readonly kind: 'text'; readonly text: string };

/** Why nothing was edited, each with its sentence. */
export const SENTENCES = {
  malformed: 'The container spec is invalid: command, args or env is not a list of strings.',
  'nothing-to-change': 'The arguments already have these values.',
  'conflicting-edits': 'Two of the edits set the same flag.',
  'unfit-value': 'A new value for this flag has to be one plain word.',
  'unknown-flag': 'This engine has no such flag, and exits on an unknown one.',
  'unknown-engine': 'oombot does not know how this engine reads its arguments.',
  'flag-not-in-version': 'This engine version does not have the flag, and exits on an unknown one.',
  'computed-value': 'The value is computed at container start, from a variable or a command.',
  'flag-in-variable': 'The arguments use a variable that holds the flag or whose value is not visible.',
  outranked: 'The flag is, or may be, in arguments that override the variable to set.',
  'here-document': 'The script has a here-document; its text may look like commands.',
  'dollar-quote': "The script has a string in $'…', which shells read in different ways.",
  unbalanced: 'The script has an unclosed quote or bracket.',
  'unsupported-shell': 'The script uses shell syntax that oombot cannot parse safely.',
  'several-engines': 'The script starts more than one engine.',
  'engine-not-found': 'No command in the script or the list starts the diagnosed engine.',
  'nested-script': 'The engine is started by a script inside the script.',
  'entrypoint-unknown': 'The entrypoint is not visible, so it may not pass arguments to the engine.',
  'arguments-in-image': 'The arguments are in the image; setting args would drop them.',
  'value-missing': 'The flag is set without a value.',
  'several-values': 'The flag takes several values; which one to change is unclear.',
  'odd-form': 'The flag is written in a form that oombot cannot change safely.',
  abbreviated: 'An abbreviated or short flag in the arguments may mean this one.',
  'set-in-file': 'The flag is, or may be, set in a configuration file that would still apply after the edit.',
  'set-in-config-map': 'The engine reads its arguments from a ConfigMap, which overrides the command line.',
  'variable-from-elsewhere': 'The variable gets its value from a Secret, a ConfigMap, a field or another variable.',
  'file-form': 'The configuration file is not a plain YAML map with one value for the key.',
  'switch-in-file': 'The file passes a value with every key, and this flag takes none: the engine may not start.',
  'check-failed': 'The result changed more than was asked for, so oombot dropped it.',
} as const;
export type RefusalReason = keyof typeof SENTENCES;
export const REFUSALS: readonly string[] = Object.keys(SENTENCES);

export type Refusal = {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly says: string;
  readonly paste: Paste | null;
};

/** An edit as a JSON Patch with its inverse. Both test the whole old value before they set the new one. */
type Edited = {
  readonly kind: 'edited';
  readonly patch: readonly PatchOperation[];
  readonly inverse: readonly PatchOperation[];
  readonly changed: readonly ArgChange[];
};

export type EditOutcome = Edited | Refusal;

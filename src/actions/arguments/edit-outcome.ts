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
  malformed: 'The container is not what the API server would take: command, args or env are no lists of words.',
  'nothing-to-change': 'The arguments are so already; there is nothing to change.',
  'conflicting-edits': 'Two of the edits are about the same flag.',
  'unfit-value': 'A new value is not one that can be written as one plain word for this flag.',
  'unknown-flag': 'The flag is none that this engine is known to have, and an unknown flag ends it at once.',
  'unknown-engine': 'How this engine takes its arguments is not known.',
  'flag-not-in-version': 'This version of the engine does not have the flag, and an unknown flag ends it at once.',
  'computed-value': 'The value is computed when the container starts, from a variable or a command.',
  'flag-in-variable': 'A variable whose value cannot be seen, or that holds the flag, is part of the arguments.',
  outranked: 'The flag stands, or may stand, in arguments that win over the variable that would be set.',
  'here-document': 'The script holds a here-document, whose words cannot be told from commands with certainty.',
  'dollar-quote': "The script holds a string in $'…', which shells read in different ways.",
  unbalanced: 'The script opens a quote or a bracket that it does not close.',
  'unsupported-shell': 'The script uses something of the shell that cannot be read with certainty.',
  'several-engines': 'The script starts more than one engine.',
  'engine-not-found': 'No command of the script or the list is the engine that was diagnosed.',
  'nested-script': 'The engine is started by a script inside the script.',
  'entrypoint-unknown': 'What starts the engine cannot be seen, and whether it hands arguments on is not known.',
  'arguments-in-image': 'The arguments stand in the image; new ones in their place would drop them.',
  'value-missing': 'The flag stands there without a value.',
  'several-values': 'The flag takes several values; which of them is meant is not certain.',
  'odd-form': 'The flag is written in a form that cannot be changed with certainty.',
  abbreviated: 'An abbreviated or short flag stands there that may mean this one.',
  'set-in-file': 'The flag is set, or may be set, in a configuration file that would still hold after the edit.',
  'set-in-config-map': 'The engine reads its arguments from a ConfigMap, which wins over the command line.',
  'variable-from-elsewhere': 'The variable gets its value from a Secret, a ConfigMap, a field or another variable.',
  'file-form': 'The configuration file is no plain YAML map with one value for the key.',
  'switch-in-file':
    'The file hands a value on with every key, and a switch takes none: whether the engine starts with it is not certain.',
  'check-failed': 'Reading the result again, something else than what was asked for had changed.',
} as const;
export type RefusalReason = keyof typeof SENTENCES;
export const REFUSALS: readonly string[] = Object.keys(SENTENCES);

export type Refusal = {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly says: string;
  readonly paste: Paste | null;
};

/** An edit as a JSON Patch with its way back. Both test the whole old value before they set the new one. */
type Edited = {
  readonly kind: 'edited';
  readonly patch: readonly PatchOperation[];
  readonly inverse: readonly PatchOperation[];
  readonly changed: readonly ArgChange[];
};

export type EditOutcome = Edited | Refusal;

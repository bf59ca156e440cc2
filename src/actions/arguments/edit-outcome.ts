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

/** Why nothing was edited. Closed: each has its sentence in `refuse.ts`. */
export const REFUSALS = [
  'malformed',
  'nothing-to-change',
  'conflicting-edits',
  'unfit-value',
  'unknown-flag',
  'unknown-engine',
  'flag-not-in-version',
  'computed-value',
  'flag-in-variable',
  'outranked',
  'here-document',
  'dollar-quote',
  'unbalanced',
  'unsupported-shell',
  'several-engines',
  'engine-not-found',
  'nested-script',
  'entrypoint-unknown',
  'arguments-in-image',
  'value-missing',
  'several-values',
  'odd-form',
  'abbreviated',
  'set-in-file',
  'set-in-config-map',
  'variable-from-elsewhere',
  'file-form',
  'switch-in-file',
  'check-failed',
] as const;
export type RefusalReason = (typeof REFUSALS)[number];

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

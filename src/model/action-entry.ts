import type { z } from 'zod';
import type { ActionId } from './action.ts';
import type { FactValue } from './fact.ts';
import type { Edit } from './verdict.ts';

/** The value of a fact where it is known. */
export type KnownValue = (fact: string) => FactValue | undefined;

/**
 * An action of the catalogue: what a playbook may write under `with`, and which changes follow from it.
 * `facts` and `edits` take what `parameters` accepts and give nothing for anything else; they never throw.
 */
export type ActionEntry = {
  readonly id: ActionId;
  readonly says: string;
  readonly parameters: z.ZodType;
  facts(parameters: unknown): readonly string[];
  edits(parameters: unknown, known: KnownValue): readonly Edit[];
  /** The profile of values that the parameters name; undefined where they name none. */
  profile(parameters: unknown): string | undefined;
  /** Whether nothing is left of it without an edit: then it is advice, and has no button. */
  needsEdits(parameters: unknown): boolean;
};

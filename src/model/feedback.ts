import { z } from 'zod';
import type { Cause, Phase, Plane } from './taxonomy.ts';

/** What it was, where it was none of the playbook's findings. */
export const NOT_MEMORY = 'not-memory';
export const NOT_KNOWN = 'unknown';

/** What a person says of one finding of an incident. The newest answer counts. */
export const Feedback = z.strictObject({
  incidentId: z.string(),
  /** Id of the playbook's finding that was judged. */
  finding: z.string(),
  right: z.boolean(),
  /** Id of the finding that it was, `not-memory` or `unknown`; null where it was right. */
  actual: z.string().nullable(),
  note: z.string().nullable(),
  by: z.string(),
  at: z.number(),
});
export type Feedback = z.infer<typeof Feedback>;

/** A finding of the playbook with its headline, which names it for people, and the phases and causes that it can have. */
export type FindingName = {
  readonly id: string;
  readonly plane: Plane;
  readonly phases: readonly Phase[];
  readonly causes: readonly Cause[];
  readonly name: string;
};

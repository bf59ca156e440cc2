import { z } from 'zod';
import { MessageRef } from './incident.ts';

/** What somebody asked for: a typed command, the shortcut, or a button; `verb` names the button of a plan or run, `form` the values of an edited plan. */
export const Asked = z.discriminatedUnion('use', [
  z.strictObject({ use: z.enum(['command', 'shortcut', 'candidate', 'explain', 'edit']) }),
  z.strictObject({ use: z.literal('act'), verb: z.enum(['plan', 'approve', 'reject', 'rollback', 'abort', 'go-on']) }),
  z.strictObject({
    use: z.literal('edited'),
    planId: z.string(),
    values: z.array(z.strictObject({ flag: z.string(), to: z.string().nullable() })),
  }),
]);
export type Asked = z.infer<typeof Asked>;

/** A request that was acknowledged, stored until it is answered, so that a restart does not lose it. No response_url: it is a credential. */
export const KeptRequest = z.strictObject({
  id: z.string(),
  at: z.number(),
  asked: Asked,
  text: z.string(),
  user: z.string(),
  channel: z.string(),
  /** Null where the payload did not say. */
  externallyShared: z.boolean().nullable(),
  /** The message that was clicked. */
  clicked: MessageRef.nullable(),
  /** It held a secret, which is not stored: it cannot be carried out again. */
  isCut: z.boolean(),
  /** A restart has cut it off before. */
  isRetried: z.boolean(),
});
export type KeptRequest = z.infer<typeof KeptRequest>;

import { z } from 'zod';
import type { Plan } from '../../model/plan.ts';

/** What a run is given when it starts. `roll-back` resumes a run that is done, only to roll it back. */
export type RunInput = {
  readonly runId: string;
  readonly plan: Plan;
  readonly from: 'start' | 'roll-back';
  /** After a timeout, a failed write or a failed verification: roll back automatically, or leave it and offer a button. */
  readonly rollBack: 'automatic' | 'ask';
};

/** Why a run does not go on. `keep`, the fifth command, ends a verification well, so it does not stop the run. */
const StopWhy = z.enum([
  'abort',
  'abandon',
  'roll-back',
  'conflict',
  'reverted',
  'timeout',
  'failed',
  'bad',
  'not-started',
]);

/** What an act answers to the flow; it is stored by the engine, so it is small and without secrets. */
export const ActAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ok'), says: z.string() }),
  /** Not yet: ask again in so many ms. */
  z.strictObject({ kind: z.literal('wait'), inMs: z.number().positive(), says: z.string() }),
  z.strictObject({ kind: z.literal('duplicate') }),
  z.strictObject({ kind: z.literal('stop'), why: StopWhy, says: z.string() }),
]);
export type ActAnswer = z.infer<typeof ActAnswer>;

/** How the way forward ended. `reached` is the number of the last step that was begun, 0 for none. */
export const Ahead = z.strictObject({ why: z.enum(['done', ...StopWhy.options]), says: z.string(), reached: z.int() });
export type Ahead = z.infer<typeof Ahead>;

/** How the rollback ended; `late`: all values are restored, but the cluster did not follow in time. Null if there was none. */
export const Back = z.strictObject({ kind: z.enum(['back', 'late', 'stuck']), says: z.string() }).nullable();
export type Back = z.infer<typeof Back>;

/** The acts that a flow calls. */
export const ActName = z.enum([
  'claim',
  'check',
  'apply',
  'wait',
  'verify',
  'watch',
  'compensate',
  'undo',
  'settle',
  'report',
  'handover',
]);
export type ActName = z.infer<typeof ActName>;

/** What an act is given. `i` counts the attempts at one place of the flow. */
export const ActInput = z.strictObject({
  runId: z.string(),
  i: z.int(),
  n: z.int().optional(),
  /** Polls are this many times further apart than the plan says, so that the engine's limit is kept. */
  stretch: z.number().optional(),
  from: z.enum(['start', 'roll-back']).optional(),
  ahead: Ahead.optional(),
  back: Back.optional(),
});
export type ActInput = z.infer<typeof ActInput>;

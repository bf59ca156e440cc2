import { z } from 'zod';
import type { Plan, WriteStep } from '../../model/plan.ts';
import { countBefore } from './replicas-before.ts';
import { ROLLBACK_ANNOTATION, readMarks } from './stamp.ts';

/** What the rollback annotation says. `before` holds the values by JSON pointer, null where nothing stood; null as a whole where it would be too long. */
const RollbackNote = z.strictObject({
  incident: z.string(),
  by: z.string(),
  at: z.string(),
  before: z.record(z.string(), z.json()).nullable(),
  /** How many replicas there were before it went to zero, in this run or in one before; absent where it did not. */
  replicas: z.int().positive().optional(),
});
type RollbackNote = z.infer<typeof RollbackNote>;

const MAX_BYTES = 4096;

type Who = { readonly incident: string; readonly by: string /** ISO 8601. */; readonly at: string };
type NoteOptions = Who & {
  /** The object as it was just read, with the note of the run before. */
  readonly object?: unknown;
};

/** The text of the rollback annotation for one object of a plan: the values before the first write at each path, below 4 KB. */
export function writeRollbackNote(
  plan: Pick<Plan, 'steps' | 'serving'>,
  uid: string,
  { incident, by, at, object }: NoteOptions,
): string {
  const before: Record<string, z.infer<ReturnType<typeof z.json>>> = {};
  for (const step of plan.steps) {
    if (step.kind !== 'write' || step.object.uid !== uid) continue;
    for (const [path, value] of valuesBefore(step)) if (!Object.hasOwn(before, path)) before[path] = value;
  }
  const writes = plan.steps.filter((step): step is WriteStep => step.kind === 'write');
  const count = countBefore(writes, plan.serving) ?? keptCount(plan, object);
  const base = { incident, by, at, ...(count !== null && count > 0 && { replicas: count }) };
  const whole = JSON.stringify({ ...base, before });
  // Too long for an annotation that others share: the store has it all.
  return Buffer.byteLength(whole) < MAX_BYTES ? whole : JSON.stringify({ ...base, before: null });
}

// A run on what stands at zero changes nothing of what ran before that.
function keptCount({ serving }: Pick<Plan, 'serving'>, object: unknown): number | null {
  return serving.total === 0 ? (readRollbackNote(object)?.replicas ?? null) : null;
}

function valuesBefore({ inverse }: WriteStep) {
  return inverse.flatMap((operation) => {
    if (operation.op === 'test') return [];
    return [[operation.path, operation.op === 'remove' ? null : operation.value] as const];
  });
}

/** The rollback annotation of an object; undefined where it has none, or one that nobody can read. */
export function readRollbackNote(object: unknown): RollbackNote | undefined {
  const text = readMarks(object).annotations?.[ROLLBACK_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    return RollbackNote.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

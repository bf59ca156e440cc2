import { z } from 'zod';
import type { ActionId } from '../model/action.ts';
import type { ActionEntry, KnownValue } from '../model/action-entry.ts';
import { CUDA_ALLOC_CONF, NO_VARIABLE } from '../model/allocator-variable.ts';
import { isTabled } from '../model/flag-table.ts';
import { MEMORY_LIMIT } from '../model/flag-values.ts';
import { flagOfKnob, hasFlag, knobMeant, SET_BY, takesArguments } from '../model/knob-table.ts';
import { GIB, MIB } from '../model/quantity.ts';
import { wholeLimit } from '../model/safe-values.ts';
import type { Edit } from '../model/verdict.ts';

/** Safe engine arguments by name; the values are computed for the model and the GPU. */
const PROFILES = ['conservative', 'performance', 'emergency'] as const;

/** One flag to set; `to: null` removes it, `to-fact` is a fact that holds the new value, `was` the fact that holds its value now. */
const FlagChange = z
  .strictObject({
    flag: z.string().regex(/^(--?[a-z][a-z0-9-]*|[A-Z][A-Z0-9_]*)$/, {
      error: 'is a flag with its dashes (`--max-model-len`) or the name of a variable (`PYTORCH_ALLOC_CONF`)',
    }),
    was: z.string().min(1).optional(),
    to: z.string().min(1).nullable().optional(),
    'to-fact': z.string().min(1).optional(),
    why: z.string().min(1),
  })
  .refine((value) => (value.to === undefined) !== (value['to-fact'] === undefined), {
    error: 'needs either `to` (a value, or null to remove the flag) or `to-fact` (a fact that holds the value)',
  });
type FlagChange = z.infer<typeof FlagChange>;

const Arguments = z
  .strictObject({ set: z.array(FlagChange).min(1).optional(), profile: z.enum(PROFILES).optional() })
  .refine((value) => value.set !== undefined || value.profile !== undefined, {
    error: 'needs `set` (flags), `profile`, or both',
  });
type Arguments = z.infer<typeof Arguments>;

const Nothing = z.strictObject({});
const Size = z.string().regex(/^\d+(\.\d+)?(MiB|GiB|TiB)$/, { error: 'is a size such as `96GiB`' });
const RaiseRam = z
  .strictObject({
    by: z.number().gt(1).max(4).optional(),
    to: Size.optional(),
    'to-fact': z.string().min(1).optional(),
  })
  .refine((value) => [value.by, value.to, value['to-fact']].filter((one) => one !== undefined).length === 1, {
    error: 'needs one of `by` (a factor above 1 and at most 4), `to` (a size) and `to-fact` (a fact that holds it)',
  });

type Parts<P> = {
  facts?(parameters: P): readonly string[];
  edits?(parameters: P, known: KnownValue): readonly Edit[];
  needsEdits?(parameters: P): boolean;
  profile?(parameters: P): string | undefined;
};

const flagParts: Parts<Arguments> = {
  facts: ({ set = [] }) => set.flatMap(factsOfChange),
  edits: ({ set = [] }, known) => set.flatMap((change) => flagEdit(change, known) ?? []),
  needsEdits: ({ profile }) => profile === undefined,
  profile: ({ profile }) => profile,
};

function factsOfChange({ was, 'to-fact': toFact }: FlagChange): string[] {
  return [was, toFact].filter((id) => id !== undefined);
}

// A new value that is not known is no edit: nobody is to approve a flag without its value. Nor is a flag that the engine
// does not have.
function flagEdit(change: FlagChange, known: KnownValue): Edit | undefined {
  const { was, to, why, 'to-fact': toFact } = change;
  const flag = flagOfEngine(change.flag, known);
  const before = was === undefined ? undefined : known(was);
  const computed = toFact === undefined ? undefined : known(toFact);
  if (flag === undefined || (toFact !== undefined && computed === undefined)) return undefined;
  return {
    flag,
    from: before === undefined ? null : String(before),
    to: computed === undefined ? (to ?? null) : String(computed),
    why,
    facts: factsOfChange(change),
  };
}

/** Every action a playbook may offer. Order is the order of `oom playbook actions`. */
export const ACTION_CATALOGUE: readonly ActionEntry[] = [
  define(
    'stop-bleed',
    'pause autoscalers, scale to zero, set the arguments, scale up one replica, then the rest',
    Arguments,
    flagParts,
  ),
  define('scale-to-zero', 'scale the workload to zero and record its replica count', Nothing),
  define('set-args', 'change engine arguments', Arguments, flagParts),
  define('scale-up', 'scale back to the recorded count, one replica first', Nothing),
  define(
    'set-allocator',
    'change the PyTorch allocator setting; the variable name depends on the build',
    z.strictObject({ setting: z.enum(['expandable-segments']) }),
    {
      facts: () => ['allocator.variable'],
      edits: (_, known) => (known('allocator.variable') === NO_VARIABLE ? [] : [allocatorEdit(known)]),
      needsEdits: () => true,
    },
  ),
  define('raise-ram', 'raise the memory limit of the container', RaiseRam, {
    facts: (raise) => ['ram.limit', ...(raise['to-fact'] === undefined ? [] : [raise['to-fact']])],
    edits: ramEdits,
    needsEdits: () => true,
  }),
  define('restart-drained', 'restart once requests in flight are done', Nothing),
  define('roll-back', 'roll back to the previous revision', Nothing),
  define('replace-pod', 'take one pod out of its Service, then evict it: its owner makes a new one', Nothing),
  define('advise', 'a manual step; there is no button', Nothing),
];

function define<P>(id: ActionId, says: string, parameters: z.ZodType<P>, parts: Parts<P> = {}): ActionEntry {
  const read = <T>(raw: unknown, part: ((value: P) => T) | undefined): T | undefined => {
    const { success, data } = parameters.safeParse(raw);
    return success ? part?.(data) : undefined;
  };
  return {
    id,
    says,
    parameters,
    facts: (raw) => read(raw, parts.facts) ?? [],
    edits: (raw, known) => read(raw, (value) => parts.edits?.(value, known)) ?? [],
    profile: (raw) => read(raw, parts.profile),
    needsEdits: (raw) => read(raw, parts.needsEdits) ?? false,
  };
}

// The old name for CUDA is read by every build for CUDA and for ROCm, and 2.9 reads this setting in no other; another name
// only where the version, the container or the build itself says so.
function allocatorEdit(known: KnownValue): Edit {
  const named = textOf(known('allocator.variable'));
  const edited = { from: null, to: 'expandable_segments:True' };
  if (named !== undefined)
    return { flag: named, ...edited, why: 'reduces fragmentation', facts: ['allocator.variable'] };
  const why = 'reduces fragmentation; every PyTorch version for CUDA or ROCm reads this name';
  return { flag: CUDA_ALLOC_CONF, ...edited, why, facts: [] };
}

function ramEdits({ by, to, 'to-fact': toFact }: z.infer<typeof RaiseRam>, known: KnownValue): readonly Edit[] {
  const limit = known('ram.limit');
  const from = typeof limit === 'number' ? quantity(limit) : null;
  const told = toFact === undefined ? undefined : known(toFact);
  const wanted = to?.replace(/B$/, '') ?? (typeof told === 'number' ? quantity(wholeLimit(told)) : undefined);
  const grown = by === undefined || typeof limit !== 'number' ? undefined : quantity(wholeLimit(limit * by));
  const next = wanted ?? grown;
  if (next === undefined) return [];
  const facts = ['ram.limit', ...(toFact === undefined ? [] : [toFact])];
  return [{ flag: MEMORY_LIMIT, from, to: next, why: 'the container hit its limit', facts }];
}

// As it is: a rounded value would say that another one is there.
function quantity(bytes: number): string {
  if (bytes % GIB === 0) return `${bytes / GIB}Gi`;
  return bytes % MIB === 0 ? `${bytes / MIB}Mi` : String(bytes);
}

/**
 * What the engine at hand calls a flag of a playbook; undefined where that engine in that version has none. Where the
 * version is not known, only what every version has or the engine's own error names. A flag that no engine's table holds is its author's own word.
 * None of an engine whose limits come from elsewhere.
 */
function flagOfEngine(flag: string, known: KnownValue): string | undefined {
  const engine = textOf(known('engine.name'));
  const knob = knobMeant(flag);
  const name = knob === undefined ? flag : engine && flagOfKnob(engine, knob);
  if (name === undefined || !isTabled(name)) return name;
  const setBy = SET_BY.find((one) => one === known('engine.set-by'));
  if (knob !== undefined && !takesArguments({ engine: engine ?? 'unknown', setBy })) return undefined;
  const version = textOf(known('engine.version'));
  const named = textOf(known('log.named-flags'));
  return hasFlag({ engine: engine ?? 'unknown', version, named }, name) ? name : undefined;
}

function textOf(value: ReturnType<KnownValue>): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

import { z } from 'zod';
import { Cause, Phase, Plane } from './taxonomy.ts';

/**
 * How much a line weighs: proof settles the plane alone; strong settles it unless a proof says otherwise; hint needs a
 * second fact; context is numbers, phases, wrappers and boilerplate; rules-out looks like memory and is something else.
 */
export const Weight = z.enum(['proof', 'strong', 'hint', 'context', 'rules-out']);
export type Weight = z.infer<typeof Weight>;

/** A line that an engine, a library, the kernel or Kubernetes prints. Either `text` (literal with `*`) or `pattern` (linear regular expression). */
export const Phrase = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/),
    engine: z.string().min(1),
    versions: z.string().min(1),
    where: z.enum(['log', 'kernel', 'k8s-event', 'k8s-status', 'k8s-api']),
    plane: Plane,
    phase: z.union([Phase, z.literal('any')]),
    causes: z.array(Cause),
    weight: Weight,
    literals: z.array(z.string().min(5)).min(1),
    text: z.string().optional(),
    pattern: z.string().optional(),
    flags: z.enum(['i', '']).optional(),
    captures: z.record(z.string(), z.string()).optional(),
    note: z.string().optional(),
    must: z.array(z.string()).min(1),
    mustNot: z.array(z.string()).optional(),
    source: z.string().min(1),
  })
  .refine((p) => (p.text === undefined) !== (p.pattern === undefined), { error: 'has either `text` or `pattern`' });
export type Phrase = z.infer<typeof Phrase>;

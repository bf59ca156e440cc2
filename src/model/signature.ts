import { z } from 'zod';
import { SignatureFigure } from './engine-figures.ts';
import { type LineMatch, linearPattern } from './linear-pattern.ts';
import { ROLES, type Role } from './signature-roles.ts';
import { Cause, Phase, Plane } from './taxonomy.ts';
import { parseVersionRange } from './version-range.ts';

/**
 * How much a line weighs: proof settles the plane alone; strong settles it unless a proof says otherwise; hint needs a
 * second fact; context is numbers, phases, wrappers and boilerplate; rules-out looks like memory and is something else.
 */
export const Weight = z.enum(['proof', 'strong', 'hint', 'context', 'rules-out']);
export type Weight = z.infer<typeof Weight>;

// The scan runs over bytes: three Chinese characters are as rare as nine letters.
function isLongEnough(literal: string): boolean {
  return new TextEncoder().encode(literal).length >= LITERAL_BYTES;
}

const LITERAL_BYTES = 5;

const VERSIONS =
  'must be `all`, `1.2`, `>=1.2`, `>1.2`, `<1.2`, `1.2 - 1.4.x` or `1.2 - HEAD`, with a remark in brackets behind it if need be';

/**
 * A line that an engine, a library, the kernel or Kubernetes prints. Either `text` (literal with `*`) or `pattern` (linear
 * regular expression). Every line that matches contains one of `literals`, case as given. `scan` tells where to look for
 * it: the whole log, or its first and last part only, which is the rule for weight `context`.
 */
export const Signature = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/),
    engine: z.string().min(1),
    versions: z.string().refine((text) => parseVersionRange(text) !== undefined, { error: VERSIONS }),
    where: z.enum(['log', 'kernel', 'k8s-event', 'k8s-status', 'k8s-api']),
    plane: Plane,
    phase: z.union([Phase, z.literal('any')]),
    causes: z.array(Cause),
    weight: Weight,
    /** What the line is to the program, and which figures of the engine it tells. */
    roles: z
      .array(z.enum(Object.keys(ROLES) as [Role, ...Role[]]))
      .min(1)
      .optional(),
    figures: z.array(SignatureFigure).min(1).optional(),
    scan: z.enum(['whole', 'ends']).optional(),
    literals: z.array(z.string().min(2).refine(isLongEnough, { error: 'must have at least 5 bytes in UTF-8' })).min(1),
    text: z.string().optional(),
    pattern: z.string().optional(),
    flags: z.enum(['i', '']).optional(),
    captures: z.record(z.string(), z.string()).optional(),
    /** What the line means, for whoever reads a card, with its own figures as `{name}` of a named group; `note` is for who keeps the signatures. */
    means: z.string().max(300).optional(),
    note: z.string().optional(),
    must: z.array(z.string()).min(1),
    mustNot: z.array(z.string()).optional(),
    source: z.string().min(1),
  })
  .refine((p) => (p.text === undefined) !== (p.pattern === undefined), { error: 'has either `text` or `pattern`' });
/** `isOwn` is no key of a file: it marks what a team wrote itself, which runs on the linear-time engine. */
export type Signature = z.infer<typeof Signature> & { readonly isOwn?: boolean };

/** What `*` in `text` stands for: at most this many characters of the same line. */
const STAR = '[^\\r\\n]{0,200}?';

/** The expression that a line must match. */
export type LineExpression = { exec(text: string): LineMatch | null; test(text: string): boolean };

/** Throws where `pattern` is no regular expression. */
export function signatureExpression(
  signature: Pick<Signature, 'text' | 'pattern' | 'flags' | 'isOwn'>,
): LineExpression {
  const { pattern = literalPattern(signature.text ?? ''), flags, isOwn = false } = signature;
  return isOwn ? linearPattern(pattern, flags) : new RegExp(pattern, flags);
}

function literalPattern(text: string): string {
  const parts = text.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return parts.join(STAR);
}

/** Where a scan looks for a signature: context lines are too many to be looked for in the whole log. */
export function scanRange(signature: Signature): 'whole' | 'ends' {
  return signature.scan ?? (signature.weight === 'context' ? 'ends' : 'whole');
}

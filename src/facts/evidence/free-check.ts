import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { GIB, parseSize } from '../../model/quantity.ts';
import { hasRole, type Role } from '../../model/signature-roles.ts';
import { fact } from '../log/draft.ts';
import type { Evidence } from './evidence.ts';
import { citeHit, type Weighed } from './weigh.ts';

/** vLLM's check at its start of what is free on the GPU. */
export function findFreeCheck({ weighing }: Pick<Evidence, 'weighing'>): Weighed | undefined {
  return findRole(weighing.all, 'free-check');
}

/** The memory of the device as the engine prints it at its start: in that check, else in an account of the GPU. */
export function totalAtStart(evidence: Pick<Evidence, 'weighing' | 'engine'>): Cited<number> | undefined {
  return capturedSize(findFreeCheck(evidence), 'total') ?? evidence.engine.figures.totalBytes;
}

/** The first line with a role. */
export function findRole(weighed: readonly Weighed[], role: Role): Weighed | undefined {
  return weighed.find(({ signature }) => hasRole(signature, role));
}

/** A size in a capture: with its unit, or a bare number in GiB as vLLM and SGLang print it. */
export function capturedSize(weighed: Weighed | undefined, name: string): Cited<number> | undefined {
  const text = weighed?.hit.captures[name];
  if (weighed === undefined || text === undefined) return undefined;
  const value = parseSize(text) ?? Number(text) * GIB;
  return Number.isFinite(value) ? { value, from: citeHit(weighed) } : undefined;
}

/** What one capture of a line is more than another, and at least 0. */
export function difference(weighed: Weighed | undefined, minuend: string, subtrahend: string): Fact | undefined {
  const [a, b] = [capturedSize(weighed, minuend), capturedSize(weighed, subtrahend)];
  return a && b && fact(Math.max(0, a.value - b.value), [a.from]);
}

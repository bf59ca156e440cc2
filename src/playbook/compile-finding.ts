import type { Cause, Plane } from '../model/taxonomy.ts';
import { type CompileContext, compileTemplate, findFact, type Keys } from './compile-context.ts';
import { compileWhen, type Remedies } from './compile-remedies.ts';
import type { CauseSource, Finding, PhaseSource, Told } from './compiled.ts';
import type { FindingFile, NextFile } from './format.ts';

type FindingInput = { readonly context: CompileContext; readonly remedies: Remedies };

/** A finding with its facts and remedies found; problems are noted, and what they touch is left out. */
export function compileFinding(id: string, raw: FindingFile, { context, remedies }: FindingInput): Finding {
  const keys: Keys = ['findings', id];
  checkPlane(raw, keys, context);
  checkCauseOpen(raw, keys, context);
  const facts = raw.proof.flatMap((fact, index) => findFact(fact, [...keys, 'proof', index], context) ?? []);
  const next = raw.next ?? [];
  return {
    kind: 'finding',
    id,
    plane: raw.plane,
    phase: phaseSource(raw.phase, keys, context),
    cause: causeSource(raw.cause, keys, context),
    // Where the plane is not known there is nothing to be certain of.
    mayBeCertain: raw.certain !== false && raw.plane !== 'unknown',
    causeOpen: raw['cause-open'],
    ...compileHeadline(raw.headline, [...keys, 'headline'], context),
    says: compileTemplate(raw.says, [...keys, 'says'], context),
    alternatives: raw.alternatives ?? [],
    next: next.map((one, index) => compileNext(one, [...keys, 'next', index], context)),
    proof: facts,
    without: [...without('stop-bleed', raw), ...without('lasting', raw)],
    offers: remedies.offersOf(raw.remedies ?? [], [...keys, 'remedies']),
  };
}

function compileHeadline(
  raw: FindingFile['headline'],
  keys: Keys,
  context: CompileContext,
): Pick<Finding, 'headline' | 'named'> {
  if (typeof raw === 'string') return { headline: compileTemplate(raw, keys, context), named: undefined };
  const named = findFact(raw.fact, [...keys, 'fact'], context);
  if (named !== undefined && named.unit !== 'text') {
    context.fault([...keys, 'fact'], `${named.id} is in ${named.unit}, but a headline is text`);
  }
  return { headline: compileTemplate(raw.otherwise, [...keys, 'otherwise'], context), named };
}

function compileNext(raw: NextFile, keys: Keys, context: CompileContext): Told {
  if (typeof raw === 'string') {
    return { says: compileTemplate(raw, keys, context), condition: undefined, unless: undefined };
  }
  return { says: compileTemplate(raw.says, [...keys, 'says'], context), ...compileWhen(raw, keys, context) };
}

function without(kind: 'stop-bleed' | 'lasting', raw: FindingFile): Finding['without'] {
  const why = raw.without?.[kind];
  return why === undefined ? [] : [{ kind, why }];
}

function phaseSource(raw: FindingFile['phase'], keys: Keys, context: CompileContext): PhaseSource {
  if (typeof raw === 'string') return { kind: 'fixed', phase: raw };
  if ('otherwise' in raw) return { kind: 'cause', otherwise: raw.otherwise };
  const life = findFact(raw.from, [...keys, 'phase', 'from'], context);
  const age = findFact('failure.age', [...keys, 'phase'], context);
  if (life === undefined || age === undefined) return { kind: 'fixed', phase: 'n/a' };
  const chronic = raw.chronic === 'hours' ? ['hours', 'days'] : raw.chronic === 'days' ? ['days'] : [];
  return { kind: 'life', life, age, chronic };
}

function causeSource(raw: FindingFile['cause'], keys: Keys, context: CompileContext): CauseSource {
  if (typeof raw === 'string') return { kind: 'fixed', cause: raw };
  const entry = findFact(raw.fact, [...keys, 'cause', 'fact'], context);
  if (entry === undefined) return { kind: 'fixed', cause: raw.otherwise };
  for (const [index, cause] of raw.among.entries()) {
    if (entry.unit === 'choice' && entry.values?.includes(cause) === true) continue;
    context.fault([...keys, 'cause', 'among', index], `${entry.id} is never ${cause}`);
  }
  return { kind: 'fact', entry, among: raw.among, otherwise: raw.otherwise, open: raw.open };
}

function checkPlane(raw: FindingFile, keys: Keys, context: CompileContext): void {
  for (const { cause, at } of causesOf(raw.cause)) {
    const planes = planesOf(cause);
    if (raw.plane === 'unknown' || planes.includes(raw.plane)) continue;
    const message = `cause ${cause} does not fit plane ${raw.plane}, only ${planes.join(' or ')}`;
    context.fault([...keys, ...at], message);
  }
  if (raw.plane === 'none' && raw.phase !== 'n/a') {
    context.fault([...keys, 'phase'], 'plane none always has phase n/a');
  }
  if (raw.plane === 'unknown' && raw.certain === true) {
    context.fault([...keys, 'certain'], 'plane unknown is never certain');
  }
  if (raw.plane !== 'unknown' && raw.proof.length === 0) {
    context.fault([...keys, 'proof'], 'add a fact that proves this finding', true);
  }
}

function checkCauseOpen(raw: FindingFile, keys: Keys, context: CompileContext): void {
  const ofFact = typeof raw.cause === 'string' ? undefined : raw.cause.open;
  if (raw['cause-open'] === undefined && ofFact === undefined) return;
  const at = raw['cause-open'] === undefined ? [...keys, 'cause', 'open'] : [...keys, 'cause-open'];
  if (raw.certain === false) context.fault(at, 'a finding that is never certain already has an open cause', true);
  if (raw.plane === 'unknown') context.fault(at, 'plane unknown is never certain', true);
  if (typeof raw.phase !== 'string' && 'otherwise' in raw.phase)
    context.fault(at, 'a phase taken from an open cause is not proven', true);
  if ((raw.alternatives ?? []).length === 0) {
    context.fault(at, 'an open cause needs `alternatives`: what else it could be', true);
  }
}

function causesOf(raw: FindingFile['cause']): readonly { cause: Cause; at: Keys }[] {
  if (typeof raw === 'string') return [{ cause: raw, at: ['cause'] }];
  const among = raw.among.map((cause, index) => ({ cause, at: ['cause', 'among', index] }));
  return [...among, { cause: raw.otherwise, at: ['cause', 'otherwise'] }];
}

/** The planes that a cause can stand on, by its own name. */
function planesOf(cause: Cause): readonly Plane[] {
  if (cause.startsWith('gpu.')) return ['gpu', 'both', 'unknown'];
  if (cause.startsWith('host.')) return ['host', 'both', 'unknown'];
  return cause.startsWith('none.') ? ['none', 'unknown'] : ['unknown'];
}

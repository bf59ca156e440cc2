import type { FactEntry } from '../model/fact.ts';
import { compileCondition } from './compile-condition.ts';
import { type CompileContext, compileTemplate, findFact, type Keys } from './compile-context.ts';
import type { CommonOffer, Lead, Offer, Told } from './compiled.ts';
import type { ConditionFile, OfferFile, PlaybookFile } from './format.ts';
import { unknownName } from './problem.ts';
import { tell } from './shape-problems.ts';

/** The remedies of a playbook by name. */
export type Remedies = {
  /** What a finding offers that names these remedies and groups. */
  offersOf(names: readonly string[], keys: Keys): readonly Offer[];
  readonly byName: ReadonlyMap<string, Offer>;
  /** Those that go with causes. */
  readonly common: readonly CommonOffer[];
  /** Call it when all findings have asked. */
  warnOfUnused(): void;
};

/** Compiles each remedy once; problems are noted, and what they touch is left out. */
export function compileRemedies(raw: PlaybookFile, context: CompileContext): Remedies {
  const byName = new Map<string, Offer>();
  const common: CommonOffer[] = [];
  for (const [name, { for: causes, leads, ...offer }] of Object.entries(raw.remedies)) {
    const compiled = compileOffer(offer, ['remedies', name], context);
    if (compiled === undefined) continue;
    byName.set(name, compiled);
    if (causes !== undefined)
      common.push({ ...compiled, causes, leads: compileLead(leads, ['remedies', name, 'leads'], context) });
  }
  const groups = new Map(Object.entries(raw.groups).map(([name, group]) => [name, membersOf(group)]));
  const used = new Set(Object.entries(raw.remedies).flatMap(([name, remedy]) => (remedy.for ? [name] : [])));
  warnOfTwins(raw, context);
  for (const [name, group] of groups) checkGroup(name, group, { raw, context });
  const names = Object.keys(raw.remedies);
  return {
    byName,
    common,
    offersOf: (asked, keys) =>
      asked.flatMap((name, index) => {
        used.add(name);
        const group = groups.get(name);
        if (group === undefined && !Object.hasOwn(raw.remedies, name)) {
          context.fault([...keys, index], unknownName('remedy', name, [...names, ...groups.keys()]));
        }
        for (const member of group?.members ?? []) used.add(member);
        const firstOf = group?.key === 'first-of' ? name : undefined;
        const members = group === undefined ? [name] : group.members;
        return members.flatMap((member) => byName.get(member) ?? []).map((offer) => ({ ...offer, firstOf }));
      }),
    warnOfUnused() {
      for (const name of names) {
        if (!used.has(name)) context.warn(['remedies', name], `no finding has remedy ${name}`, true);
      }
      for (const name of groups.keys()) {
        if (!used.has(name)) context.warn(['groups', name], `no finding has group ${name}`, true);
      }
    },
  };
}

type Group = { readonly key: 'first-of' | 'all-of'; readonly members: readonly string[] };

function membersOf(group: PlaybookFile['groups'][string]): Group {
  const first = group['first-of'];
  return first === undefined ? { key: 'all-of', members: group['all-of'] ?? [] } : { key: 'first-of', members: first };
}

type Among = { readonly raw: PlaybookFile; readonly context: CompileContext };

function checkGroup(name: string, { key, members }: Group, { raw, context }: Among): void {
  if (Object.hasOwn(raw.remedies, name)) context.fault(['groups', name], `${name} is the name of a remedy`, true);
  for (const [index, member] of members.entries()) {
    if (Object.hasOwn(raw.remedies, member)) continue;
    context.fault(['groups', name, key, index], unknownName('remedy', member, Object.keys(raw.remedies)));
  }
}

function warnOfTwins({ remedies }: PlaybookFile, context: CompileContext): void {
  const owners = new Map<string, string>();
  for (const [name, remedy] of Object.entries(remedies)) {
    const content = JSON.stringify(Object.entries(remedy).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const owner = owners.get(content);
    if (owner === undefined) owners.set(content, name);
    else context.warn(['remedies', name], `${name} is the same as ${owner}: keep one of them`, true);
  }
}

/** An offer with its action and facts found; undefined where there is no such action. */
function compileOffer(raw: OfferFile, keys: Keys, context: CompileContext): Offer | undefined {
  const says = compileTemplate(raw.says, [...keys, 'says'], context);
  const conditions = compileWhen(raw, keys, context);
  const action = context.actions.get(raw.action);
  if (action === undefined) {
    return context.fault([...keys, 'action'], unknownName('action', raw.action, context.actions.keys()));
  }
  const parameters = raw.with ?? {};
  const read = action.parameters.safeParse(parameters, { reportInput: true });
  for (const issue of read.error?.issues ?? []) {
    for (const problem of tell(action.parameters, issue)) {
      context.fault([...keys, 'with', ...problem.keys], `${action.id}: ${problem.message}`, problem.key);
    }
  }
  for (const fact of action.facts(parameters)) findFact(fact, [...keys, 'with'], context);
  const frees = raw.frees === undefined ? undefined : findBytes(raw.frees, [...keys, 'frees'], context);
  const { kind, direction } = raw;
  return { action, parameters, kind, direction, says, ...conditions, frees, firstOf: undefined };
}

type LeadFile = PlaybookFile['remedies'][string]['leads'];

function compileLead(raw: LeadFile, keys: Keys, context: CompileContext): Lead | undefined {
  if (raw === undefined) return undefined;
  return {
    says: raw.says === undefined ? undefined : compileTemplate(raw.says, [...keys, 'says'], context),
    proof: raw.proof.flatMap((fact, index) => findFact(fact, [...keys, 'proof', index], context) ?? []),
    proved: raw.proved === undefined ? undefined : compileCondition(raw.proved, [...keys, 'proved'], context),
  };
}

function findBytes(id: string, keys: Keys, context: CompileContext): FactEntry | undefined {
  const entry = findFact(id, keys, context);
  if (entry === undefined || entry.unit === 'bytes') return entry;
  return context.fault(keys, `${id} is in ${entry.unit}, but freed memory is in bytes`);
}

type When = Pick<OfferFile, 'if' | 'unless' | 'engines' | 'not-engines'>;

// What keeps an offer back has to be known: an engine that is not known is none of those that it is kept from.
/** What an offer, or a text, is for. */
export function compileWhen(raw: When, keys: Keys, context: CompileContext): Pick<Told, 'condition' | 'unless'> {
  const name = { fact: 'engine.name' };
  const { engines, 'not-engines': others } = raw;
  const compiled = (kind: 'all' | 'any', parts: Readonly<Record<string, ConditionFile | undefined>>) => {
    const of = Object.entries(parts).flatMap(([key, part]) => {
      return (part === undefined ? [] : compileCondition(part, [...keys, key], context)) ?? [];
    });
    return of.length <= 1 ? of[0] : { kind, of };
  };
  return {
    condition: compiled('all', { if: raw.if, engines: engines && { ...name, in: engines } }),
    unless: compiled('any', { unless: raw.unless, 'not-engines': others && { ...name, in: others } }),
  };
}

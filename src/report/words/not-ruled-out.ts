import { bold, type Span } from '../../model/message.ts';
import type { Diagnosis, NotRuledOut, PathStep } from '../../model/verdict.ts';
import { clip, spansOf, type Words } from './sentence.ts';

// More than three guesses help nobody at 03:00.
const MOST = 3;

type Told = Pick<Diagnosis, 'verdict' | 'headline' | 'path'>;

/** Causes that are not ruled out, likeliest first, each with its missing evidence: three and a count of the rest, or `all`. */
export function openItems(told: Told, { all = false }: { all?: boolean } = {}): Span[][] {
  const open = othersThan(told);
  const names = [...new Set(open.map(leadsTo))];
  const shown = all ? names : likeliest(told, open);
  const rest = names.length - shown.length;
  const items = byItem(open, shown).map(
    ([item, own]): Words => [bold(clip(own.join('; '), 400)), clip(` · ${item}`, 400)],
  );
  const more = rest === 0 ? [] : [[`${rest} more: explain --all`]];
  return [...items, ...more].map(spansOf);
}

// A branch that leads to the same finding is no alternative.
function othersThan({ verdict, headline }: Told): NotRuledOut[] {
  const isOwnCause = ({ cause }: NotRuledOut) => cause !== undefined && cause === verdict.cause;
  return verdict.notRuledOut.filter(
    (one) =>
      one.finding !== verdict.finding && !isOwnCause(one) && (headline === undefined || one.headline !== headline),
  );
}

function likeliest({ verdict, path }: Told, open: readonly NotRuledOut[]): string[] {
  // If the memory is unknown, nearly everything is open: one example for each piece of missing evidence.
  if (verdict.plane === 'unknown') return oneOfEach(open).slice(0, MOST);
  const ranks = new Map(open.map((one) => [one, rankOf(one, verdict.alternatives, path)]));
  const ranked = open.toSorted((a, b) => compare(ranks.get(a) ?? [], ranks.get(b) ?? []));
  const byCause = new Map<string, string>();
  for (const one of ranked) {
    const cause = one.cause ?? leadsTo(one);
    if (!byCause.has(cause)) byCause.set(cause, leadsTo(one));
  }
  return [...new Set(byCause.values())].slice(0, MOST);
}

// First the verdict's own alternatives in their order, then by how many of the branch's conditions are met.
function rankOf(
  { branch, cause }: NotRuledOut,
  alternatives: Told['verdict']['alternatives'],
  path: readonly PathStep[],
): readonly number[] {
  const place = cause === undefined ? -1 : alternatives.indexOf(cause);
  const step = path.find((one) => `${one.question}/${one.branch}` === branch);
  return [place === -1 ? alternatives.length : place, -supportOf(step)];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

const NOTHING: ReadonlySet<string> = new Set(['no', 'none', 'nothing', 'unnamed']);

// The share of the branch's conditions that are met, among those met or unknown.
function supportOf(step: PathStep | undefined): number {
  const asked = step?.conditions.filter(({ fact }) => fact !== '') ?? [];
  const seen = asked.filter(
    (one) => one.answer === 'yes' && !NOTHING.has(one.seen) && !one.seen.startsWith('not known'),
  );
  const unseen = asked.filter(({ answer }) => answer === 'unknown');
  return seen.length === 0 ? 0 : seen.length / (seen.length + unseen.length);
}

// The first branch for each piece of missing evidence.
function oneOfEach(open: readonly NotRuledOut[]): string[] {
  const found = new Set<string>();
  for (const [, own] of grouped(open)) {
    const name = own.map(leadsTo).find((one) => !found.has(one));
    if (name !== undefined) found.add(name);
  }
  return [...found];
}

// Grouped by the missing evidence, which a person can fetch. A branch with several goes under the one that decides most.
function byItem(open: readonly NotRuledOut[], shown: readonly string[]): [string, string[]][] {
  const left = new Set(shown);
  const items = grouped(open).flatMap(([item, branches]): [string, string[]][] => {
    const all = new Set(branches.map(leadsTo));
    const own = shown.filter((name) => all.has(name) && left.delete(name));
    return own.length === 0 ? [] : [[item, own]];
  });
  const place = ([, [first = '']]: [string, string[]]) => shown.indexOf(first);
  return items.toSorted((a, b) => place(a) - place(b));
}

function grouped(open: readonly NotRuledOut[]): [string, NotRuledOut[]][] {
  const needs = open.flatMap(({ missing }) => missing.slice(0, 1).map((one) => one.needs));
  const items = Map.groupBy(open, ({ missing }) => itemOf(missing[0], needs));
  return [...items].toSorted(([, a], [, b]) => b.length - a.length);
}

function itemOf(item: NotRuledOut['missing'][number] | undefined, all: readonly string[]): string {
  if (item === undefined) return 'missing: unknown';
  if (item.held === true) return item.needs;
  const why = item.reason === 'not-in-snapshot' ? '' : ` (${item.reason.replaceAll('-', ' ')})`;
  return `missing: ${shortest(item.needs, all)}${why}`;
}

/** A shorter need: `X, or Y` becomes X if X is needed anyway, and `X, and Y` then becomes Y. */
export function shortest(needs: string, all: readonly string[]): string {
  const others = new Set(all.filter((one) => one !== needs));
  if (needs.includes(', and ')) {
    const [first = '', ...rest] = needs.split(', and ');
    return others.has(first) ? rest.join(', and ') : needs;
  }
  return (needs.includes(', or ') ? needs.split(/, (?:or )?/) : []).find((one) => others.has(one)) ?? needs;
}

function leadsTo({ headline, branch }: NotRuledOut): string {
  return headline ?? (branch.split('/').at(-1) ?? branch).replaceAll('-', ' ');
}

import { bold, type Span } from '../../model/message.ts';
import type { Diagnosis, NotRuledOut, PathStep } from '../../model/verdict.ts';
import { clip, spansOf, type Words } from './sentence.ts';

// A tired reader weighs no more than three guesses.
const MOST = 3;

type Told = Pick<Diagnosis, 'verdict' | 'headline' | 'path'>;

/** What it could still be, the likeliest first, with what is missing: three of it and a count of the rest, or `all` of it. */
export function openItems(told: Told, { all = false }: { all?: boolean } = {}): Span[][] {
  const open = othersThan(told);
  const names = [...new Set(open.map(leadsTo))];
  const shown = all ? names : likeliest(told, open);
  const rest = names.length - shown.length;
  const items = byItem(open, shown).map(
    ([item, own]): Words => [bold(clip(own.join('; '), 400)), clip(` · ${item}`, 400)],
  );
  const more = rest === 0 ? [] : [[`and ${rest} more: explain with --all lists them`]];
  return [...items, ...more].map(spansOf);
}

// What leads to the verdict that is given, or to one that reads the same, takes nothing away from it.
function othersThan({ verdict, headline }: Told): NotRuledOut[] {
  const isOwnCause = ({ cause }: NotRuledOut) => cause !== undefined && cause === verdict.cause;
  return verdict.notRuledOut.filter(
    (one) =>
      one.finding !== verdict.finding && !isOwnCause(one) && (headline === undefined || one.headline !== headline),
  );
}

function likeliest({ verdict, path }: Told, open: readonly NotRuledOut[]): string[] {
  // Where nothing is told of the memory, nearly all is open: what to get counts, and each of it has one example.
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

// First what the verdict itself names as another cause, in its order; then what more speaks for, of what a branch asks.
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

// The part of what a branch asks that is seen and says something, of that and what could not be seen.
function supportOf(step: PathStep | undefined): number {
  const asked = step?.conditions.filter(({ fact }) => fact !== '') ?? [];
  const seen = asked.filter(
    (one) => one.answer === 'yes' && !NOTHING.has(one.seen) && !one.seen.startsWith('not known'),
  );
  const unseen = asked.filter(({ answer }) => answer === 'unknown');
  return seen.length === 0 ? 0 : seen.length / (seen.length + unseen.length);
}

// Of what the same item would tell, the first.
function oneOfEach(open: readonly NotRuledOut[]): string[] {
  const found = new Set<string>();
  for (const [, own] of grouped(open)) {
    const name = own.map(leadsTo).find((one) => !found.has(one));
    if (name !== undefined) found.add(name);
  }
  return [...found];
}

// Gathered by the item that is missing, since that is what a person can go and get; where several would tell of the same, under
// the one that tells of most.
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
  if (item === undefined) return 'missing: not known';
  if (item.held === true) return item.needs;
  const why = item.reason === 'not-in-snapshot' ? '' : ` (${item.reason.replaceAll('-', ' ')})`;
  return `missing: ${shortest(item.needs, all)}${why}`;
}

/** What is needed, shorter: `X, or Y` asks for nothing new where X is asked for already, and `X, and Y` then for Y alone. */
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

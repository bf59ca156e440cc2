import type { Facts } from '../model/fact.ts';
import { type Block, bold, plain, type Span } from '../model/message.ts';
import type { Plan } from '../model/plan.ts';
import type { Diagnosis, NotRuledOut, Remedy, Verdict } from '../model/verdict.ts';
import { profileItem } from './profile-words.ts';
import { clip, paragraph } from './sentence.ts';
import { toldTime } from './told-time.ts';
import { CAUSES, provedOf } from './words.ts';

const MOST = 4;

type Sure = Pick<Verdict, 'certain' | 'causeCertain'>;
type PlanDoubt = Pick<Plan, 'certain' | 'causeCertain' | 'notRuledOut' | 'alternatives'>;

/** How sure, and why not surer, in a sentence. */
export function howSure({ verdict }: Pick<Diagnosis, 'verdict'>, facts: Facts): string {
  if (verdict.plane === 'unknown') {
    const missing = mostWanted(verdict.notRuledOut);
    if (missing.length === 0) return 'Can not tell: nothing in the evidence decides.';
    return clip(`Can not tell. What would decide it: ${missing.slice(0, 2).join('; ')}.`, 600);
  }
  if (verdict.causeCertain) return 'Certain: the evidence decides, and nothing in it points to another cause.';
  // Where all is open but the memory, what else it could be is most of the answer.
  const most = verdict.certain ? MOST : 3;
  const others = verdict.alternatives.slice(0, most).map((cause) => CAUSES[cause]);
  if (verdict.certain)
    return clip(
      `${openCause(verdict, facts)}${others.length === 0 ? '' : ` It could also be: ${others.join('; ')}.`}`,
      600,
    );
  // That it is something else than memory the headline says already.
  const named = verdict.cause === 'none.other' ? '' : ` Likeliest: ${CAUSES[verdict.cause]}.`;
  const likeliest = `Probable, not certain.${named}`;
  return others.length === 0
    ? `${likeliest} Something that would prove it is missing.`
    : clip(`${likeliest} It could also be: ${others.join('; ')}.`, 600);
}

function openCause(verdict: Verdict, facts: Facts): string {
  const isTold = toldTime(facts, verdict) !== undefined;
  const open = (verdict.phase === 'n/a' || isTold) && verdict.plane !== 'none' ? 'when and why' : 'why';
  const told = isTold ? ' When it was, only a remark says.' : '';
  const proved = provedOf(isTold ? { ...verdict, phase: 'n/a' } : verdict, facts);
  return `Certain: ${proved}. Not certain: ${open}.${told} Likeliest: ${CAUSES[verdict.cause]}.`;
}

/** What is missing, each once, in the order of the playbook. */
function missingItems(notRuledOut: readonly NotRuledOut[]): string[] {
  const needs = notRuledOut.flatMap(({ missing }) => missing.map((one) => one.needs));
  return [...new Set(needs.map((one) => shortest(one, needs)))];
}

// What keeps most branches open is what to get first.
function mostWanted(notRuledOut: readonly NotRuledOut[]): string[] {
  const firsts = notRuledOut.flatMap(({ missing }) => missing.slice(0, 1).map(({ needs }) => needs));
  const wanted = Map.groupBy(
    firsts.map((one) => shortest(one, firsts)),
    (one) => one,
  );
  return [...wanted].toSorted(([, a], [, b]) => b.length - a.length).map(([one]) => one);
}

// `X, or Y` asks for nothing new where X is asked for already, and `X, and Y` then for Y alone.
function shortest(needs: string, all: readonly string[]): string {
  const others = new Set(all.filter((one) => one !== needs));
  if (needs.includes(', and ')) {
    const [first = '', ...rest] = needs.split(', and ');
    return others.has(first) ? rest.join(', and ') : needs;
  }
  return (needs.includes(', or ') ? needs.split(/, (?:or )?/) : []).find((one) => others.has(one)) ?? needs;
}

/** What an approver has to know of the finding: that it is a doubt where it is one, and what could not be read. */
export function doubtBlocks(plan: PlanDoubt): Block[] {
  const others = plan.causeCertain ? [] : (plan.alternatives ?? []).slice(0, MOST).map((cause) => CAUSES[cause]);
  return [
    ...missingBlocks(plan),
    ...(others.length === 0 ? [] : [paragraph(`It could also be: ${others.join('; ')}.`)]),
  ];
}

function missingBlocks(plan: PlanDoubt): Block[] {
  const needs = missingItems(plan.notRuledOut).slice(0, MOST);
  if (needs.length === 0) return plan.causeCertain ? [] : [paragraph(`${openOf(plan)}.`)];
  const title = plan.causeCertain ? openTitle({ certain: true, causeCertain: true }) : `${openOf(plan)}; missing`;
  return [{ kind: 'list', title, items: needs.map((one) => [plain(clip(one, 400))]) }];
}

function openOf({ certain }: PlanDoubt): string {
  if (certain === undefined) return 'That this is the cause is not proved';
  return certain
    ? 'Which memory ran out is proved, the cause is not'
    : 'Neither which memory ran out nor the cause is proved';
}

/** How far a verdict is proved, behind its headline; empty where all of it is. */
export function sureWords({ plane, certain, causeCertain }: Sure & Pick<Verdict, 'plane'>): string {
  if (causeCertain) return '';
  if (plane === 'none') return ' (the cause is not proved)';
  return certain ? ' (the memory is proved, the cause is not)' : ' (neither memory nor cause is proved)';
}

/** Over the list of what could not be judged: on a certain verdict it must not read as a doubt. */
export function openTitle({ certain, causeCertain }: Sure): string {
  if (!certain) return 'Not ruled out';
  return causeCertain
    ? 'Could not be checked; nothing points to it'
    : 'Could not be checked; which memory it was is proved without it';
}

/** What it could still be, gathered by the item that is missing, since that is what a person can go and get. */
export function notRuledOutItems({ verdict, headline }: Pick<Diagnosis, 'verdict' | 'headline'>): Span[][] {
  // What leads to the finding that is given, or to one that reads the same, takes nothing away from it.
  const others = verdict.notRuledOut.filter(
    (one) => one.finding !== verdict.finding && (headline === undefined || one.headline !== headline),
  );
  const all = others.flatMap(({ missing }) => missing.slice(0, 1).map(({ needs }) => needs));
  const byItem = Map.groupBy(others, ({ missing }) => itemOf(missing[0], all));
  const weighed = [...byItem].toSorted(([, a], [, b]) => b.length - a.length);
  // Where several items would tell of the same, the first on the list is the one that tells of most.
  const named = new Set<string>();
  // Where nothing is told of the memory, nearly all is open: what to get counts, and a name is an example.
  const mostNamed = verdict.plane === 'unknown' ? 1 : 3;
  const items = weighed.flatMap(([item, branches]): Span[][] => {
    const names = [...new Set(branches.map(leadsTo))].filter((name) => !named.has(name));
    for (const name of names) named.add(name);
    return names.length === 0
      ? []
      : [[bold(clip(someOf(names, mostNamed), 400)), plain(clip(` · missing: ${item}`, 400))]];
  });
  if (items.length <= MOST) return items;
  return [...items.slice(0, MOST), [plain(`and ${items.length - MOST} more`)]];
}

function itemOf(item: NotRuledOut['missing'][number] | undefined, all: readonly string[]): string {
  if (item === undefined) return 'not known';
  const why = item.reason === 'not-in-snapshot' ? '' : ` (${item.reason.replaceAll('-', ' ')})`;
  return `${shortest(item.needs, all)}${why}`;
}

function leadsTo({ headline, branch }: NotRuledOut): string {
  return headline ?? (branch.split('/').at(-1) ?? branch).replaceAll('-', ' ');
}

function someOf(names: readonly string[], most: number): string {
  return names.slice(0, most).join('; ') + (names.length > most ? `; and ${names.length - most} more` : '');
}

const MOST_OF_A_KIND = 4;
const KIND_WORDS = { 'stop-bleed': 'Now: ', lasting: 'For good: ' } as const;

/** What to look at and what to change, the stop-bleed before the lasting. */
export function nextItems({ verdict, next, profile, without = [] }: Diagnosis): Span[][] {
  const looks = next.slice(0, 4).map((text): Span[] => [plain(clip(text, 500))]);
  const named = profile === undefined ? [] : [profileItem(profile)];
  return [...looks, ...itemsOf('stop-bleed', verdict, without), ...named, ...itemsOf('lasting', verdict, without)];
}

function itemsOf(kind: Remedy['kind'], { remedies }: Verdict, without: NonNullable<Diagnosis['without']>): Span[][] {
  const offered = remedies.filter((remedy) => remedy.kind === kind).slice(0, MOST_OF_A_KIND);
  const why = without.find((one) => one.kind === kind)?.why;
  const nothing: Span[][] =
    why === undefined ? [] : [[bold(KIND_WORDS[kind]), plain(clip(`nothing to change: ${why}.`, 500))]];
  return [...offered.map(remedyItem), ...nothing];
}

function remedyItem({ kind, says, edits }: Remedy): Span[] {
  const changes = edits
    .map(({ flag, from, to }) => `${flag}${from === null ? '' : ` ${from}`} → ${to ?? 'remove'}`)
    .join(', ');
  return [bold(KIND_WORDS[kind]), plain(clip(`${says}${changes === '' ? '' : ` (${changes})`}`, 500))];
}

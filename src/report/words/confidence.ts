import { type Block, bold, type Span } from '../../model/message.ts';
import type { Plan } from '../../model/plan.ts';
import type { Cause } from '../../model/taxonomy.ts';
import type { Diagnosis, NotRuledOut, Remedy, Verdict } from '../../model/verdict.ts';
import { shortest } from './not-ruled-out.ts';
import { profileItem } from './profile-words.ts';
import { clip, list, paragraph, spansOf, type Words } from './sentence.ts';
import { CAUSES } from './verdict-words.ts';

const MOST = 4;

type PlanDoubt = Pick<Plan, 'certain' | 'causeCertain' | 'notRuledOut' | 'alternatives'>;

const PROVEN = {
  gpu: 'on GPU memory',
  host: 'on RAM',
  both: 'on both memories',
  none: 'that no memory failed',
} as const;

/** `high`, `likely` or `unclear`; where only the memory is proven, both parts. */
export function confidenceWords({ plane, certain, causeCertain }: Sure): string {
  if (plane === 'unknown') return 'unclear';
  if (causeCertain) return 'high';
  return certain ? `high ${PROVEN[plane]}, likely on the cause` : 'likely';
}

/** The other causes that the evidence leaves open, in a sentence; empty where it leaves none. */
export function alternativesWords({ alternatives, plane, causeCertain }: Verdict): string {
  const others = causeCertain ? [] : otherCauses({ alternatives, plane });
  return others.length === 0 ? '' : `Alternatives: ${others.join('; ')}.`;
}

type Sure = Pick<Verdict, 'plane' | 'certain' | 'causeCertain'>;

const MOST_CAUSES = 3;

// Where anything else than memory is open, naming two of its ten causes would sound as if these were likely.
function otherCauses({
  alternatives = [],
  plane,
}: Pick<Plan, 'alternatives'> & { plane?: Verdict['plane'] }): string[] {
  const isOther = (cause: Cause) => cause.startsWith('none.');
  if (alternatives.filter(isOther).length <= 2) return alternatives.slice(0, MOST_CAUSES).map((cause) => CAUSES[cause]);
  // Of what is no memory itself that is said already.
  const told = plane === 'none' ? alternatives.filter((cause) => !isOther(cause)) : alternatives;
  const named = told.map((cause) => CAUSES[isOther(cause) ? 'none.other' : cause]);
  return [...new Set(named)].slice(0, MOST_CAUSES);
}

function missingItems(notRuledOut: readonly NotRuledOut[]): string[] {
  const needs = notRuledOut.flatMap(({ missing }) => missing.flatMap(toBeHad));
  return [...new Set(needs.map((one) => shortest(one, needs)))];
}

// What is there already sends nobody.
function toBeHad({ needs, held }: NotRuledOut['missing'][number]): string[] {
  return held === true ? [] : [needs];
}

/** What is missing; first what keeps most branches open. */
export function mostWanted(notRuledOut: readonly NotRuledOut[]): string[] {
  const firsts = notRuledOut.flatMap(({ missing }) => missing.slice(0, 1).flatMap(toBeHad));
  const wanted = Map.groupBy(
    firsts.map((one) => shortest(one, firsts)),
    (one) => one,
  );
  return [...wanted].toSorted(([, a], [, b]) => b.length - a.length).map(([one]) => one);
}

/** What an approver has to know of the finding: that it is a doubt where it is one, and what could not be read. */
export function doubtBlocks(plan: PlanDoubt): Block[] {
  const others = plan.causeCertain ? [] : otherCauses(plan);
  return [
    ...missingBlocks(plan),
    ...(others.length === 0 ? [] : [paragraph(`It could also be: ${others.join('; ')}.`)]),
  ];
}

function missingBlocks(plan: PlanDoubt): Block[] {
  const needs = missingItems(plan.notRuledOut).slice(0, MOST);
  if (needs.length === 0) return plan.causeCertain ? [] : [paragraph(`${openOf(plan)}.`)];
  const title = plan.causeCertain ? openTitle({ certain: true, causeCertain: true }) : `${openOf(plan)}; missing`;
  return list(
    title,
    needs.map((one) => [clip(one, 400)]),
  );
}

function openOf({ certain }: PlanDoubt): string {
  if (certain === undefined) return 'That this is the cause is not proved';
  return certain
    ? 'Which memory ran out is proved, the cause is not'
    : 'Neither which memory ran out nor the cause is proved';
}

/** The confidence behind a headline; empty where it is high. */
export function sureWords(sure: Sure): string {
  return sure.causeCertain ? '' : ` (${confidenceWords(sure)})`;
}

/** Over the list of what could not be judged: on a certain verdict it must not read as a doubt. */
export function openTitle({ certain, causeCertain }: Pick<Sure, 'certain' | 'causeCertain'>): string {
  if (!certain) return 'Not ruled out';
  return causeCertain ? 'Not checked (nothing points to it)' : 'Not checked';
}

const MOST_OF_A_KIND = 4;
const KIND_WORDS = { 'stop-bleed': 'Now: ', lasting: 'Permanently: ' } as const;

/** What to look at and what to change, mitigations before the lasting; without the one that `told` says whole. */
export function nextItems({ verdict, next, profile, without = [] }: Diagnosis, told = ''): Span[][] {
  const looks = next.slice(0, 4).map((text) => [clip(text, 500)]);
  const named = profile === undefined ? [] : [profileItem(profile)];
  const items: Words[] = [
    ...looks.filter(([look = '']) => !told.includes(look)),
    ...itemsOf('stop-bleed', verdict, without, told),
    ...named,
    ...itemsOf('lasting', verdict, without, told),
  ];
  return items.map(spansOf);
}

type Without = NonNullable<Diagnosis['without']>;

function itemsOf(kind: Remedy['kind'], { remedies }: Verdict, without: Without, told: string): Words[] {
  const offered = remedies.filter((remedy) => remedy.kind === kind).slice(0, MOST_OF_A_KIND);
  const left = offered.filter(({ says, edits }) => edits.length > 0 || !told.includes(says));
  const why = without.find((one) => one.kind === kind)?.why;
  const nothing: Words[] = why === undefined ? [] : [[bold(KIND_WORDS[kind]), clip(`nothing to change: ${why}.`, 500)]];
  return [...left.map(remedyItem), ...nothing];
}

function remedyItem({ kind, says, edits }: Remedy): Words {
  const changes = edits
    .map(({ flag, from, to }) => `${flag}${from === null ? '' : ` ${from}`} → ${to ?? 'remove'}`)
    .join(', ');
  return [bold(KIND_WORDS[kind]), clip(`${says}${changes === '' ? '' : ` (${changes})`}`, 500)];
}

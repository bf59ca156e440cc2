import { engineName } from '../../model/engine-names.ts';
import type { Facts } from '../../model/fact.ts';
import { type Block, bold, type Span } from '../../model/message.ts';
import type { Plan } from '../../model/plan.ts';
import type { Cause } from '../../model/taxonomy.ts';
import type { Diagnosis, NotRuledOut, OfferedProfile, Remedy, Verdict } from '../../model/verdict.ts';
import { isEngineDead } from './dead-engine.ts';
import { shortest } from './not-ruled-out.ts';
import { clip, list, paragraph, spansOf, type Words } from './sentence.ts';
import { causeWords } from './verdict-words.ts';

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

/** How sure a finding is of what its card says is the cause: of a recent change only where the figures prove it, of what stopped an engine where they prove which memory it was. */
export function sureOf({ verdict, change }: Pick<Diagnosis, 'verdict' | 'change'>, facts: Facts): Verdict {
  if (isEngineDead(facts)) return { ...verdict, causeCertain: verdict.certain };
  return change === undefined ? verdict : { ...verdict, causeCertain: verdict.certain && change.proved };
}

/** The confidence of a card. */
export function confidenceOf(diagnosis: Pick<Diagnosis, 'verdict' | 'change'>, facts: Facts): string {
  const words = confidenceWords(sureOf(diagnosis, facts));
  return isEngineDead(facts) && words !== 'high' ? `high that the engine is dead, ${words} on the cause` : words;
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
  if (alternatives.filter(isOther).length <= 2) return alternatives.slice(0, MOST_CAUSES).map(causeWords);
  // Of what is no memory itself that is said already.
  const told = plane === 'none' ? alternatives.filter((cause) => !isOther(cause)) : alternatives;
  const named = told.map((cause) => causeWords(isOther(cause) ? 'none.other' : cause));
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

/** The doubt of a plan in one short sentence; none where its cause is certain. */
export function doubtWords({ certain, causeCertain }: PlanDoubt): Words {
  if (causeCertain) return [];
  return [bold(' Confidence: '), certain === true ? 'likely on the cause.' : 'likely.'];
}

function openOf({ certain }: PlanDoubt): string {
  if (certain === undefined) return 'The cause is not certain';
  return certain
    ? 'The memory that failed is certain, the cause is not'
    : 'Neither the memory that failed nor the cause is certain';
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

const LONGEST = 500;

/** The profile next to what is offered now, with its values as they fit, or that the engine would start with none. */
function profileItem(profile: OfferedProfile): Words {
  // That none would start is nothing to do.
  if (profile.kind === 'none-starts') return [clip(refusedWords(profile), LONGEST)];
  return [bold('Now: '), clip(fittedWords(profile), LONGEST)];
}

function fittedWords(profile: Extract<OfferedProfile, { kind: 'fitted' }>): string {
  const values = profile.edits
    .map(({ flag, from, to }) => `${flag}${from === null ? '' : ` ${from} →`} ${to ?? 'removed'}`)
    .join(', ');
  // Of a profile nothing but the fraction is ever raised.
  const raises = profile.edits.some(({ from, to }) => from !== null && Number(to) > Number(from));
  const alone = raises ? ', if nothing else uses the GPU' : '';
  const start = profile.proven ? 'by the sums the engine starts with it' : 'no data on whether it starts';
  return `Or the profile ${profile.name} for ${forWhat(profile)}: ${values}${alone}; ${start} (--profile=${profile.name}).`;
}

function refusedWords(profile: Extract<OfferedProfile, { kind: 'none-starts' }>): string {
  const { name, why, sum } = profile;
  const from = why.includes(sum) ? '' : `. The sum: ${sum}`;
  return `None of the ready-made profiles for ${forWhat(profile)} would start here, by the sums. The ${name} one: ${why}${from}.`;
}

function forWhat({ engine, version, product, class: size }: OfferedProfile): string {
  const what = [product, classWords(size)].filter((part) => part !== null).join(', ');
  return `${engineName(engine)} ${version ?? 'of unknown version'}${what === '' ? '' : ` on ${what}`}`;
}

// Null where the values are those of every GPU.
function classWords(size: OfferedProfile['class']): string | null {
  if (size === null) return 'a GPU of unknown memory';
  const { from, below } = size;
  if (below === null) return from === 0 ? null : `a GPU of ${from} GiB and more`;
  return from === 0 ? `a GPU below ${below} GiB` : `a GPU of ${from} to ${below} GiB`;
}

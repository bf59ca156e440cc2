import { engineName } from '../../model/engine-names.ts';
import type { Facts } from '../../model/fact.ts';
import { type Block, bold, type Span } from '../../model/message.ts';
import type { Plan } from '../../model/plan.ts';
import type { Cause } from '../../model/taxonomy.ts';
import type { Diagnosis, NotRuledOut, OfferedProfile, Remedy, Verdict } from '../../model/verdict.ts';
import { isEngineDead } from './dead-engine.ts';
import { shortest } from './not-ruled-out.ts';
import { clip, list, paragraph, sentencesOf, spansOf, type Words } from './sentence.ts';
import { causeWords } from './verdict-words.ts';

const MOST = 4;

type PlanDoubt = Pick<Plan, 'certain' | 'causeCertain' | 'notRuledOut' | 'alternatives'>;

const PROVEN = {
  gpu: 'on GPU memory',
  host: 'on RAM',
  both: 'on both memories',
  none: 'that no memory failed',
} as const;

/** `high`, `likely` or `unclear`; both parts if only the memory is proven. */
function confidenceWords({ plane, certain, causeCertain }: Sure): string {
  if (plane === 'unknown') return 'unclear';
  if (causeCertain) return 'high';
  return certain ? `high ${PROVEN[plane]}, likely on the cause` : 'likely';
}

/** Confidence in the cause on the card: a recent change needs proof by figures, a dead engine needs proof of which memory failed. */
export function sureOf({ verdict, change }: Pick<Diagnosis, 'verdict' | 'change'>, facts: Facts): Verdict {
  if (isEngineDead(facts)) return { ...verdict, causeCertain: verdict.certain };
  return change === undefined ? verdict : { ...verdict, causeCertain: verdict.certain && change.proved };
}

/** The confidence of a card. */
export function confidenceOf(diagnosis: Pick<Diagnosis, 'verdict' | 'change'>, facts: Facts): string {
  const words = confidenceWords(sureOf(diagnosis, facts));
  return isEngineDead(facts) && words !== 'high' ? `high that the engine is dead, ${words} on the cause` : words;
}

/** The confidence in one column: `high`, `likely`, `unclear`, or `high (memory)` if the cause is only likely. */
export function shortConfidence(diagnosis: Pick<Diagnosis, 'verdict' | 'change'>, facts: Facts): string {
  const words = confidenceOf(diagnosis, facts);
  if (words.startsWith('high that the engine is dead')) return 'high (engine)';
  return words.endsWith('likely on the cause') ? 'high (memory)' : words;
}

/** The other possible causes in one sentence; empty if there are none. */
export function alternativesWords({ alternatives, plane, causeCertain }: Verdict): string {
  const others = causeCertain ? [] : otherCauses({ alternatives, plane });
  return others.length === 0 ? '' : `Alternatives: ${others.join('; ')}.`;
}

type Sure = Pick<Verdict, 'plane' | 'certain' | 'causeCertain'>;

const MOST_CAUSES = 3;

// Naming two of ten non-memory causes would make those two sound likely.
function otherCauses({
  alternatives = [],
  plane,
}: Pick<Plan, 'alternatives'> & { plane?: Verdict['plane'] }): string[] {
  const isOther = (cause: Cause) => cause.startsWith('none.');
  if (alternatives.filter(isOther).length <= 2) return alternatives.slice(0, MOST_CAUSES).map(causeWords);
  // The finding already says that it is not memory.
  const told = plane === 'none' ? alternatives.filter((cause) => !isOther(cause)) : alternatives;
  const named = told.map((cause) => causeWords(isOther(cause) ? 'none.other' : cause));
  return [...new Set(named)].slice(0, MOST_CAUSES);
}

function missingItems(notRuledOut: readonly NotRuledOut[]): string[] {
  const needs = notRuledOut.flatMap(({ missing }) => missing.flatMap(toBeHad));
  return [...new Set(needs.map((one) => shortest(one, needs)))];
}

// Evidence that is already here is not missing.
function toBeHad({ needs, held }: NotRuledOut['missing'][number]): string[] {
  return held === true ? [] : [needs];
}

/** Missing evidence; first what would decide the most branches. */
export function mostWanted(notRuledOut: readonly NotRuledOut[]): string[] {
  const firsts = notRuledOut.flatMap(({ missing }) => missing.slice(0, 1).flatMap(toBeHad));
  const wanted = Map.groupBy(
    firsts.map((one) => shortest(one, firsts)),
    (one) => one,
  );
  return [...wanted].toSorted(([, a], [, b]) => b.length - a.length).map(([one]) => one);
}

/** What an approver has to know about the finding: its doubts, and the missing evidence. */
export function doubtBlocks(plan: PlanDoubt): Block[] {
  const others = plan.causeCertain ? [] : otherCauses(plan);
  return [...missingBlocks(plan), ...(others.length === 0 ? [] : [paragraph(`Alternatives: ${others.join('; ')}.`)])];
}

function missingBlocks(plan: PlanDoubt): Block[] {
  const needs = missingItems(plan.notRuledOut).slice(0, MOST);
  if (needs.length === 0) return plan.causeCertain ? [] : [paragraph(`${openOf(plan)}.`)];
  const title = plan.causeCertain ? openTitle(plan) : `${openOf(plan)}; missing`;
  return list(
    title,
    needs.map((one) => [clip(one, 400)]),
  );
}

/** The confidence of a plan in one short sentence; empty if its cause is certain. */
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

/** The confidence after a headline; empty if it is high. */
export function sureWords(sure: Sure): string {
  return sure.causeCertain ? '' : ` (${confidenceWords(sure)})`;
}

/** Heading of the branches without data: on a certain cause they must not read as a doubt. */
export function openTitle({ causeCertain }: Pick<Sure, 'causeCertain'>): string {
  return causeCertain ? 'Not checked (no sign of these)' : 'Not ruled out';
}

const MOST_OF_A_KIND = 4;
const KIND_WORDS = { 'stop-bleed': 'Now: ', lasting: 'Permanently: ' } as const;

/** Mitigations, checks, then lasting fixes; without the sentences and flags that are in `told`, the action on the card. */
export function nextItems({ verdict, next, profile, without = [] }: Diagnosis, told = ''): Span[][] {
  const checks = next.slice(0, 4).map((text) => leftOf(text, told));
  const items: Words[] = [
    ...itemsOf('stop-bleed', verdict, without, told),
    ...(profile === undefined ? [] : [profileItem(profile)]),
    ...checks.filter((text) => text !== '').map((text) => [clip(text, 500)]),
    ...itemsOf('lasting', verdict, without, told),
  ];
  return items.map(spansOf);
}

function leftOf(text: string, told: string): string {
  return sentencesOf(text)
    .filter((sentence) => !told.includes(sentence))
    .join(' ');
}

type Without = NonNullable<Diagnosis['without']>;

function itemsOf(kind: Remedy['kind'], { remedies }: Verdict, without: Without, told: string): Words[] {
  const offered = remedies.filter((remedy) => remedy.kind === kind).slice(0, MOST_OF_A_KIND);
  const why = without.find((one) => one.kind === kind)?.why;
  const nothing: Words[] = why === undefined ? [] : [[bold(KIND_WORDS[kind]), clip(`nothing to change: ${why}.`, 500)]];
  return [...offered.flatMap((remedy) => remedyItems(remedy, told)), ...nothing];
}

function remedyItems({ kind, says, edits }: Remedy, told: string): Words[] {
  const changes = edits
    .map(({ flag, from, to }) => `${flag} ${from === null ? '' : `${from} → `}${to ?? 'removed'}`)
    .filter((change) => !told.includes(change))
    .join(', ');
  const words = [leftOf(says, told), changes === '' ? '' : `(${changes})`].filter((part) => part !== '').join(' ');
  return words === '' ? [] : [[bold(KIND_WORDS[kind]), clip(words, 500)]];
}

const LONGEST = 500;

/** The profile with its fitted values, or that the engine would start with none of them. */
function profileItem(profile: OfferedProfile): Words {
  // No label: this is not an action.
  if (profile.kind === 'none-starts') return [clip(refusedWords(profile), LONGEST)];
  return [bold('Now: '), clip(fittedWords(profile), LONGEST)];
}

function fittedWords(profile: Extract<OfferedProfile, { kind: 'fitted' }>): string {
  const values = profile.edits
    .map(({ flag, from, to }) => `${flag}${from === null ? '' : ` ${from} →`} ${to ?? 'removed'}`)
    .join(', ');
  // A profile only ever raises the memory fraction.
  const raises = profile.edits.some(({ from, to }) => from !== null && Number(to) > Number(from));
  const alone = raises ? ', if nothing else uses the GPU' : '';
  const start = profile.proven ? 'fits, by the memory budget' : 'startup not verified';
  return `Or --profile=${profile.name} (${forWhat(profile)}): ${values}${alone}; ${start}.`;
}

function refusedWords(profile: Extract<OfferedProfile, { kind: 'none-starts' }>): string {
  const { name, why, sum } = profile;
  const from = why.includes(sum) ? '' : `. Budget: ${sum}`;
  return `No built-in profile for ${forWhat(profile)} would start here. ${name}: ${why}${from}.`;
}

function forWhat({ engine, version, product, class: size }: OfferedProfile): string {
  const what = [product, classWords(size)].filter((part) => part !== null).join(', ');
  return `${engineName(engine)} ${version ?? '(version unknown)'}${what === '' ? '' : ` on ${what}`}`;
}

// Null if the values hold for every GPU.
function classWords(size: OfferedProfile['class']): string | null {
  if (size === null) return 'a GPU of unknown memory';
  const { from, below } = size;
  if (below === null) return from === 0 ? null : `a GPU of ${from} GiB and more`;
  return from === 0 ? `a GPU below ${below} GiB` : `a GPU of ${from} to ${below} GiB`;
}

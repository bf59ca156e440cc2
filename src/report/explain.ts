import { type Citation, placeOf } from '../model/citation.ts';
import type { Fact, Facts, FactValue } from '../model/fact.ts';
import { type Block, bold, type Message } from '../model/message.ts';
import type { Diagnosis, PathStep } from '../model/verdict.ts';
import { AMPLIFIER_PROOF, amplifiersOf } from './card/amplifiers.ts';
import { actionWords, causeLine, firstCause, nameOf, sentencesOf } from './card/cause.ts';
import { misfitBlocks, setByItems, wrapperItems } from './card/engine-notes.ts';
import { failureWords } from './card/headline.ts';
import { beforeOf, EVENT_PROOF } from './card/preceding-events.ts';
import { topicItems } from './topic.ts';
import { cite, citedItems, QUOTE } from './words/citations.ts';
import { alternativesWords, confidenceOf, nextItems, openTitle } from './words/confidence.ts';
import { saysWhose } from './words/container-end.ts';
import { headItems } from './words/incident-subject.ts';
import { openItems } from './words/not-ruled-out.ts';
import { clip, list, note, paragraph, quote, say, type Words } from './words/sentence.ts';
import { timeline } from './words/timeline.ts';
import { bucketWords, capital, causeWords, endsOf, markOf, valueWords } from './words/verdict-words.ts';

export type ExplainInput = {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
  readonly evidence: 'full' | 'verdict-only';
  /** All that is not ruled out; without it the likeliest. */
  readonly all?: boolean;
  /** What the card above shows whole is not said again. */
  readonly isBelowCard?: boolean;
};

/** The finding in full, for someone who was not there. */
export function explainMessages(input: ExplainInput): Message[] {
  const { diagnosis, facts, evidence } = input;
  const title = clip(failureWords(diagnosis, facts, diagnosis.verdict.id), 300);
  const confidence = `Confidence: ${confidenceOf(diagnosis, facts)}.`;
  const mark = markOf(diagnosis);
  if (evidence === 'verdict-only')
    return [say(mark, title, [paragraph(bold('Cause: '), clip(nameOf(diagnosis), 300)), paragraph(confidence)])];
  return [say(mark, title, [paragraph(confidence), ...detailBlocks(input)])];
}

/** Everything behind the card: cause, steps, evidence, and how the playbook decided. */
export function detailBlocks({ diagnosis, facts, all = false, isBelowCard = false }: ExplainInput): Block[] {
  const { verdict } = diagnosis;
  const [events, ends] = [timeline(facts), endsOf(verdict, facts)];
  const cause = causeBlocks(diagnosis, facts, isBelowCard);
  const alternatives = alternativesWords(verdict);
  return [
    ...cause,
    ...(ends === undefined ? [] : [paragraph(bold('Order: '), `${ends}.`)]),
    ...(alternatives === '' ? [] : [paragraph(clip(alternatives, 600))]),
    ...misfitBlocks(facts),
    ...list('Next steps', [
      ...nextItems(diagnosis, isBelowCard ? actionWords(diagnosis, facts) : undefined),
      ...setByItems(diagnosis, facts),
      ...wrapperItems(diagnosis, facts),
    ]),
    ...proofBlocks(diagnosis, facts),
    ...list('Does not help', topicItems(diagnosis.topics ?? [])),
    ...list('Workload', headItems(facts, verdict)),
    ...list(
      'Timeline (UTC)',
      events.map((line) => [line]),
    ),
    ...list('Before the failure', citedItems(beforeOf(facts, verdict), EVENT_PROOF)),
    ...list('Contributing factors', citedItems(amplifiersOf(facts, verdict), AMPLIFIER_PROOF)),
    ...list('Decision path', wayItems(diagnosis, facts)),
    ...list(openTitle(verdict), openItems(diagnosis, { all })),
    noteBlock(diagnosis),
  ];
}

function causeBlocks(diagnosis: Diagnosis, facts: Facts, isBelowCard: boolean): Block[] {
  const first = firstCause(diagnosis, facts);
  const sentences = [
    ...(first === undefined ? [] : [first]),
    nameOf(diagnosis),
    ...sentencesOf(saysWhose(diagnosis, facts)),
  ];
  const told = isBelowCard ? causeLine(diagnosis, facts) : '';
  const left = sentences.filter((sentence) => !told.includes(sentence));
  return left.length === 0 ? [] : [paragraph(bold('Cause: '), clip(left.join(' '), 1800))];
}

function noteBlock({ verdict, bucket, playbook }: Diagnosis): Block {
  return note(
    `cause: ${verdict.cause} · ${bucketWords(bucket)} · playbook: ${playbook.name} version ${playbook.version}`,
  );
}

// What rests on the same lines, or on one of them, stands over one quote of them.
function proofBlocks({ verdict }: Diagnosis, facts: Facts): Block[] {
  const quotes: { readonly says: Map<string, string>; lines: ReadonlyMap<string, Citation> }[] = [];
  for (const { says, fact, from } of verdict.evidence.slice(0, 12)) {
    const lines = new Map(from.slice(0, MOST_QUOTED).map((citation) => [placeOf(citation), citation]));
    const quoted = quotes.find((one) => isWithin(lines, one.lines) || isWithin(one.lines, lines));
    const own = quoted ?? { says: new Map<string, string>(), lines };
    own.says.set(fact, inWords(says, fact, facts.get(fact)));
    if (lines.size > own.lines.size) own.lines = lines;
    if (quoted === undefined) quotes.push(own);
  }
  return quotes.map(({ says, lines }) =>
    quote(
      clip(saidOnce(withoutPlanes(says)).join(' · '), 600),
      [...lines.values()].map((citation) => cite(citation, QUOTE)),
    ),
  );
}

const MOST_QUOTED = 2;

function isWithin(few: ReadonlyMap<string, Citation>, many: ReadonlyMap<string, Citation>): boolean {
  return [...few.keys()].every((place) => many.has(place));
}

const CAUSE_OF: Readonly<Record<string, string>> = {
  'evidence.plane': 'evidence.cause',
  'log.hint-plane': 'log.hint-cause',
};

// A cause tells which memory it is about.
function withoutPlanes(says: ReadonlyMap<string, string>): string[] {
  return [...says].flatMap(([fact, text]) => (says.has(CAUSE_OF[fact] ?? '') ? [] : [text]));
}

// Two facts that read the same of one line say it once.
function saidOnce(says: readonly string[]): string[] {
  const values = says.map((one) => /: (\D+)$/.exec(one)?.[1]);
  return says.filter((_, i) => values[i] === undefined || values.indexOf(values[i]) === i);
}

// The names of causes, planes and milestones are for scripts.
function inWords(says: string, id: string, fact: Fact | undefined): string {
  if (fact?.kind !== 'known' || typeof fact.value !== 'string') return says;
  const code = `: ${fact.value}`;
  const words = valueWords(fact.value, id);
  return words !== undefined && says.endsWith(code) ? `${says.slice(0, -code.length)}: ${words}` : says;
}

// Branches that said no are the way past; those that decided are the story, with what had to be passed unseen.
function wayItems({ path, headline, verdict }: Diagnosis, facts: Facts): Words[] {
  const questions = [...new Set(path.map(({ question }) => question))];
  const taken = questions.flatMap((question) => {
    const steps = path.filter((step) => step.question === question);
    const last = steps.at(-1);
    const unseen = steps.filter(({ answer }) => answer === 'unknown').length;
    return last === undefined ? [] : [{ step: last, unseen }];
  });
  return taken.map(({ step, unseen }, i) => {
    const next = taken[i + 1]?.step;
    const answer = next === undefined ? (headline ?? causeWords(verdict.cause)) : statedIn(next.ask);
    const isLast = next === undefined;
    return wayItem(step, { answer, isLast, unseen, facts });
  });
}

type Told = {
  readonly answer: string | undefined;
  readonly isLast: boolean;
  readonly unseen: number;
  readonly facts: Facts;
};

// The name of a branch is for those who write playbooks; where it leads says the same in words.
function wayItem(step: PathStep, { answer, isLast, unseen, facts }: Told): Words {
  const seen = seenIn(step, facts).slice(0, 3);
  const ask = askedIn(step.ask);
  const found =
    step.answer === 'otherwise'
      ? noneOf(ask, { so: isLast ? answer : undefined, isOpen: unseen > 0 })
      : capital(answer ?? 'yes');
  const why = seen.length === 0 ? '' : ` (${clip(seen.join('; '), 400)})`;
  const other = step.answer === 'otherwise' ? '' : 'other ';
  const passed = unseen === 0 ? '' : ` ${unseen} ${other}${unseen === 1 ? 'answer' : 'answers'} not checked.`;
  return [bold(`${ask} `), `${found}${why}.${passed}`];
}

// Something was seen by then, and is quoted above; it is none of the answers that this question looks for.
function noneOf(ask: string, { so, isOpen }: { so: string | undefined; isOpen: boolean }): string {
  if (so !== undefined) return `${isOpen ? 'No special case shown' : 'No special case'}: ${so}`;
  return ask.startsWith('Does anything') ? 'No' : 'Not shown';
}

// `GPU memory ran out while serving. What asked for it?`: what is known by then, and what is asked.
const PARTS = /^(?:(.*)\. )?([^?]*\?.*)$/s;

function statedIn(ask: string): string | undefined {
  return PARTS.exec(ask)?.[1];
}

function askedIn(ask: string): string {
  return PARTS.exec(ask)?.[2] ?? ask;
}

// Each fact once, and none that is not there: that nothing is known of it, or that it is not so, convinces nobody.
function seenIn({ conditions }: PathStep, facts: Facts): string[] {
  const byFact = new Map<string, string>();
  for (const { answer, fact, says, text } of conditions) {
    if (answer !== 'yes' || isNoReason(fact) || byFact.has(fact) || saysNothing(facts.get(fact))) continue;
    byFact.set(fact, inWords(says || text, fact, facts.get(fact)));
  }
  return [...byFact.values()];
}

const NOTHING: ReadonlySet<FactValue> = new Set<FactValue>(['nothing', 'unnamed', false]);

function saysNothing(fact: Fact | undefined): boolean {
  return fact?.kind === 'unknown' || (fact?.kind === 'known' && NOTHING.has(fact.value));
}

// Which memory the evidence names is the answer itself.
function isNoReason(fact: string): boolean {
  return fact === '' || fact === 'evidence.plane';
}

import { type Citation, placeOf } from '../model/citation.ts';
import type { Fact, Facts, FactValue } from '../model/fact.ts';
import { capital } from '../model/format-value.ts';
import { type Block, bold, code, type Message } from '../model/message.ts';
import type { Diagnosis, PathStep, Verdict } from '../model/verdict.ts';
import { AMPLIFIER_PROOF, amplifiersOf } from './card/amplifiers.ts';
import { actionWords, causeLine, firstCause, nameOf, openingOf } from './card/cause.ts';
import { misfitBlocks, setByItems, wrapperItems } from './card/engine-notes.ts';
import { failureWords, podWords } from './card/headline.ts';
import { beforeOf, EVENT_PROOF } from './card/preceding-events.ts';
import { topicItems } from './topic.ts';
import { type Cited, cite, citedItems, QUOTE } from './words/citations.ts';
import { alternativesWords, confidenceOf, nextItems, openTitle } from './words/confidence.ts';
import { saysWhose } from './words/container-end.ts';
import { headItems } from './words/incident-subject.ts';
import { openItems } from './words/not-ruled-out.ts';
import type { ReportInput } from './words/report-input.ts';
import { clip, counted, list, note, paragraph, say, sentencesOf, type Words } from './words/sentence.ts';
import { timeline } from './words/timeline.ts';
import { bucketWords, endsOf, markOf, valueWords } from './words/verdict-words.ts';

type ExplainInput = {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
  readonly evidence: 'full' | 'verdict-only';
  /** Namespace and workload; by default what the evidence was collected from. */
  readonly place?: string;
  readonly capture?: ReportInput['capture'];
  /** List everything that is not ruled out; by default the likeliest. */
  readonly all?: boolean;
  /** Leaves out what the card above already shows. */
  readonly isBelowCard?: boolean;
};

/** The finding in full, for someone who was not there. */
export function explainMessages(input: ExplainInput): Message[] {
  const { diagnosis, facts, evidence, place, capture } = input;
  const title = clip(failureWords(diagnosis, facts, place ?? podWords({ diagnosis, facts, capture })), 300);
  const mark = markOf(diagnosis);
  if (evidence === 'full') return [say(mark, title, detailBlocks(input))];
  const cause = paragraph(bold('Cause: '), clip(nameOf(diagnosis), 300));
  return [say(mark, title, [cause, paragraph(...confidenceSpans(input))])];
}

/** Everything behind the card: cause, next steps, evidence, and the decision path. */
export function detailBlocks(input: ExplainInput): Block[] {
  const { diagnosis, facts, all = false, isBelowCard = false } = input;
  const { verdict } = diagnosis;
  const before = beforeOf(facts, verdict);
  return [
    ...causeBlocks(input),
    ...misfitBlocks(facts),
    ...list('Next steps', [
      ...nextItems(diagnosis, isBelowCard ? actionWords(diagnosis, facts) : undefined),
      ...setByItems(diagnosis, facts),
      ...wrapperItems(diagnosis, facts),
    ]),
    ...list('Recent changes', citedItems(before.filter(isChange), EVENT_PROOF)),
    ...list('Evidence', proofItems(diagnosis, facts)),
    ...list('Contributing factors', citedItems(amplifiersOf(facts, verdict), AMPLIFIER_PROOF)),
    ...list(
      'Timeline (UTC)',
      timeline(facts).map((line) => [line]),
    ),
    ...list('Workload', [...headItems(facts, verdict), ...citedItems(before.filter(isOfWorkload), EVENT_PROOF)]),
    ...list('Decision path', pathItems(diagnosis, facts)),
    ...list(openTitle(verdict), [...alternativeItems(verdict), ...openItems(diagnosis, { all })]),
    ...list('Popular fixes', topicItems(diagnosis.topics ?? [])),
    noteBlock(diagnosis),
  ];
}

const isChange = ({ fact }: Cited): boolean => fact === 'revision.changed';
// The count of restarts is in the line with the age.
const isOfWorkload = (one: Cited): boolean => !isChange(one) && one.fact !== 'death.restarts';

function alternativeItems(verdict: Verdict): Words[] {
  const words = alternativesWords(verdict);
  return words === '' ? [] : [[clip(words, 600)]];
}

function confidenceSpans({ diagnosis, facts }: ExplainInput): Words {
  return [bold('Confidence: '), `${confidenceOf(diagnosis, facts)}.`];
}

function causeBlocks(input: ExplainInput): Block[] {
  const { diagnosis, facts, isBelowCard = false } = input;
  const first = firstCause(diagnosis, facts);
  const ends = isBelowCard ? undefined : endsOf(diagnosis.verdict, facts);
  const sentences = [
    ...(first === undefined ? [] : [first]),
    ...(ends === undefined ? [] : [`${capital(ends)}.`]),
    ...openingOf(diagnosis, facts),
    ...sentencesOf(saysWhose(diagnosis, facts)),
  ];
  const onCard = isBelowCard ? causeLine(diagnosis, facts) : '';
  const left = sentences.filter((sentence) => !onCard.includes(sentence));
  const cause: Words = left.length === 0 ? [] : [bold('Cause: '), clip(left.join(' '), 1800)];
  if (!isBelowCard) return [paragraph(...cause, '\n', ...confidenceSpans(input))];
  return cause.length === 0 ? [] : [paragraph(...cause)];
}

function noteBlock({ verdict, bucket, playbook }: Diagnosis): Block {
  return note(`cause: ${verdict.cause} · ${bucketWords(bucket)} · playbook: ${playbook.name} v${playbook.version}`);
}

// Facts from the same line share one quote of it.
function proofItems({ verdict }: Diagnosis, facts: Facts): Words[] {
  const quotes: { readonly says: Map<string, string>; lines: ReadonlyMap<string, Citation> }[] = [];
  for (const { says, fact, from } of verdict.evidence.slice(0, 12)) {
    const lines = new Map(from.slice(0, MOST_QUOTED).map((citation) => [placeOf(citation), citation]));
    const quoted = quotes.find((one) => isWithin(lines, one.lines) || isWithin(one.lines, lines));
    const own = quoted ?? { says: new Map<string, string>(), lines };
    own.says.set(fact, inWords(says, fact, facts.get(fact)));
    if (lines.size > own.lines.size) own.lines = lines;
    if (quoted === undefined) quotes.push(own);
  }
  const shown = new Set<string>();
  return quotes.map(({ says, lines }) => {
    const words = clip(saidOnce(withoutPlanes(says)).join(' · '), 600);
    const cited = [...lines].map(([place, citation]) => {
      const text = shown.has(place) ? `${place} (quoted above)` : cite(citation, QUOTE);
      shown.add(place);
      return text;
    });
    const isShort = `${words} · ${cited.join('')}`.length <= ONE_LINE;
    return [words, ...cited.flatMap((text) => [isShort ? ' · ' : '\n', code(text)])];
  });
}

// A bullet on a terminal of 100 columns.
const ONE_LINE = 96;

const MOST_QUOTED = 2;

function isWithin(few: ReadonlyMap<string, Citation>, many: ReadonlyMap<string, Citation>): boolean {
  return [...few.keys()].every((place) => many.has(place));
}

const CAUSE_OF: Readonly<Record<string, string>> = {
  'evidence.plane': 'evidence.cause',
  'log.hint-plane': 'log.hint-cause',
};

// A cause implies its memory.
function withoutPlanes(says: ReadonlyMap<string, string>): string[] {
  return [...says].flatMap(([fact, text]) => (says.has(CAUSE_OF[fact] ?? '') ? [] : [text]));
}

// Two facts of one line with the same text are listed once.
function saidOnce(says: readonly string[]): string[] {
  const values = says.map((one) => /: (\D+)$/.exec(one)?.[1]);
  return says.filter((_, i) => values[i] === undefined || values.indexOf(values[i]) === i);
}

// Causes, planes and milestones have ids, for scripts.
function inWords(says: string, id: string, fact: Fact | undefined): string {
  if (fact?.kind !== 'known' || typeof fact.value !== 'string') return says;
  const code = `: ${fact.value}`;
  const words = valueWords(fact.value, id);
  return words !== undefined && says.endsWith(code) ? `${says.slice(0, -code.length)}: ${words}` : says;
}

// One line per question: the branch taken, with facts that are not under Evidence, and how many branches had no data.
function pathItems(diagnosis: Diagnosis, facts: Facts): Words[] {
  const { path, verdict } = diagnosis;
  const quoted = new Set(verdict.evidence.map(({ fact }) => fact));
  const questions = [...new Set(path.map(({ question }) => question))];
  const taken = questions.flatMap((question) => {
    const steps = path.filter((step) => step.question === question);
    const last = steps.at(-1);
    const unseen = steps.filter(({ answer }) => answer === 'unknown').length;
    return last === undefined ? [] : [{ step: last, unseen }];
  });
  return taken.map(({ step, unseen }, i) => {
    const next = taken[i + 1]?.step;
    const seen = seenIn(step, facts).filter(({ fact }) => !quoted.has(fact));
    for (const { fact } of seen) quoted.add(fact);
    const why = seen.slice(0, 3).map(({ says }) => says);
    const stated = next && (statedIn(next.ask) ?? 'yes');
    const answer = stated !== undefined && `${stated}.` === nameOf(diagnosis) ? undefined : stated;
    return pathItem(step, { answer, unseen, why });
  });
}

type Taken = {
  /** What the next question takes as known; undefined if that is the cause. */
  readonly answer: string | undefined;
  readonly unseen: number;
  readonly why: readonly string[];
};

function pathItem(step: PathStep, { answer, unseen, why }: Taken): Words {
  const ask = askedIn(step.ask);
  const isOtherwise = step.answer === 'otherwise';
  const found = isOtherwise ? noneOf(ask) : capital(answer ?? 'the cause above');
  const reasons = why.length === 0 ? '' : ` (${clip(why.join('; '), 400)})`;
  const noData = unseen === 0 ? '' : ` ${counted(unseen, 'branch', 'branches')} had no data.`;
  return [bold(`${ask} `), `${found}${reasons}.${noData}`];
}

function noneOf(ask: string): string {
  return ask.startsWith('Does anything') ? 'No' : 'No known case';
}

// `GPU memory ran out while serving. What asked for it?`: the known part, then the question.
const PARTS = /^(?:(.*)\. )?([^?]*\?.*)$/s;

function statedIn(ask: string): string | undefined {
  return PARTS.exec(ask)?.[1];
}

function askedIn(ask: string): string {
  return PARTS.exec(ask)?.[2] ?? ask;
}

// Each fact once; a fact that is unknown or false proves nothing.
function seenIn({ conditions }: PathStep, facts: Facts): { readonly fact: string; readonly says: string }[] {
  const byFact = new Map<string, string>();
  for (const { answer, fact, says, text } of conditions) {
    if (answer !== 'yes' || isNoReason(fact) || byFact.has(fact) || saysNothing(facts.get(fact))) continue;
    byFact.set(fact, inWords(says || text, fact, facts.get(fact)));
  }
  return [...byFact].map(([fact, says]) => ({ fact, says }));
}

const NOTHING: ReadonlySet<FactValue> = new Set<FactValue>(['nothing', 'unnamed', false]);

function saysNothing(fact: Fact | undefined): boolean {
  return fact?.kind === 'unknown' || (fact?.kind === 'known' && NOTHING.has(fact.value));
}

// The memory that the evidence names is the answer itself, not a reason.
function isNoReason(fact: string): boolean {
  return fact === '' || fact === 'evidence.plane';
}

import type { Citation } from '../model/citation.ts';
import type { Fact, Facts, FactValue } from '../model/fact.ts';
import { type Block, bold, type Message, plain, type Span } from '../model/message.ts';
import type { Diagnosis, PathStep } from '../model/verdict.ts';
import { amplifierItems, amplifiersOf } from './card/amplifiers.ts';
import { placeOf, quoteOf } from './citations.ts';
import { howSure, nextItems, notRuledOutItems, openTitle } from './reasons.ts';
import { clip, paragraph, say } from './sentence.ts';
import { timeline } from './timeline.ts';
import { valueWords } from './value-words.ts';
import { CAUSES, labelOf, markOf } from './words.ts';

export type ExplainInput = {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
  readonly evidence: 'full' | 'verdict-only';
};

/** The verdict with its reasons, for someone who was not there: one message, or two where there is much to quote. */
export function explainMessages({ diagnosis, facts, evidence }: ExplainInput): Message[] {
  const { verdict } = diagnosis;
  const head = paragraph(diagnosis.says);
  const title = clip(`${labelOf(verdict)}: ${diagnosis.headline ?? CAUSES[verdict.cause]}`, 300);
  const mark = markOf(verdict);
  if (evidence === 'verdict-only') return [say(mark, title, [paragraph(howSure(diagnosis))])];
  const events = timeline(facts);
  const blocks: Block[] = [
    head,
    paragraph(howSure(diagnosis)),
    ...(events.length === 0
      ? []
      : [
          list(
            events.length === 1 ? 'When (UTC)' : 'What happened, in order (UTC)',
            events.map((line) => [plain(line)]),
          ),
        ]),
    ...proofBlocks(diagnosis, facts),
    ...optional('How the playbook got there', wayItems(diagnosis.path, facts)),
    ...optional('Makes it worse', amplifierItems(amplifiersOf(facts, verdict))),
    ...optional(openTitle(verdict), notRuledOutItems(verdict)),
    ...optional('What to do next', nextItems(diagnosis)),
    {
      kind: 'note',
      spans: [
        plain(
          `cause ${verdict.cause}, bucket ${diagnosis.bucket}, playbook ${diagnosis.playbook.name} version ${diagnosis.playbook.version}`,
        ),
      ],
    },
  ];
  return [say(mark, title, blocks)];
}

// What rests on the same line stands over one quote of it.
function proofBlocks({ verdict }: Diagnosis, facts: Facts): Block[] {
  const byPlace = new Map<string, { says: string[]; from: Citation[] }>();
  for (const { says, fact, from } of verdict.evidence.slice(0, 12)) {
    const cited = new Map(from.map((citation) => [placeOf(citation), citation]));
    const key = [...cited.keys()].join('\n');
    const quoted = byPlace.get(key) ?? { says: [], from: [...cited.values()] };
    quoted.says.push(inWords(says, facts.get(fact)));
    byPlace.set(key, quoted);
  }
  return [...byPlace.values()].map(({ says, from }) => ({
    kind: 'quote',
    title: clip(says.join(' · '), 600),
    lines: from.slice(0, 2).map((citation) => `${placeOf(citation)}  ${quoteOf(citation, 400)}`),
  }));
}

// The names of causes, planes and milestones are for scripts.
function inWords(says: string, fact: Fact | undefined): string {
  if (fact?.kind !== 'known' || typeof fact.value !== 'string') return says;
  const code = `: ${fact.value}`;
  const words = valueWords(fact.value);
  return words !== undefined && says.endsWith(code) ? `${says.slice(0, -code.length)}: ${words}` : says;
}

// Branches that said no are the way past; those that decided are the story, with what had to be passed unseen.
function wayItems(path: readonly PathStep[], facts: Facts): Span[][] {
  const questions = [...new Set(path.map(({ question }) => question))];
  return questions.flatMap((question) => {
    const steps = path.filter((step) => step.question === question);
    const last = steps.at(-1);
    return last === undefined ? [] : [wayItem(last, steps.filter(({ answer }) => answer === 'unknown').length, facts)];
  });
}

function wayItem(step: PathStep, unseen: number, facts: Facts): Span[] {
  const seen = seenIn(step, facts).slice(0, 3);
  const why = seen.length === 0 ? '' : `: ${clip(seen.join('; '), 400)}`;
  const answer = step.answer === 'otherwise' ? 'nothing was seen that tells' : step.branch.replaceAll('-', ' ');
  const passed = unseen === 0 ? '' : ` ${unseen} other ${unseen === 1 ? 'answer' : 'answers'} could not be checked.`;
  return [bold(`${step.ask} `), plain(`${answer}${why}.${passed}`)];
}

// Each fact once, and none that is not there: that nothing is known of it convinces nobody.
function seenIn({ conditions }: PathStep, facts: Facts): string[] {
  const byFact = new Map<string, string>();
  for (const { answer, fact, says, text } of conditions) {
    if (answer !== 'yes' || fact === '' || byFact.has(fact) || saysNothing(facts.get(fact))) continue;
    byFact.set(fact, inWords(says || text, facts.get(fact)));
  }
  return [...byFact.values()];
}

const NOTHING: ReadonlySet<FactValue> = new Set(['nothing', 'unnamed']);

function saysNothing(fact: Fact | undefined): boolean {
  return fact?.kind === 'unknown' || (fact?.kind === 'known' && NOTHING.has(fact.value));
}

function optional(title: string, items: readonly Span[][]): Block[] {
  return items.length === 0 ? [] : [list(title, items)];
}

function list(title: string, items: readonly Span[][]): Block {
  return { kind: 'list', title, items: [...items] };
}

import type { Citation } from '../model/citation.ts';
import type { Facts } from '../model/fact.ts';
import { type Block, bold, type Message, plain, type Span } from '../model/message.ts';
import type { Diagnosis, PathStep } from '../model/verdict.ts';
import { amplifierItems, amplifiersOf } from './card/amplifiers.ts';
import { placeOf, quoteOf } from './citations.ts';
import { howSure, nextItems, notRuledOutItems, openTitle } from './reasons.ts';
import { clip, paragraph, say } from './sentence.ts';
import { timeline } from './timeline.ts';
import { CAUSES, labelOf } from './words.ts';

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
  const mark = verdict.plane === 'unknown' ? 'unknown' : verdict.plane === 'none' ? 'info' : 'bad';
  if (evidence === 'verdict-only') return [say(mark, title, [paragraph(howSure(diagnosis))])];
  const events = timeline(facts);
  const blocks: Block[] = [
    head,
    paragraph(howSure(diagnosis)),
    ...(events.length === 0
      ? []
      : [
          list(
            'What happened, in order (UTC)',
            events.map((line) => [plain(line)]),
          ),
        ]),
    ...proofBlocks(diagnosis),
    ...optional('How the playbook got there', wayItems(diagnosis.path)),
    ...optional('Makes it worse', amplifierItems(amplifiersOf(facts, verdict))),
    ...optional(openTitle(verdict), notRuledOutItems(verdict.notRuledOut)),
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
function proofBlocks({ verdict }: Diagnosis): Block[] {
  const byPlace = new Map<string, { says: string[]; from: Citation[] }>();
  for (const { says, from } of verdict.evidence.slice(0, 12)) {
    const cited = new Map(from.map((citation) => [placeOf(citation), citation]));
    const key = [...cited.keys()].join('\n');
    const quoted = byPlace.get(key) ?? { says: [], from: [...cited.values()] };
    quoted.says.push(says);
    byPlace.set(key, quoted);
  }
  return [...byPlace.values()].map(({ says, from }) => ({
    kind: 'quote',
    title: clip(says.join(' · '), 300),
    lines: from.slice(0, 2).map((citation) => `${placeOf(citation)}  ${quoteOf(citation, 400)}`),
  }));
}

// Branches that said no are the way past; those that decided are the story, with what had to be passed unseen.
function wayItems(path: readonly PathStep[]): Span[][] {
  const questions = [...new Set(path.map(({ question }) => question))];
  return questions.flatMap((question) => {
    const steps = path.filter((step) => step.question === question);
    const last = steps.at(-1);
    return last === undefined
      ? []
      : [
          wayItem(
            last,
            steps.filter(({ answer }) => answer === 'unknown'),
          ),
        ];
  });
}

function wayItem(step: PathStep, unseen: readonly PathStep[]): Span[] {
  const seen = step.conditions.filter(({ answer, fact }) => answer === 'yes' && fact !== '').slice(0, 3);
  const why = seen.length === 0 ? '' : `: ${clip(seen.map(({ says, text }) => says || text).join('; '), 400)}`;
  const answer = step.answer === 'otherwise' ? 'nothing that is asked for was seen' : nameOf(step);
  const passed = unseen.length === 0 ? '' : ` Could not be checked: ${clip(unseen.map(nameOf).join(', '), 200)}.`;
  return [bold(`${step.ask} `), plain(`${answer}${why}.${passed}`)];
}

function nameOf({ branch }: PathStep): string {
  return branch.replaceAll('-', ' ');
}

function optional(title: string, items: readonly Span[][]): Block[] {
  return items.length === 0 ? [] : [list(title, items)];
}

function list(title: string, items: readonly Span[][]): Block {
  return { kind: 'list', title, items: [...items] };
}

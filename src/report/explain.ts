import type { Citation } from '../model/citation.ts';
import type { Facts } from '../model/fact.ts';
import { type Block, bold, type Message, plain, type Span } from '../model/message.ts';
import type { Diagnosis, PathStep } from '../model/verdict.ts';
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
    ...(diagnosis.path.length === 0
      ? []
      : [list('How the playbook got there', diagnosis.path.filter(isDeciding).map(stepItem))]),
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

function proofBlocks({ verdict }: Diagnosis): Block[] {
  return verdict.evidence.slice(0, 12).map(({ says, from }) => ({
    kind: 'quote',
    title: clip(says, 200),
    lines: from.slice(0, 2).map((citation: Citation) => `${placeOf(citation)}  ${quoteOf(citation, 400)}`),
  }));
}

// Branches that said no are the way past; those that decided or could not be judged are the story.
function isDeciding({ answer }: PathStep): boolean {
  return answer !== 'no';
}

function stepItem(step: PathStep): Span[] {
  const words = { yes: 'yes', unknown: 'could not be told', otherwise: 'none of the branches', no: 'no' }[step.answer];
  const seen = step.conditions
    .filter(({ answer }) => answer === (step.answer === 'unknown' ? 'unknown' : 'yes'))
    .slice(0, 3)
    .map(({ text, seen: value }) => `${text} (seen: ${value})`);
  const why = seen.length === 0 ? '' : ` ${clip(seen.join('; '), 400)}`;
  return [bold(`${step.ask} `), plain(`${step.answer === 'otherwise' ? words : `${step.branch}: ${words}`}.${why}`)];
}

function optional(title: string, items: readonly Span[][]): Block[] {
  return items.length === 0 ? [] : [list(title, items)];
}

function list(title: string, items: readonly Span[][]): Block {
  return { kind: 'list', title, items: [...items] };
}

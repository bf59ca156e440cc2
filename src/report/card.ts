import { type Block, code, type Mark, type Message, plain, type Span } from '../model/message.ts';
import type { Capture } from '../model/snapshot.ts';
import { captureSpans } from './capture-words.ts';
import { memoriesBlock } from './card/memories.ts';
import { rowsBlock } from './card/rows.ts';
import { placeOf, quoteOf } from './citations.ts';
import { howSure, nextItems, notRuledOutItems } from './reasons.ts';
import type { ReportInput } from './report-input.ts';
import { clip, paragraph } from './sentence.ts';
import { CAUSES, labelOf } from './words.ts';

export type { ReportInput } from './report-input.ts';

/** The one card of an incident: verdict, why, both memories, figures, what is not ruled out, proof, what next. */
export function card(input: ReportInput): Message {
  const { diagnosis, facts, capture, incident } = input;
  const { verdict } = diagnosis;
  const title = titleOf(input);
  const summary = clip(
    `${title}${capture === undefined ? '' : ` in ${capture.namespace}/${capture.pod}`}. ${verdict.certain ? 'Certain.' : 'Not certain.'}`,
    300,
  );
  const headline: Block = {
    kind: 'headline',
    mark: markOf(input),
    spans: [plain(clip(title, 300)), ...placeSpans(input)],
  };
  if (input.evidence === 'verdict-only') {
    const note: Block = {
      kind: 'note',
      spans: [plain('Evidence is not shown in a channel that is shared with another organisation.')],
    };
    return { summary, blocks: [headline, paragraph(howSure(diagnosis)), note] };
  }
  const rows = rowsBlock(diagnosis, facts);
  return {
    summary,
    blocks: [
      headline,
      paragraph(clip(`${diagnosis.says} ${howSure(diagnosis)}`, 1800)),
      memoriesBlock(facts, verdict.plane),
      ...(rows === undefined ? [] : [rows]),
      ...proof(input),
      ...list('Not ruled out', notRuledOutItems(verdict.notRuledOut)),
      ...list('What to do next', nextItems(diagnosis)),
      { kind: 'note', spans: noteSpans(input) },
    ],
    ...(incident === undefined ? {} : { choices: [{ asks: 'explain', label: 'Explain', value: incident.id }] }),
  };
}

function titleOf({ diagnosis, incident }: ReportInput): string {
  const title = `${labelOf(diagnosis.verdict)}: ${diagnosis.headline ?? CAUSES[diagnosis.verdict.cause]}`;
  return incident !== undefined && incident.seen > 1 ? `${title} (seen ${incident.seen} times)` : title;
}

function markOf({ diagnosis: { verdict } }: ReportInput): Mark {
  if (verdict.plane === 'unknown') return 'unknown';
  if (verdict.plane === 'none') return 'info';
  return verdict.certain ? 'bad' : 'warn';
}

function placeSpans({ capture, diagnosis }: ReportInput): Span[] {
  if (capture === undefined) return [plain(' · '), code(clip(diagnosis.verdict.id, 200))];
  return [
    plain(' · '),
    code(clip(`${capture.namespace}/${capture.pod}`, 300)),
    plain(clip(` · ${capture.cluster}${containerWords(capture)}`, 150)),
  ];
}

function containerWords({ container, logs }: Capture): string {
  if (container === null) return '';
  const log = logs.find((one) => one.container === container);
  const instance = log === undefined ? '' : log.previous ? ', the instance before this one' : ', this instance';
  return ` · container ${container}${instance}`;
}

const QUOTES = 3;

function proof({ diagnosis: { verdict } }: ReportInput): Block[] {
  const lines = new Map<string, string>();
  for (const { from } of verdict.evidence) {
    const first = from[0];
    if (first !== undefined && lines.size < QUOTES)
      lines.set(placeOf(first), `${placeOf(first)}  ${quoteOf(first, 420)}`);
  }
  return lines.size === 0 ? [] : [{ kind: 'quote', title: 'Proof', lines: [...lines.values()] }];
}

function list(title: string, items: Span[][]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', title, items }];
}

function noteSpans({ diagnosis, capture, incident, snapshot }: ReportInput): Span[] {
  const ids = [
    ...(incident === undefined ? [] : [plain('incident '), code(incident.id), plain(' · ')]),
    ...(snapshot === undefined ? [] : [plain('evidence '), code(snapshot.id), plain(' · ')]),
  ];
  const { name, version } = diagnosis.playbook;
  return [
    ...ids,
    plain(`${diagnosis.verdict.cause} · playbook ${name} ${version}`),
    ...(capture === undefined ? [] : captureSpans(capture)),
  ];
}

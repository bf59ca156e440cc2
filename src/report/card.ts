import { type Citation, placeOf } from '../model/citation.ts';
import type { Facts } from '../model/fact.ts';
import type { Incident } from '../model/incident.ts';
import { type Block, type Choice, code, type Message, plain, type Span } from '../model/message.ts';
import { type Capture, parseLogName } from '../model/snapshot.ts';
import type { Diagnosis, Verdict } from '../model/verdict.ts';
import { AMPLIFIER_PROOF, amplifiersOf } from './card/amplifiers.ts';
import { misfitBlocks, setByItems, wrapperItems } from './card/engine-notes.ts';
import { memoriesBlock } from './card/memories.ts';
import { beforeOf, EVENT_PROOF } from './card/preceding-events.ts';
import { rowsBlock } from './card/rows.ts';
import { captureWords } from './words/capture-words.ts';
import { cite, citedItems, needsWords, QUOTE } from './words/citations.ts';
import { howSure, nextItems, openTitle } from './words/confidence.ts';
import { saysWhose } from './words/container-end.ts';
import { openItems } from './words/not-ruled-out.ts';
import { knownValue, type ReportInput } from './words/report-input.ts';
import { clip, list, note, paragraph, quote, type Words } from './words/sentence.ts';
import { causeWords, labelOf, markOf } from './words/verdict-words.ts';

export type { ReportInput } from './words/report-input.ts';

// A card is read in one glance; `oom explain` has them all.
const MOST_AMPLIFIERS = 4;
const MOST_BEFORE = 3;

/** The one card of an incident: verdict, why, both memories, figures, proof, what next, what came before, what could not be checked. */
export function card(input: ReportInput): Message {
  const { diagnosis, facts, capture, incident } = input;
  const { verdict } = diagnosis;
  const title = titleOf(input);
  const summary = clip(
    `${title}${capture === undefined ? '' : ` in ${capture.namespace}/${capture.pod}`}. ${sureOf(verdict)}`,
    300,
  );
  const headline: Block = {
    kind: 'headline',
    mark: markOf(verdict),
    spans: [plain(clip(title, 300)), ...placeSpans(input)],
  };
  if (input.evidence === 'verdict-only') {
    const why = note('Evidence is not shown in a channel that is shared with another organisation.');
    return { summary, blocks: [headline, paragraph(howSure(diagnosis, facts)), why] };
  }
  const rows = rowsBlock(diagnosis, facts);
  return {
    summary,
    blocks: [
      headline,
      paragraph(clip(`${saysWhose(diagnosis, facts)} ${howSure(diagnosis, facts)}`, 1800)),
      memoriesBlock(facts, verdict),
      ...(rows === undefined ? [] : [rows]),
      ...proofBlocks(diagnosis, facts),
      ...misfitBlocks(facts),
      // Read in a hurry: what to do stands above what came before and what could not be looked at.
      ...list('What to do next', [
        ...nextItems(diagnosis),
        ...setByItems(diagnosis, facts),
        ...wrapperItems(diagnosis, facts),
      ]),
      ...list('What came before', citedItems(beforeOf(facts, verdict).slice(0, MOST_BEFORE), EVENT_PROOF)),
      ...list('Makes it worse', citedItems(amplifiersOf(facts, verdict).slice(0, MOST_AMPLIFIERS), AMPLIFIER_PROOF)),
      ...list(openTitle(verdict), openItems(diagnosis)),
      note(...noteWords(input)),
    ],
    ...(incident === undefined ? {} : { choices: choicesOf(input, incident) }),
  };
}

function choicesOf({ diagnosis, mayPlan }: ReportInput, { id }: Incident): Choice[] {
  const canPlan = diagnosis.verdict.remedies.some(({ kind, action }) => kind === 'stop-bleed' && action !== 'advise');
  const plan: Choice[] = mayPlan === true && canPlan ? [{ asks: 'plan', label: 'Plan the stop-bleed', value: id }] : [];
  return [...plan, { asks: 'explain', label: 'Explain', value: id }];
}

function sureOf({ certain, causeCertain }: Verdict): string {
  if (!certain) return 'Not certain.';
  return causeCertain ? 'Certain.' : 'Certain of the memory, not of the cause.';
}

function titleOf({ diagnosis, facts, incident }: ReportInput): string {
  const title = `${labelOf(diagnosis.verdict, facts)}: ${diagnosis.headline ?? causeWords(diagnosis.verdict.cause)}`;
  return incident !== undefined && incident.seen > 1 ? `${title} (seen ${incident.seen} times)` : title;
}

function placeSpans({ capture, diagnosis }: ReportInput): Span[] {
  if (capture === undefined) return [plain(' · '), code(clip(diagnosis.verdict.id, 200))];
  return [
    plain(' · '),
    code(clip(`${capture.namespace}/${capture.pod}`, 300)),
    plain(clip(` · ${capture.cluster}${containerWords(capture, diagnosis.verdict)}`, 150)),
  ];
}

const INSTANCES = { previous: ', the instance before this one', current: ', this instance' } as const;

function containerWords({ container, logs }: Capture, verdict: Verdict): string {
  if (container === null) return '';
  const read = new Set(logs.filter((one) => one.container === container).map(({ file }) => instanceOf(file)));
  const only = read.size === 1 ? [...read][0] : undefined;
  const instance = provenIn(verdict, container) ?? only;
  return ` · container ${container}${instance === undefined ? '' : INSTANCES[instance]}`;
}

// Where both logs were read, the one that the proof stands in tells which instance failed.
function provenIn({ evidence }: Verdict, container: string): 'previous' | 'current' | undefined {
  const files = evidence.flatMap(({ from }) => from.flatMap((one) => (one.kind === 'line' ? [one.file] : [])));
  return instanceOf(files.find((file) => [container, undefined].includes(parseLogName(file)?.container)));
}

function instanceOf(file: string | undefined): 'previous' | 'current' | undefined {
  return file === undefined ? undefined : parseLogName(file)?.instance;
}

function sinceWords({ seen, openedAt }: Incident): Words {
  return seen > 1 ? [` seen ${seen} times since `, { kind: 'time', at: openedAt }] : [];
}

function noteWords({ diagnosis, capture, incident, snapshot }: ReportInput): Words {
  const { name, version } = diagnosis.playbook;
  return [
    ...(incident === undefined ? [] : ['incident ', code(incident.id), ...sinceWords(incident), ' · ']),
    ...(snapshot === undefined ? [] : ['evidence ', code(snapshot.id), ' · ']),
    `${diagnosis.verdict.cause} · playbook ${name} ${version}`,
    ...(capture === undefined ? [] : [captureWords(capture)]),
  ];
}

const QUOTES = 3;

type Quoted = { readonly one: Citation; readonly says: string; readonly weight: number };

/** The lines that the finding rests on, few enough for one glance; `oom explain` has them all. */
function proofBlocks({ verdict }: Pick<Diagnosis, 'verdict'>, facts: Facts): Block[] {
  const place = (at: number): Quoted[] =>
    verdict.evidence.flatMap(({ from, says, fact }) =>
      from.slice(at, at + 1).map((one) => ({ one, says, weight: weightOf(one, fact, facts) })),
    );
  // Where there is room, the second line of a proof tells more: `Evicted`, and then for what.
  const lines = new Map<string, string>();
  for (const { one, says } of [...place(0), ...place(1)].toSorted((a, b) => b.weight - a.weight)) {
    const words = needsWords(one) ? `  (${clip(says, 200)})` : '';
    if (lines.size < QUOTES && !lines.has(placeOf(one))) lines.set(placeOf(one), `${cite(one, QUOTE)}${words}`);
  }
  return lines.size === 0 ? [] : [quote('Proof', [...lines.values()])];
}

// What is so proves more than what is not, and what the machine said more than what somebody wrote down about the incident.
function weightOf({ file }: Citation, fact: string, facts: Facts): number {
  if (file === 'incident.json') return 0;
  return knownValue(facts, fact) === false ? 1 : 2;
}

import type { ActionId } from '../model/action.ts';
import type { Facts } from '../model/fact.ts';
import type { Incident } from '../model/incident.ts';
import { type Block, bold, type Choice, code, type Message, plain, type Span } from '../model/message.ts';
import type { Diagnosis, Remedy } from '../model/verdict.ts';
import { actionWords, causeLine, missingWords, nameOf } from './card/cause.ts';
import { evidenceLines } from './card/evidence.ts';
import { failingResolvedWords } from './card/failing-resolved.ts';
import { headlineWords } from './card/headline.ts';
import { memoriesLine } from './card/memories.ts';
import { notReadWords } from './card/not-read.ts';
import { menuOf, stateWords } from './incident-state.ts';
import { confidenceOf, sureOf } from './words/confidence.ts';
import { isEngineDead } from './words/dead-engine.ts';
import { type ReportInput, shownValue } from './words/report-input.ts';
import { clip, counted, note, paragraph, spansOf, type Words } from './words/sentence.ts';
import { spanWords } from './words/span-words.ts';
import { isHealthy, markOf } from './words/verdict-words.ts';

export type { ReportInput } from './words/report-input.ts';

/** The finding on one screen: what failed and where, the cause, what to do now, both memories, the proof, the confidence. */
export function card(input: ReportInput): Message {
  const { diagnosis, facts, incident, evidence } = input;
  const failing = failingResolvedWords(input);
  const isOver = incident?.state === 'closed' && !isHealthy(diagnosis) && failing === undefined;
  const title = clip(`${isOver ? 'Resolved: ' : ''}${headlineWords(input)}`, 200);
  const confidence = `Confidence: ${confidenceOf(diagnosis, facts)}`;
  const head: Block = { kind: 'headline', mark: isOver ? 'ok' : markOf(diagnosis), spans: [plain(title)] };
  const message = { summary: clip(`${title}. ${confidence}.`, 300), dense: true };
  if (evidence === 'verdict-only') {
    const why = 'Evidence is not shown in a channel that is shared with another organization.';
    const cause = paragraph(bold('Cause: '), clip(nameOf(diagnosis), 180));
    return { ...message, blocks: [head, cause, note(`${confidence}. ${why}`)] };
  }
  const choices = choicesOf(input);
  if (isHealthy(diagnosis)) {
    return {
      ...message,
      blocks: [
        head,
        ...notReadBlocks(input),
        note(`${withPool(memoriesLine(facts), facts)} · ${confidence}${replacedWords(input)}`),
      ],
    };
  }
  const reasons = reasonBlocks(input);
  const memories = memoriesLine(facts);
  const resolved = failing === undefined ? [] : [...failing, '\n'];
  const told = [title, spanWords(spansOf(resolved)), memories, ...reasons.map(({ spans }) => spanWords(spans))].join(
    '',
  ).length;
  return {
    ...message,
    blocks: [
      head,
      ...reasons,
      ...(choices.length === 0 ? [] : [{ kind: 'buttons' } as const]),
      paragraph(...resolved, memories),
      ...proofBlocks(input, told > LONG ? 1 : 2),
      note(`${confidence}${alternativesWords(input)}${replacedWords(input)}`, ...incidentWords(incident, failing)),
    ],
    ...(choices.length === 0 ? {} : { choices }),
    ...(incident === undefined ? {} : { menu: menuOf(incident) }),
  };
}

// Above this a second line of evidence would break the 1,000 characters of a finding.
const LONG = 570;

type Paragraph = ReturnType<typeof paragraph>;

// Engines fill their pool under load and keep it so.
function withPool(memories: string, facts: Facts): string {
  const used = shownValue(facts, 'kv-cache.used-share', 'share');
  if (used === undefined) return memories;
  const words = `KV pool ${used}, normal`;
  return memories.endsWith('%)') ? `${memories.slice(0, -1)}, ${words})` : `${memories} · ${words}`;
}

function reasonBlocks(input: ReportInput): Paragraph[] {
  const { diagnosis, facts } = input;
  const isOpen = diagnosis.verdict.plane === 'unknown' && !isEngineDead(facts);
  const [label, words] = isOpen ? ['Missing: ', missingWords(diagnosis)] : ['Cause: ', causeLine(diagnosis, facts)];
  const action = actionWords(diagnosis, facts);
  return [
    ...(words === '' ? [] : [paragraph(bold(label), words)]),
    ...(action === undefined || action === '' ? [] : [paragraph(bold('Do now: '), action)]),
    ...notReadBlocks(input),
  ];
}

function notReadBlocks(input: ReportInput): Paragraph[] {
  const words = notReadWords(input);
  return words === undefined ? [] : [paragraph(bold('Not read: '), words)];
}

function proofBlocks({ diagnosis, facts }: ReportInput, most: number): Block[] {
  const lines = evidenceLines(diagnosis.verdict, facts)
    .slice(0, most)
    .flatMap((line, i): Span[] => (i === 0 ? [code(line)] : [plain('\n· '), code(line)]));
  return lines.length === 0 ? [] : [paragraph(bold('Evidence: '), ...lines)];
}

function choicesOf({ diagnosis, mayPlan, incident, folder }: ReportInput): Choice[] {
  const details = incident?.id ?? folder;
  if (details === undefined) return [];
  const plan = mayPlan === true && incident?.state === 'open' ? planChoices(diagnosis, incident.id) : [];
  return [...plan, { asks: 'explain', label: 'Details', value: clip(details, 2000) }];
}

const OWN_LABELS: Partial<Record<ActionId, string>> = {
  'roll-back': 'Roll back rollout…',
  'raise-ram': 'Raise limit…',
  'replace-pod': 'Plan restart…',
};

// What is first where a change caused it, or an engine is dead, has a button of its own, and so has the other way out.
function planChoices({ verdict }: Diagnosis, incidentId: string): Choice[] {
  const [first, second] = verdict.remedies.filter(({ kind, action }) => kind === 'stop-bleed' && action !== 'advise');
  if (first === undefined) return [];
  const named = (one: Remedy | undefined): Choice[] => {
    const label = one && OWN_LABELS[one.action];
    return one === undefined || label === undefined
      ? []
      : [{ asks: 'plan', label, value: `${incidentId} ${one.action}` }];
  };
  if (first.action !== 'roll-back' && first.action !== 'replace-pod')
    return [{ asks: 'plan', label: 'Plan mitigation…', value: incidentId }];
  return [...named(first), ...named(second)];
}

// More is no choice any more: nothing is known.
const MOST_ALTERNATIVES = 5;

function alternativesWords({ diagnosis, facts }: ReportInput): string {
  const { causeCertain, alternatives } = sureOf(diagnosis, facts);
  const count = causeCertain ? 0 : alternatives.length;
  return count === 0 || count > MOST_ALTERNATIVES ? '' : ` · ${counted(count, 'alternative')}`;
}

// Who asked for a pod that is gone must not take the answer for one about it.
function replacedWords({ capture }: ReportInput): string {
  const gone = capture?.replacedPod ?? null;
  return gone === null ? '' : ` · ${clip(gone, 90)} is gone, this is its replacement`;
}

function incidentWords(incident: Incident | undefined, failing: Words | undefined): Words {
  if (incident === undefined) return [];
  return [` · ${incident.id}`, ...(failing === undefined ? stateWords(incident) : [])];
}

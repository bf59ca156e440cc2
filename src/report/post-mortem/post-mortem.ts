import { placeOf } from '../../model/citation.ts';
import type { DomainEvent } from '../../model/events.ts';
import type { Facts } from '../../model/fact.ts';
import type { Feedback } from '../../model/feedback.ts';
import type { Incident } from '../../model/incident.ts';
import { isOpenChange, type TemporaryChange } from '../../model/temporary-change.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { amplifiersOf } from '../card/amplifiers.ts';
import { nameOf } from '../card/cause.ts';
import { subjectOf } from '../incident-state.ts';
import { type ExplainedFix, recommendations } from '../permanent-fix.ts';
import { checkName } from '../words/check-words.ts';
import { cite, QUOTE } from '../words/citations.ts';
import { confidenceOf, mostWanted } from '../words/confidence.ts';
import { openItems } from '../words/not-ruled-out.ts';
import { ago } from '../words/sentence.ts';
import { spanWords } from '../words/span-words.ts';
import { bucketWords, headlineOf } from '../words/verdict-words.ts';
import { changesSection, type ExportedRun, temporarySection, time } from './changes-section.ts';
import { bullets, codeBlock, codeSpan, inline, section, table } from './markdown.ts';
import { timelineRows } from './timeline-rows.ts';

export type PostMortem = {
  readonly incident: Incident;
  readonly events: readonly DomainEvent[];
  /** The newest finding; undefined where its evidence and verdict were deleted. */
  readonly diagnosis: Diagnosis | undefined;
  /** Of the newest evidence; empty where it was deleted. */
  readonly facts: Facts;
  /** Files of the stored evidence; undefined where it was deleted. */
  readonly files: readonly string[] | undefined;
  readonly plans: readonly ExportedRun['plan'][];
  readonly runs: readonly ExportedRun[];
  readonly feedback: readonly Feedback[];
  /** Patches for Git; undefined where the evidence was deleted. */
  readonly fix: ExplainedFix['fix'];
  readonly archive: string;
};

/** A post-mortem draft as Markdown. The same stored events give the same text: nothing in it depends on when it is made. */
export function postMortem(input: PostMortem): string {
  const { incident } = input;
  const { cluster, openedAt, closedAt } = incident;
  const changes = input.runs.flatMap(({ change }) => change ?? []);
  const parts = [
    `# Post-mortem draft: ${inline(subjectOf(incident))}`,
    `${codeSpan(incident.id)} · cluster ${codeSpan(cluster)} · opened ${time(openedAt)} · ${
      incident.state === 'closed' ? `resolved ${time(closedAt)}` : 'still open'
    }`,
    'Drafted by oombot from its stored events. All times are UTC. Lines that start with TODO need a person.',
    ...section('Summary', [bullets(summary(input))]),
    ...section('Impact', [bullets(impact(input))]),
    ...section('Timeline', [timelineTable(input)]),
    ...section('Cause', cause(input)),
    ...changesSection(input.runs),
    ...temporarySection(changes),
    ...section('What went well', [bullets(wentWell(input))]),
    ...section('What is unknown', [bullets(unknown(input))]),
    ...section('Follow-ups', [bullets(followUps(input, changes).map((item) => `[ ] ${item}`)), ...patchParts(input)]),
    ...section('Evidence', [evidence(input)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function summary({ incident, diagnosis, facts, feedback, runs }: PostMortem): string[] {
  const { seen, closedBy, closedWhy } = incident;
  const done = runs.filter(({ run }) => run.state === 'done').length;
  return [
    inline(headlineOf(incident)),
    ...(diagnosis === undefined ? [] : [inline(diagnosis.says), `Confidence: ${confidenceOf(diagnosis, facts)}`]),
    `Seen ${seen === 1 ? 'once' : `${seen} times`}, first ${time(incident.openedAt)}, last ${time(incident.lastSeenAt)}`,
    ...(runs.length === 0 ? [] : [`${done} of ${runs.length} ${runs.length === 1 ? 'run' : 'runs'} done`]),
    ...feedback.map(({ right, by, actual, note }) =>
      inline(
        `Feedback by ${by}: the finding was ${right ? 'right' : `wrong (${actual ?? 'unknown'})`}${note === null ? '' : `. ${note}`}`,
      ),
    ),
    incident.state === 'open'
      ? 'Not resolved yet'
      : inline(`Resolved by ${closedBy ?? 'oombot'}${closedWhy ? `: ${closedWhy}` : ''}`),
    'TODO: one sentence for people who do not run this service.',
  ];
}

function impact({ incident, plans }: PostMortem): string[] {
  const { namespace, workload, openedAt, closedAt, state } = incident;
  const [first] = plans;
  return [
    `Workload: ${codeSpan(`${namespace}/${workload}`)}, pod ${codeSpan(incident.pod)}`,
    state === 'closed' && closedAt !== null ? `Open for ${ago(openedAt, closedAt)}` : 'Still open',
    first === undefined
      ? 'Ready replicas during the incident: no data, no plan was made.'
      : inline(
          `${first.serving.ready} of ${first.serving.total} replicas ready at ${time(first.proposedAt)}. ${first.outage.says}`,
        ),
    'TODO: failed or slow requests, affected users, SLO budget spent.',
  ];
}

function timelineTable({ events, facts, plans }: PostMortem): string {
  const rows = timelineRows(events, facts, new Map(plans.map((plan) => [plan.id, plan])));
  return table(
    ['UTC', 'who', 'what'],
    rows.map(({ at, who, what }) => [at, inline(who), inline(what)]),
  );
}

function cause({ diagnosis, facts }: PostMortem): string[] {
  if (diagnosis === undefined) return ['The findings of this incident were deleted.'];
  const { verdict, bucket, change } = diagnosis;
  // Facts from the same lines share one quote of them.
  const proof = [...Map.groupBy(verdict.evidence, ({ from }) => from.map(placeOf).join())].map(([, own]) =>
    [
      bullets(own.map(({ says }) => inline(says))),
      '',
      codeBlock((own[0]?.from ?? []).map((one) => cite(one, QUOTE))),
    ].join('\n'),
  );
  return [
    inline(`${nameOf(diagnosis)} ${diagnosis.says}`),
    inline(`Finding ${verdict.finding}, cause ${verdict.cause}, ${bucketWords(bucket)}.`),
    ...(change === undefined ? [] : [inline(`Recent change: ${change.says}`)]),
    ...(proof.length === 0 ? ['No line of the evidence proves it.'] : ['Proof:', ...proof]),
    bullets(amplifiersOf(facts, verdict).map(({ says }) => `Contributing factor: ${inline(says)}`)),
  ];
}

// Only durations that the events give; whether they were good is for people.
function wentWell({ incident, events }: PostMortem): string[] {
  const start = incident.openedAt;
  const first = (isIt: (event: DomainEvent) => boolean) => events.find(isIt)?.at;
  const moments = [
    ['First finding', first(({ kind }) => kind === 'verdict-given')],
    ['Acknowledged', first(({ kind }) => kind === 'incident-acknowledged')],
    ['First plan', first(({ kind }) => kind === 'plan-made')],
    ['First approval', first((event) => event.kind === 'approval-given' && event.decision === 'approve')],
    ['Change verified', first((event) => event.kind === 'verified' && event.answer === 'yes')],
  ] as const;
  return [
    ...moments.flatMap(([what, at]) =>
      at === undefined ? [] : [`${what} ${ago(start, at)} after the incident opened`],
    ),
    'TODO: what noticed it first, an alert or a user? Which runbook, dashboard or decision helped?',
  ];
}

function unknown({ diagnosis, runs }: PostMortem): string[] {
  const open = diagnosis === undefined ? [] : openItems(diagnosis, { all: true });
  const unseen = runs.flatMap(({ run }) => run.checks.filter(({ answer }) => answer === 'could-not-tell'));
  const names = [...new Set(unseen.map(({ check }) => checkName(check)))];
  return [
    ...open.map((spans) => `Not ruled out: ${inline(spanWords(spans))}`),
    ...(names.length === 0 ? [] : [`Checks without data: ${inline(names.join(', '))}`]),
    ...(open.length + names.length === 0 ? ['oombot lists no open alternative and no check without data.'] : []),
    'TODO: what remains unexplained? What was luck?',
  ];
}

function followUps({ diagnosis, facts }: PostMortem, changes: readonly TemporaryChange[]): string[] {
  const lasting = diagnosis === undefined ? [] : recommendations(diagnosis).map((says) => inline(says));
  const temporary = changes
    .filter(isOpenChange)
    .map(({ id }) => `Make temporary change ${codeSpan(id)} permanent in Git, or roll it back`);
  const factors = diagnosis === undefined ? [] : amplifiersOf(facts, diagnosis.verdict);
  return [
    ...lasting,
    ...temporary,
    ...factors.map(({ says }) => `Remove the contributing factor: ${inline(says)}`),
    ...mostWanted(diagnosis?.verdict.notRuledOut ?? []).map(
      (needs) => `Have this evidence next time: ${inline(needs)}`,
    ),
    'TODO: owner and date for each of these.',
  ];
}

function patchParts({ fix }: PostMortem): string[] {
  return (fix?.patches ?? []).flatMap(({ object, yaml, needs }) => [
    inline(`Patch of the permanent fix, ${object}. ${needs.join(' ')}`),
    codeBlock(yaml.trimEnd().split('\n'), 'yaml'),
  ]);
}

function evidence({ files, archive, diagnosis }: PostMortem): string {
  if (files === undefined) {
    return 'The evidence of this incident was deleted (`store.retentionDays`), so there is no archive.';
  }
  const cited = new Set(diagnosis?.verdict.evidence.flatMap(({ from }) => from.map(placeOf)) ?? []);
  return `${codeSpan(archive)}: ${files.length} files, redacted as they were stored. ${cited.size} places in them are cited above.`;
}
